-- Writes the status of an instance, which is removed 15 seconds later by the time of the server. KEYS: the hash. ARGV: the instance, its
-- status, a random number. Looks at a few other fields, from a random place on, and removes those that are too old.
local now = tonumber(redis.call('TIME')[1])
redis.call('HSET', KEYS[1], ARGV[1], (now + 15) .. ' ' .. ARGV[2])
redis.call('EXPIRE', KEYS[1], 15)
local some = redis.call('HSCAN', KEYS[1], ARGV[3], 'COUNT', 10)[2]
for i = 1, #some, 2 do
  local till = string.match(some[i + 1], '^(%d+) ')
  if not till or tonumber(till) < now then
    redis.call('HDEL', KEYS[1], some[i])
  end
end
return 1
