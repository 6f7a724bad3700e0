-- Prepended to every script. Deletes a key of an unexpected type: nobody in the cluster wrote it, and it would fail every call for ever.
local function typed(key, kind)
  local is = redis.call('TYPE', key).ok
  if is ~= kind and is ~= 'none' then
    redis.call('DEL', key)
  end
  return key
end
