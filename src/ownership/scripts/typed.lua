-- Prepended to every script. Deletes a key of an unexpected type: nobody in the cluster wrote it, and it would fail every call for ever.
local function typed(key, kind)
  local is = redis.call('TYPE', key).ok
  if is ~= kind and is ~= 'none' then
    redis.call('DEL', key)
  end
  return key
end

-- An incarnation has a hundred characters at most. A longer one would go to every node that asks who owns the channel. [faults: 207]
local function isName(incarnation)
  return #incarnation <= 256
end
