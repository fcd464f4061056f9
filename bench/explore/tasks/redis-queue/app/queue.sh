# The queue's server, and `rc` to talk to it.
rc() {
  redis-cli -s /app/run/redis.sock "$@"
}

queue_up() {
  if rc ping >/dev/null 2>&1; then
    echo "it runs already"
    return 1
  fi
  redis-server /app/redis.conf >/dev/null
  local _
  for _ in {1..100}; do
    rc ping >/dev/null 2>&1 && break
    sleep 0.05
  done
  rc </app/seed.redis >/dev/null
}
