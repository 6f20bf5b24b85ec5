-- A log whose members are the times. ARGV: now, window, limit. Reply: 1 = granted.
redis.call('zremrangebyscore', KEYS[1], 0, ARGV[1] - ARGV[2])
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then
    return 0
end
redis.call('zadd', KEYS[1], ARGV[1], ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[2])
return 1
