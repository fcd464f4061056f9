#!/bin/bash

# Open the ledger.
. /app/ledger.sh; open_ledger

# The first deposit.
tell deposit 500; receipts+=("$reply")

# The withdrawal.
tell withdraw 120; receipts+=("$reply")

# The second deposit.
tell deposit 80; receipts+=("$reply")

# Reveal and write.
tell reveal; printf "%s\n" "${receipts[@]}" "$reply" >/app/statement
