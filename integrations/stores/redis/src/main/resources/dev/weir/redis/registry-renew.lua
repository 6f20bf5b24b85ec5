-- ARGV: the instance, its token, the lease in microseconds, the time to live in milliseconds, the channel.
-- Replies with 0 if another instance has the id.
local told = false
local members = redis.call('HGETALL', KEYS[1])
for i = 1, #members, 2 do
  local till = tonumber(string.match(members[i + 1], '^%d+'))
  if not till or till <= now then
    redis.call('HDEL', KEYS[1], members[i])
    told = true
  elseif members[i] == ARGV[1] and string.match(members[i + 1], ' (.*)$') ~= ARGV[2] then
    return 0
  end
end
local till = string.format('%.0f', now + ARGV[3])
local added = redis.call('HSET', KEYS[1], ARGV[1], till .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
if told or added == 1 then
  redis.call('PUBLISH', ARGV[5], '')
end
return 1
