# A console that stays open: `ask TEXT` sends it a line and prints the answer, which ends with a dot.
console_open() {
  rm -f /app/run/in /app/run/out
  mkdir -p /app/run
  mkfifo /app/run/in /app/run/out
  exec 4<>/app/run/in 5<>/app/run/out
  (python3 -B /app/repl.py </app/run/in >/app/run/out 2>&1 4>&- 5>&- &)
}

ask() {
  local line
  printf '%s\n' "$1" 'print(".")' >&4 || return
  while IFS= read -r -t 5 line <&5 && [ "$line" != . ]; do printf '%s\n' "$line"; done
}
