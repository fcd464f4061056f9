#!/bin/bash

# Start and connect.
. /app/kv.sh; kv_up; connect prod

# The first changes.
kv put color blue; kv incr visits; kv incr visits

# Flush.
kv flush

# The changes that stay in memory.
kv put color green; kv incr visits

# Keep the statistics.
stats=$(kv stats); echo "$stats" | tee /app/stats
