# The ledger as a coprocess.
open_ledger() {
  { coproc LEDGER { exec /app/ledger; }; } 2>/dev/null
  receipts=()
  tell session
}

tell() {
  echo "$*" >&"${LEDGER[1]}" || return
  read -r -t 5 reply <&"${LEDGER[0]}" && echo "$reply"
}
