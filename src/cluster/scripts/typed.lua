-- Stands before every script. A key of another type than it should have is none of ours: it would fail every call for ever.
local function typed(key, kind)
  local is = redis.call('TYPE', key).ok
  if is ~= kind and is ~= 'none' then
    redis.call('DEL', key)
  end
  return key
end

