-- ARGV: the instance, its token, the channel.
local own = redis.call('HGET', KEYS[1], ARGV[1])
if own and string.match(own, ' (.*)$') == ARGV[2] then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('PUBLISH', ARGV[3], '')
end
return 1
