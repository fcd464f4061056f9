# The flag service and its client.
api() {
  curl -s -m 5 -X "$1" -H "X-Token: $token" -H "X-Revision: $rev" "${@:3}" "http://127.0.0.1:8200$2"
}

flags_up() {
  (setsid python3 -B /app/flagd.py </dev/null >/app/run/log 2>&1 &)
  local _
  for _ in {1..100}; do
    [ -z "$(api GET /flags)" ] || return 0
    sleep 0.1
  done
  return 1
}

sign_in() {
  token=$(api POST /login -d "$1") rev=1
  echo "token $token"
}

put() {
  local answer
  answer=$(api PUT "/flags/$1" -d "$2")
  echo "$answer"
  [[ $answer != revision* ]] || rev=${answer#revision }
}
