#!/bin/bash

# Start the session.
/app/bin/ops-up && /app/bin/ops 'cd /app/queue; total=0'

# Add up the queue.
/app/bin/ops 'for f in *.job; do total=$((total + $(cat $f))); mv $f $f.done; done'; ls /app/queue

# The threshold, and the window's name.
/app/bin/ops 'threshold=40'; tmux -S /app/run/tmux rename-window -t ops handover

# The report.
/app/bin/ops 'report() { echo "$total of $threshold in $PWD"; }'; /app/bin/ops 'report >/app/report'; cat /app/report
