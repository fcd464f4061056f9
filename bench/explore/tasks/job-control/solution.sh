#!/bin/bash

# Both workers.
. /app/jobs.sh; start red; start blue; jobs | wc -l

# Two files for red.
nudge %1 red; nudge %1 red

# Suspend blue.
suspend %2 blue; jobs >/app/out/jobs; cut -d' ' -f1 /app/out/jobs

# Red's third file; then continue blue.
nudge %1 red; kill -CONT %2; nudge %2 blue

# Finish red.
finish %1 red >>/app/out/status; cat /app/out/status
