-- All members. A member whose lease ended stays listed for a while, so that every node sees that it is dead and not merely unknown. A lease that lives longer than its node ever sets it (after an operator's PEXPIRE,
-- or without an expiry) is cut to that time: it would keep a dead node's channels for ever. [faults: 17]
-- Entries that no node wrote would cost every node work with every look-up: one that is too long is deleted, and all of them when there
-- are too many. Nodes then announce themselves again. [faults: 204]
-- KEYS[1]  hash of incarnation -> member (JSON)   KEYS[2]  hash of incarnation -> when its lease was first seen ended (ms)
-- ARGV[1]  prefix of lease keys   ARGV[2]  how long the dead stay listed, ms   ARGV[3]  most entries   ARGV[4]  longest entry, bytes
-- Result   flat list: incarnation, member, '1' or '0' (alive), …
local members, deaths = typed(KEYS[1], 'hash'), typed(KEYS[2], 'hash')
local result = {}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function longest(member)
  local ok, fields = pcall(cjson.decode, member)
  return ok and type(fields) == 'table' and tonumber(fields.leaseTtlMs) or nil
end

local function add(incarnation, member, alive)
  result[#result + 1] = incarnation
  result[#result + 1] = member
  result[#result + 1] = alive
end

local function forget(incarnation)
  redis.call('HDEL', members, incarnation)
  redis.call('HDEL', deaths, incarnation)
end

local all = redis.call('HGETALL', members)
if #all > 2 * tonumber(ARGV[3]) then
  redis.call('DEL', members)
  redis.call('DEL', deaths)
  return result
end
for i = 1, #all, 2 do
  local incarnation, member = all[i], all[i + 1]
  local left = redis.call('PTTL', ARGV[1] .. incarnation)
  local died = tonumber(redis.call('HGET', deaths, incarnation) or nil)
  if died and not (died <= now) then
    died = nil
  end
  if #incarnation + #member > tonumber(ARGV[4]) then
    forget(incarnation)
  elseif left ~= -2 then
    if died then
      redis.call('HDEL', deaths, incarnation)
    end
    local most = longest(member)
    if most and (left == -1 or left > most) then
      redis.pcall('PEXPIRE', ARGV[1] .. incarnation, most) -- pcall: `most` may not be an integer, because anybody may have written the member
    end
    add(incarnation, member, '1')
  elseif died and now - died > tonumber(ARGV[2]) then
    forget(incarnation)
  else
    if not died then
      redis.call('HSET', deaths, incarnation, now)
    end
    add(incarnation, member, '0')
  end
end
return result
