-- The incarnation that owns a channel under a live lease.
-- KEYS[1]  hash of channel -> incarnation
-- ARGV[1]  channel   ARGV[2]  prefix of lease keys
-- Result   incarnation, or '' when nobody does
local owner = redis.call('HGET', KEYS[1], ARGV[1])
if owner and redis.call('EXISTS', ARGV[2] .. owner) == 1 then
  return owner
end
return ''
