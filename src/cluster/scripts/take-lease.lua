-- Takes a node's lease whatever stands there: the key is named after this run's random incarnation, so what stands there is an
-- earlier, unanswered take of our own. Run by redlock.
-- KEYS     lease keys
-- ARGV[1]  value of the lock   ARGV[2]  life, ms
-- Result   number of keys
for _, key in ipairs(KEYS) do
  redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
end
return #KEYS
