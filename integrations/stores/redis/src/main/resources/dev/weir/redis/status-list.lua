-- The statuses that are not too old. KEYS: the hash.
local now = tonumber(redis.call('TIME')[1])
local all = redis.call('HGETALL', KEYS[1])
local live = {}
for i = 1, #all, 2 do
  local till, status = string.match(all[i + 1], '^(%d+) (.*)$')
  if till and tonumber(till) >= now then
    live[#live + 1] = status
  else
    redis.call('HDEL', KEYS[1], all[i])
  end
end
return live
