# Backends, nginx before them, and visitors.
ask() {
  curl -s -m 5 "http://127.0.0.1:$1"
}

await() {
  local _
  for _ in {1..80}; do
    "$@" && return
    sleep 0.05
  done
  return 1
}

answers() {
  [ "$(ask "$1/who")" = "$2" ]
}

up() {
  (setsid python3 -B /app/backend.py "$1" "$2" </dev/null >"/app/run/$1.log" 2>&1 &)
  await answers "$2" "$1"
}

nginx_up() {
  nginx -c /app/ng/nginx.conf -e /app/ng/error.log 2>/dev/null && await answers 8100 "${1:-blue}"
}

visit() {
  local i
  for ((i = 0; i < $1; i++)); do
    ask 8100/hit
    served=$((served + 1))
  done
}

is_replaced() {  # the old worker is gone, the new one there
  local now
  now=$(pgrep -P "$(cat /app/ng/pid)")
  [[ -n $now && $now != *$'\n'* && $now != "$1" ]]
}

switch() {
  local before
  before=$(pgrep -P "$(cat /app/ng/pid)")
  echo "upstream site { server 127.0.0.1:$2; }" >/app/ng/upstream.conf
  nginx -c /app/ng/nginx.conf -e /app/ng/error.log -s reload 2>/dev/null && await is_replaced "$before" && active=$1
}
