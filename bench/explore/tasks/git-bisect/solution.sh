#!/bin/bash

# From the good release to the bad head.
git -C /app/repo bisect start && git -C /app/repo bisect bad main && git -C /app/repo bisect good v1.0

# This revision is right.
/app/check; git -C /app/repo bisect good

# This one is wrong.
/app/check; git -C /app/repo bisect bad

# Wrong again.
/app/check; git -C /app/repo bisect bad

# Right; now git can tell.
/app/check; git -C /app/repo bisect good | head -n 1

# Write down the culprit, and revert it on main.
git -C /app/repo bisect log >/app/bisect.log; git -C /app/repo rev-parse refs/bisect/bad >/app/culprit
git -C /app/repo bisect reset >/dev/null 2>&1; git -C /app/repo revert --no-edit "$(cat /app/culprit)" >/dev/null && /app/check
