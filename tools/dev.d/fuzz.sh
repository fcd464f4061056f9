# Fuzzing: every parser under libFuzzer (fuzz/). Results stay in build/fuzz: corpus/<name>, logs, crashes.

# run_fuzzers [seconds] [name]: runs each for that long, SF_JOBS in parallel. A finding fails the run at its end.
run_fuzzers() {
  local seconds=${1:-30} name=${2:-} dir=$SF_ROOT/build/fuzz names=() program
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "fuzz takes a number of seconds, then perhaps a name: fuzz 60 frame"
  for program in "$dir"/bin/fuzz_*; do
    [[ -n $name && $program != */fuzz_"$name" ]] || names+=("${program##*/fuzz_}")
  done
  ((${#names[@]})) || die "no fuzzer called '$name' (fuzz/CMakeLists.txt)"
  mkdir -p "$dir/logs" "$dir/crashes"
  say "fuzzing ${#names[@]} parsers, $seconds s each"
  local status=0
  export SF_ROOT
  export -f run_fuzzer
  printf '%s\n' "${names[@]}" | xargs -P "$SF_JOBS" -I{} bash -c 'run_fuzzer "$@"' - {} "$seconds" || status=1
  ((status == 0)) || die "a fuzzer found something. The input it names: build/dev/bin/fuzz_seeds NAME FILE replays it;
  mend the parser and keep the input in fuzz/seeds/NAME/"
}

# run_fuzzer <name> <seconds>: runs one fuzzer and prints one line about its result.
run_fuzzer() {
  local name=$1 seconds=$2 dir=$SF_ROOT/build/fuzz status=0 runs coverage scratch
  local corpus=$dir/corpus/$name log=$dir/logs/$name.log
  mkdir -p "$corpus"
  # Some parsers read files: in memory, where there is such a place.
  scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo /var/tmp)" sf-fuzz.XXXXXX)
  TMPDIR=$scratch "$dir/bin/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$dir/crashes/$name-" "$corpus" "$SF_ROOT/fuzz/seeds/$name" \
    >"$log" 2>&1 || status=1
  rm -rf "$scratch"
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  printf '%-18s %10s runs  %6s edges covered  %s\n' "$name" "${runs:-?}" "${coverage:-?}" \
    "$( ((status)) && echo "FOUND SOMETHING: $log" || echo ok)"
  return "$status"
}
