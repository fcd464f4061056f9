#!/bin/bash

# Bring it up.
. /app/queue.sh; queue_up; rc --raw lrange processing 0 -1

# Load the script.
sha=$(rc --raw script load "$(cat /app/requeue.lua)"); echo "$sha"

# j3 is dead.
rc lrem processing 1 j3; rc rpush dead j3

# Requeue by the hash.
moved=$(rc --raw evalsha "$sha" 3 processing pending attempts 10); echo "$moved"

# Count, and write.
rc incrby requeued "$moved"; rc --raw lrange pending 0 -1 >/app/pending; printf '%s\n' "$sha" "$moved" | tee /app/session
