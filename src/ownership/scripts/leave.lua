-- Removes a stopping node from the members, unless it still has channels: then it stays listed, is found dead when its
-- lease is gone, and the others take its channels.
-- KEYS[1]  hash of incarnation -> member   KEYS[2]  owned set of the incarnation
-- ARGV[1]  incarnation
-- Result   1 when it was removed, else 0
if redis.call('SCARD', typed(KEYS[2], 'set')) > 0 then
  return 0
end
return redis.call('HDEL', typed(KEYS[1], 'hash'), ARGV[1])
