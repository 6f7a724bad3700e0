-- Everyone whose lease lives; forgets members whose lease ended, once their channels are taken over.
-- KEYS[1]  hash of session -> member (JSON)
-- ARGV[1]  prefix of lease keys   ARGV[2]  prefix of owned sets
-- Result   flat list: member, '1' or '0' (alive), …
local result = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local alive = redis.call('EXISTS', ARGV[1] .. all[i])
  if alive == 0 and redis.call('SCARD', ARGV[2] .. all[i]) == 0 then
    redis.call('HDEL', KEYS[1], all[i])
  else
    result[#result + 1] = all[i + 1]
    result[#result + 1] = tostring(alive)
  end
end
return result
