#!/bin/bash

# Start and log in.
. /app/flags.sh; flags_up; sign_in ops

# Dark mode.
put dark-mode on

# A quarter.
put beta 25

# No legacy.
put legacy off

# Publish, and write.
api POST /publish; printf '%s\n' "$token" "$rev" >/app/session; wc -l </app/session
