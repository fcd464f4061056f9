#!/bin/bash

# Open the window.
. /app/maint.sh; begin db-42; pwd

# The limit, and a savepoint.
sed -i s/limit=100/limit=200/ limits.conf; kill -USR1 $$; echo "savepoint $saves"

# The role, and the second savepoint.
echo reader >>roles; kill -USR1 $$; echo "savepoint $saves"

# Write down the traps.
trap -p >../traps; diff -r ../save-1 ../save-2

# Finish.
finish; pwd >after; trap -p | wc -l >>after; cat history after
