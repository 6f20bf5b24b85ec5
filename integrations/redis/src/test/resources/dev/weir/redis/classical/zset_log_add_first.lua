-- A log that adds each request before it counts them. ARGV: now, window, limit, a unique member. Reply: 1 = granted.
redis.call('zremrangebyscore', KEYS[1], 0, ARGV[1] - ARGV[2])
redis.call('zadd', KEYS[1], ARGV[1], ARGV[4])
redis.call('pexpire', KEYS[1], ARGV[2])
if redis.call('zcard', KEYS[1]) > tonumber(ARGV[3]) then
    return 0
end
return 1
