#!/bin/bash

# First the table of versions.
sqlite3 /app/shop.db </app/migrations/1_versions.sql

# Merge the customers that are there twice.
sqlite3 /app/shop.db </app/migrations/2_merge_customers.sql; sqlite3 /app/shop.db 'select count(*) from customers'

# Now the index can be made.
sqlite3 /app/shop.db </app/migrations/3_unique_email.sql

# Prices as cents.
sqlite3 /app/shop.db </app/migrations/4_cents.sql; sqlite3 /app/shop.db 'select price from orders where id = 1'

# The report.
sqlite3 /app/shop.db 'select o.id, c.name, cast(o.price as integer) from orders o join customers c on c.id = o.customer order by o.id' | tee /app/report
