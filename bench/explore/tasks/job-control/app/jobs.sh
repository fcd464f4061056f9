# Workers as jobs of this shell. All of it waits for what it asked for.
await() {
  local _
  for _ in {1..80}; do
    "$@" && return
    sleep 0.05
  done
  return 1
}

start() {
  rm -f "/app/run/$1.pid"
  { python3 -B /app/worker.py "$1" & } 2>/dev/null
  await test -s "/app/run/$1.pid"
}

nudge() {
  rm -f "/app/run/$2.handled"
  kill -USR1 "$1" && await test -s "/app/run/$2.handled" && echo "$2 handled $(cat "/app/run/$2.handled")"
}

suspend() {
  { kill -STOP "$1" && await grep -q '^State:.T' "/proc/$(cat "/app/run/$2.pid")/status"; } 2>/dev/null
  jobs >/dev/null 2>&1
}

finish() {
  { kill "$1" && wait "$1"; } 2>/dev/null
  echo "$2 $?"
  jobs >/dev/null 2>&1
}
