-- Claims a channel for a node incarnation under that incarnation's lease, unless another incarnation with a live lease has it.
-- KEYS[1]  hash of channel -> incarnation
-- ARGV[1]  channel   ARGV[2]  claiming incarnation   ARGV[3]  prefix of lease keys   ARGV[4]  prefix of owned sets
-- Result   the incarnation that owns the channel now, or '' when the claiming incarnation's own lease is gone
if redis.call('EXISTS', ARGV[3] .. ARGV[2]) == 0 then
  return ''
end
local owner = redis.call('HGET', KEYS[1], ARGV[1])
if owner and owner ~= ARGV[2] then
  if redis.call('EXISTS', ARGV[3] .. owner) == 1 then
    return owner
  end
  redis.call('SREM', ARGV[4] .. owner, ARGV[1])
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SADD', ARGV[4] .. ARGV[2], ARGV[1])
return ARGV[2]
