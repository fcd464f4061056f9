#!/bin/bash

# Server, seed, console.
. /app/pg.sh && pg_up && psql -X -q -f /app/seed.sql; . /app/console.sh; console_open; ask 'select count(*) from jobs;'

# Begin, and pick.
ask "begin; create temp table pick as select id, gen_random_uuid() as tag from jobs where state = 'ready' order by id limit 3;"; ask 'select * from pick;'

# Lease them.
ask "update jobs set state = 'leased', tag = pick.tag from pick where pick.id = jobs.id;"; ask "select count(*) from jobs where state = 'leased';"

# From another connection.
psql -X -qc "update jobs set state = 'paused' where id = 9"; seen=$(psql -X -qAtc "select count(*) from jobs where state = 'ready'"); echo "seen $seen"

# Commit, and write.
ask 'commit;'; ask 'select id, tag from pick order by id;' >/app/leases; echo "$seen" >/app/seen; wc -l </app/leases
