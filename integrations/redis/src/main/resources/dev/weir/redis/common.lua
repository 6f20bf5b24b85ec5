local ACQUIRE, ACQUIRE_UP_TO = 0, 1
local KEY = KEYS[1]

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

local ARG = {}
for i = 1, #ARGV do
  if not string.find(ARGV[i], '^-?%d+$') then
    error('argument ' .. i .. ' must be an integer')
  end
  ARG[i] = tonumber(ARGV[i])
end
