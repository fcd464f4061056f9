#!/bin/bash

# Where the function wants to be, with its variables and its index.
cd /app/in && . /app/lib.sh && mkdir -p /app/out/objects && exec 6>/app/out/index && n=0 bytes=0

# The first two.
set -- *.dat; store "$1" "$2"; shift 2; echo "$# left"

# The next one: its content is there already.
store "$1"; shift; cat /app/out/index

# All that are left, and the index is whole.
store "$@"; shift $#; exec 6>&-; tail -n 1 /app/out/index

# The summary.
printf '%s\n' "$PWD" "$n objects $bytes bytes" "$#" | tee /app/out/summary
