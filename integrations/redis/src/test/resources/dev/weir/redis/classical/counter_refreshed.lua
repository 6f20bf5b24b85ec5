-- Each request starts the time to live again. ARGV: window in milliseconds. Reply: the count.
local current = redis.call('incr', KEYS[1])
redis.call('pexpire', KEYS[1], ARGV[1])
return current
