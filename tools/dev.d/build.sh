# Configure, build, test, measure.

# build_preset <preset> [target...]
build_preset() {
  local preset=$1 dir=$SF_ROOT/build/$1
  shift
  say "building ($preset)"
  # Configuring again costs about a second and finds folders that are new since the last time.
  (cd "$SF_ROOT" && quietly cmake --preset "$preset") || die "cmake --preset $preset failed"
  cmake --build "$dir" -j "$SF_JOBS" -- --quiet "$@" || die "the $preset build failed"
}

# run_tests <preset> [ctest arguments]. Without arguments: all but soak and bench, quick labels first.
# A skipped test that tests/allowed_skips.txt does not name is a failure.
run_tests() {
  local preset=$1 status=0 prefix=()
  shift
  # ThreadSanitizer of g++ 12 does not start where the kernel randomises more address bits than it expects.
  [[ $preset != tsan ]] || prefix=(setarch --addr-no-randomize)
  (($#)) || set -- --label-exclude 'soak|bench'
  say "testing ($preset): ctest $*"
  local dir=$SF_ROOT/build/$preset report=$SF_ROOT/build/$preset/tests.xml
  as_root "${prefix[@]}" ctest --test-dir "$dir" -j "$SF_JOBS" --output-on-failure --no-tests=error \
    --output-junit "$report" --test-output-size-passed 100000000 "$@" || status=1
  as_root python3 "$SF_ROOT/tools/dev.d/skips.py" "$report" "$SF_ROOT/tests/allowed_skips.txt" || status=1
  ((status == 0)) || die "tests failed ($preset)"
}

# run_benchmarks [name]: runs bench_<name> and bench_<name>_*, or all benchmarks.
run_benchmarks() {
  local bin=$SF_ROOT/build/release/bin name=${1:-} program
  shift || true
  [[ -z $name || -x $bin/bench_$name ]] || die "no benchmark called '$name' (bench/)"
  shopt -s nullglob
  for program in "$bin"/bench_${name:-*} "$bin"/bench_${name:-none}_*; do
    say "measuring: $(basename "$program")"
    as_root env STATEFORK_SMALL_ROOT="$SF_SMALL_ROOT" STATEFORK_FULL_ROOT="$SF_FULL_ROOT" "$program" "$@"
  done
}
