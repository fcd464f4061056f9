# Workers as jobs of this shell. Each function waits for its effect, up to a number of twentieths of a second.
await() {
  local left=$1
  shift
  until "$@"; do
    ((left-- > 0)) || return 1
    sleep 0.05
  done
}

start() {
  rm -f "/app/run/$1.pid"
  { python3 -B /app/worker.py "$1" & } 2>/dev/null
  await 80 test -s "/app/run/$1.pid"
}

nudge() {
  rm -f "/app/run/$2.handled"
  kill -USR1 "$1" && await 40 test -s "/app/run/$2.handled" && echo "$2 handled $(cat "/app/run/$2.handled")"
}

suspend() {
  { kill -STOP "$1" && await 80 grep -q '^State:.T' "/proc/$(cat "/app/run/$2.pid")/status"; } 2>/dev/null
  jobs >/dev/null 2>&1
}

finish() {
  { kill "$1" && wait "$1"; } 2>/dev/null
  echo "$2 $?"
  jobs >/dev/null 2>&1
}
