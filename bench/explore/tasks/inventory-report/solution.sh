#!/bin/bash

# Load the stock.
cd /app/data && . /app/stock.sh && apply + stock.csv && echo ${#stock[@]}

# Add the receipts.
apply + receipts.csv; echo "bolt ${stock[bolt]}"

# Subtract the shipments.
apply - shipments.csv; echo "bolt ${stock[bolt]}"

# Write the report with noclobber, which protects it.
set -o noclobber; for sku in "${!stock[@]}"; do echo "$sku,${stock[$sku]}"; done | sort >/app/report.csv; cat /app/report.csv

# Protect it, and write the session.
readonly stock; { declare -p applied; echo "${stock@a}"; [[ -o noclobber ]] && echo on || echo off; } >/app/session; cat /app/session
