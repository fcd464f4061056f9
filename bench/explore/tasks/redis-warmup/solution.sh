#!/bin/bash

# Start it.
/app/bin/up && redis-cli -p 6390 --raw info server | tr -d '\r' | sed -n 's/^run_id://p' >/app/run_id; redis-cli -p 6390 --raw dbsize

# More memory for the running server.
redis-cli -p 6390 config set maxmemory 64mb

# Products.
/app/bin/warm products

# Prices.
/app/bin/warm prices

# Make it permanent.
redis-cli -p 6390 config rewrite; redis-cli -p 6390 --raw get generation | tee /app/generation
