#!/bin/bash

# Open the log for the functions.
cd /app && . ./triage.sh && exec 5<logs/service.log && seen=0 rotations=0

# Past the drill.
skip; alias say='printf "%s lines, %s rotations\n" "$seen" "$rotations"'

# Count the second part.
batch; say

# And the third.
batch; say

# The report, with the number of unread lines.
{
  for host in $(printf '%s\n' "${!errors[@]}" | sort); do echo "$host ${errors[$host]}"; done
  echo "seen $seen rotations $rotations"
  echo "rest $(wc -l <&5)"
} >/app/report
cat report
