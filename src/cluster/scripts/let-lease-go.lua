-- Ends a lease if it is still the one that was taken.
-- KEYS[1]  lease key
-- ARGV[1]  value of the lock
-- Result   1 when it was ended, else 0
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
