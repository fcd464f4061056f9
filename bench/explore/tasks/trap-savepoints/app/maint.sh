# A maintenance window: begin, savepoints by signal, finish.
begin() {
  mkdir /app/state/lock || return
  window=$1 saves=0
  cp -r /app/state/live /app/state/shadow
  trap 'saves=$((saves + 1)); cp -r /app/state/shadow "/app/state/save-$saves"' USR1
  trap 'rm -rf /app/state/lock' EXIT
  cd /app/state/shadow || return
}

finish() {
  trap - EXIT USR1
  cd /app/state || return
  rm -r live lock && mv shadow live
  echo "$window: $saves savepoints" >>history
}
