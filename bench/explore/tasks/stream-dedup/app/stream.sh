# The stream: descriptor 7 feeds it, descriptor 8 has its answers.
stream_open() {
  mkdir -p /app/out /app/run
  rm -f /app/run/feed /app/run/answers
  mkfifo /app/run/feed /app/run/answers
  exec 7<>/app/run/feed 8<>/app/run/answers
  (mawk -W interactive -f /app/dedup.awk </app/run/feed >/app/run/answers 7>&- 8>&- &)
}

feed() {
  cat "$@" >&7 || return
  echo '?' >&7
  read -r -t 5 stats <&8 && echo "$stats"
}

stream_close() {
  exec 7>&-
  for _ in {1..100}; do
    [ ! -s /app/out/summary ] || break
    sleep 0.05
  done
  cat /app/out/summary
}
