# The event store and one connection to it.
store_up() {
  (setsid node /app/store.js </dev/null >/app/run/log 2>&1 &)
  local _
  for _ in {1..100}; do
    (: <>/dev/tcp/127.0.0.1/7400) 2>/dev/null && return
    sleep 0.1
  done
  return 1
}

connect() {
  exec 8<>/dev/tcp/127.0.0.1/7400 && say hello "$1"
}

say() {
  local line
  echo "$*" >&8 || return
  read -r -t 5 line <&8 && echo "$line"
}
