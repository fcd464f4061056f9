# The database server of this task, on a socket in /app/pgrun; the variables for its clients stay set.
pg_up() {
  export PGHOST=/app/pgrun PGUSER=postgres PGDATABASE=postgres
  runuser -u postgres -- /usr/lib/postgresql/15/bin/pg_ctl -w -D /app/pg/data -l /app/pg/log \
    -o "-k /app/pgrun -F -c listen_addresses=''" start >/dev/null 2>&1
}
