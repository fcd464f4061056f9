# Reads the log on descriptor 5, part by part. Counts in seen, rotations and errors[HOST].
declare -A errors

skip() {
  local line
  while read -r line <&5; do
    [[ $line != --* ]] || return 0
  done
}

batch() {
  local time host level rest
  while read -r time host level rest <&5; do
    if [[ $time == -- ]]; then
      rotations=$((rotations + 1))
      return 0
    fi
    seen=$((seen + 1))
    [[ $level != ERROR ]] || errors[$host]=$((${errors[$host]:-0} + 1))
  done
  return 1
}
