-- Gives channels up, those that this incarnation has.
-- KEYS[1]  hash of channel -> incarnation   KEYS[2]  owned set of the incarnation
-- ARGV[1]  incarnation   ARGV[2…]  channels
-- Result   for each channel 1 when it was given up, else 0
local given = {}
for i = 2, #ARGV do
  redis.call('SREM', KEYS[2], ARGV[i])
  local isOurs = redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[1]
  given[#given + 1] = isOurs and redis.call('HDEL', KEYS[1], ARGV[i]) or 0
end
return given
