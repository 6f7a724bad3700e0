-- Releases those of the channels that this incarnation owns.
-- KEYS[1]  hash of channel -> incarnation   KEYS[2]  owned set of the incarnation
-- ARGV[1]  incarnation   ARGV[2…]  channels
-- Result   for each channel 1 when it was released, else 0
local owners, owned = typed(KEYS[1], 'hash'), typed(KEYS[2], 'set')
local given = {}
for i = 2, #ARGV do
  redis.call('SREM', owned, ARGV[i])
  local isOurs = redis.call('HGET', owners, ARGV[i]) == ARGV[1]
  given[#given + 1] = isOurs and redis.call('HDEL', owners, ARGV[i]) or 0
end
return given
