-- Moves up to ARGV[1] jobs from KEYS[1] to the front of KEYS[2] and counts the attempt in KEYS[3].
local moved = 0
while moved < tonumber(ARGV[1]) do
  local job = redis.call('rpop', KEYS[1])
  if not job then break end
  redis.call('lpush', KEYS[2], job)
  redis.call('hincrby', KEYS[3], job, 1)
  moved = moved + 1
end
return moved
