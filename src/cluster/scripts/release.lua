-- Gives a channel up, if this incarnation has it.
-- KEYS[1]  hash of channel -> incarnation   KEYS[2]  owned set of the incarnation
-- ARGV[1]  channel   ARGV[2]  incarnation
-- Result   1 when it was given up, else 0
redis.call('SREM', KEYS[2], ARGV[1])
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  return redis.call('HDEL', KEYS[1], ARGV[1])
end
return 0
