#!/usr/bin/env bash
# Runs the README's example in a temporary store and compares its output.
set -euo pipefail
store=$(mktemp -d /var/tmp/sf-example.XXXXXX)
trap 'rm -rf "$store"' EXIT
got=$("$1" "$store/store")
wanted='before
draft
[1]+  Running                 sleep 1000 &
/tmp
draft
before 2
draft
before 2
draft
before 2'
if [[ $got != "$wanted" ]]; then
  printf 'expected:\n%s\ngot:\n%s\n' "$wanted" "$got"
  exit 1
fi
