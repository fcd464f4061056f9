#!/bin/bash

# Blue, and nginx before it.
. /app/ops.sh; up blue 8101; nginx_up && cp /app/ng/pid /app/master; active=blue served=0; ask 8100/who

# Three visitors.
visit 3; echo "$served served"

# Start green.
up green 8102; ask 8102/who

# Switch, and visit.
switch green 8102; visit 2; echo "$active $served"

# Write it down.
{ ask 8101/served; ask 8102/served; echo "$active $served"; } >/app/session; cat /app/session
