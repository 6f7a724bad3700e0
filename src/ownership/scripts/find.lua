-- The incarnations that own channels under a live lease.
-- KEYS[1]  hash of channel -> incarnation
-- ARGV[1]  prefix of lease keys   ARGV[2…]  channels
-- Result   for each channel its incarnation, or '' when nobody owns it
local owners = typed(KEYS[1], 'hash')
local result = {}
for i = 2, #ARGV do
  local owner = redis.call('HGET', owners, ARGV[i])
  result[#result + 1] = owner and isName(owner) and redis.call('EXISTS', ARGV[1] .. owner) == 1 and owner or ''
end
return result
