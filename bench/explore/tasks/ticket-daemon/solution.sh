#!/bin/bash

# Start it.
/app/bin/up && cp /app/run/boot /app/boot && /app/bin/ticket list

# Two tickets.
/app/bin/ticket take printer; /app/bin/ticket take scanner

# The printer's is done.
/app/bin/ticket close 1

# The plotter's, and the scanner is urgent.
/app/bin/ticket take plotter; /app/bin/ticket raise 2; /app/bin/ticket list

# Write the list.
/app/bin/ticket list >/app/tickets; cat /app/tickets
