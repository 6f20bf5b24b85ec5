-- The first part of each script: the key, and the time of the server in microseconds.
local KEY = KEYS[1]
local MOST = 4503599627370496 -- 2^52: the sum of two is exact
local MARGIN = 1 -- milliseconds by which a key outlives what it counts

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

