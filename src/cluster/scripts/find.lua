-- The incarnations that own channels under a live lease.
-- KEYS[1]  hash of channel -> incarnation
-- ARGV[1]  prefix of lease keys   ARGV[2…]  channels
-- Result   for each channel its incarnation, or '' when nobody owns it
local owners = {}
for i = 2, #ARGV do
  local owner = redis.call('HGET', KEYS[1], ARGV[i])
  owners[#owners + 1] = owner and redis.call('EXISTS', ARGV[1] .. owner) == 1 and owner or ''
end
return owners
