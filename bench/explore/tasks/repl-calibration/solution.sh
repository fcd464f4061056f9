#!/bin/bash

# A console, and the model in it.
. /app/console.sh; console_open; losses=(); ask 'from model import Model'; ask 'm = Model(7); m.load("/app/readings.csv")'

# Three rounds.
losses+=("$(ask 'm.fit(3)')"); echo "${losses[0]}"

# A tenth of the rate.
ask 'm.rate /= 10; m.rate'

# Two more.
losses+=("$(ask 'm.fit(2)')"); echo "${losses[1]}"

# Save.
ask 'm.save("/app/weights.json")'; printf '%s\n' "${losses[@]}" | tee /app/losses
