-- A node that stops takes itself off the list, unless it still has channels: then it stays listed, is found dead as soon as its
-- lease is gone, and the others take them.
-- KEYS[1]  hash of incarnation -> member   KEYS[2]  owned set of the incarnation
-- ARGV[1]  incarnation
-- Result   1 when it is off the list, else 0
if redis.call('SCARD', typed(KEYS[2], 'set')) > 0 then
  return 0
end
return redis.call('HDEL', typed(KEYS[1], 'hash'), ARGV[1])
