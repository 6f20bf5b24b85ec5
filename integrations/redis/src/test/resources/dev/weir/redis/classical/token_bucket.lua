-- The token bucket of gateways: two keys, the client's time in seconds. The time to live is guarded, so there may be none.
-- ARGV: rate, capacity, now, requested. Reply: granted, tokens.
local rate, capacity, now, requested = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local ttl = math.floor(capacity / rate * 2)
local last_tokens = tonumber(redis.call('get', KEYS[1])) or capacity
local last_refreshed = tonumber(redis.call('get', KEYS[2])) or 0
local delta = math.max(0, now - last_refreshed)
local tokens = math.min(capacity, last_tokens + delta * rate)
local granted = 0
if tokens >= requested then
    tokens = tokens - requested
    granted = 1
end
if ttl > 0 then
    redis.call('setex', KEYS[1], ttl, tokens)
    redis.call('setex', KEYS[2], ttl, now)
end
return {granted, tokens}
