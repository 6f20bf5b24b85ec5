-- ARGV: the entry, its version, the value, the time to live in milliseconds, the channel.
-- Replies with 0 if it has another version.
local old = redis.call('HGET', KEYS[2], ARGV[1])
local version = old and tonumber(string.match(old, '^(%d+) ')) or 0
if version ~= tonumber(ARGV[2]) then
  return 0
end
local next = string.format('%.0f', math.max(version + 1, now))
redis.call('HSET', KEYS[2], ARGV[1], next .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 1
