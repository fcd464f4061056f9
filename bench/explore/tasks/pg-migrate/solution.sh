#!/bin/bash

# Bring it up.
. /app/pg.sh && pg_up && psql -X -q -f /app/seed.sql && psql -X -qAtc 'select pg_postmaster_start_time()' >/app/started; psql -X -qAtc 'select count(*) from orders'

# The first migration.
psql -X -q -f /app/m1.sql; psql -X -qAtc 'select sum(cents) from orders'

# The shelf.
order=$(psql -X -qAtc "insert into orders (item, cents) values ('shelf', 4200) returning id"); echo "order $order"

# The second migration, in its schema.
export PGOPTIONS='-c search_path=v2,public'; psql -X -q -f /app/m2.sql; psql -X -qAtc 'select orders from totals'

# Write it all down.
psql -X -qAtc 'select id, item, cents from orders order by id' >/app/orders; echo "$order $PGOPTIONS" >/app/session; cat /app/orders /app/session
