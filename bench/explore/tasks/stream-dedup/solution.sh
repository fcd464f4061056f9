#!/bin/bash

# Open the stream.
cd /app/in && . /app/stream.sh && stream_open

# Monday.
feed monday

# Tuesday and wednesday.
feed tuesday wednesday

# Thursday.
feed thursday

# Close, and keep the statistics.
stream_close; echo "$stats" >/app/out/stats
