-- Claims channels for an incarnation under its lease, each unless another incarnation with a live lease has it.
-- KEYS[1]  hash of channel -> incarnation
-- ARGV[1]  claiming incarnation   ARGV[2]  prefix of lease keys   ARGV[3]  prefix of owned sets   ARGV[4…]  channels
-- Result   for each channel the incarnation that owns it now, or '' when the claiming incarnation's own lease is gone
local owners = typed(KEYS[1], 'hash')
local owned = typed(ARGV[3] .. ARGV[1], 'set')
local lives = {}
local function alive(incarnation)
  if lives[incarnation] == nil then
    lives[incarnation] = isName(incarnation) and redis.call('EXISTS', ARGV[2] .. incarnation) == 1
  end
  return lives[incarnation]
end

local function claim(channel)
  local owner = redis.call('HGET', owners, channel)
  if owner and owner ~= ARGV[1] then
    if alive(owner) then
      return owner
    end
    redis.call('SREM', typed(ARGV[3] .. owner, 'set'), channel)
  end
  redis.call('HSET', owners, channel, ARGV[1])
  redis.call('SADD', owned, channel)
  return ARGV[1]
end

local result = {}
for i = 4, #ARGV do
  result[#result + 1] = alive(ARGV[1]) and claim(ARGV[i]) or ''
end
return result
