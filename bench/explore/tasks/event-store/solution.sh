#!/bin/bash

# Start and connect.
. /app/store.sh; store_up; connect ops

# Begin, and the first event.
say begin; say append order:1

# The others.
say append paid:1; say append order:2

# Commit.
say commit

# The last one, and a snapshot.
say append shipped:1; say snapshot

# The second transaction stays open.
say begin; say append paid:2
