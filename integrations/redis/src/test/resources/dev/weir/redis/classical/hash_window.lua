-- The sliding window of blocks in a hash, as published. True = refused.
-- KEYS[1] map key
-- ARGV[1] current time
-- ARGV[2] duration
-- ARGV[3] limitation
-- ARGV[4] precision
-- ARGV[5] permits

local function clear(i1, i2, key, count_key, dele)
    local sum = 0
    for id = i1, i2 do
        local bkey = count_key .. ":" .. id;
        local bcount = redis.call('HGET', key, bkey)
        if bcount then
            sum = sum + tonumber(bcount)
            table.insert(dele, bkey)
        end
    end
    return sum
end

local count_key = "cnt"
local ts_key = "ts"

local key = KEYS[1]
local now = tonumber(ARGV[1])
local duration = tonumber(ARGV[2])
local limit = tonumber(ARGV[3])
local precision = tonumber(ARGV[4])
local permits = tonumber(ARGV[5])

local blocks = math.ceil(duration / precision)
local block_id = math.floor(now / precision) % blocks
local last_ts = redis.call('HGET', key, ts_key)
last_ts = last_ts and tonumber(last_ts) or 0

if last_ts ~= 0 then
    local decr = 0;
    local dele = {}
    local last_id = math.floor(last_ts / precision) % blocks
    local elapsed = now - last_ts;

    if elapsed >= duration then
        -- clear all
        clear(0, blocks - 1, key, count_key, dele)
        if permits > 0 then
            redis.call('HSET', key, ts_key, now)
            redis.call('HINCRBY', key, count_key, permits)
            redis.call('HINCRBY', key, count_key .. ":" .. block_id, permits)
            redis.call('PEXPIRE', key, duration)
        end
        return false
    elseif block_id > last_id then
        decr = decr + clear(last_id + 1, block_id, key, count_key, dele)
    elseif block_id < last_id then
        decr = decr + clear(0, block_id, key, count_key, dele)
        decr = decr + clear(last_id + 1, blocks - 1, key, count_key, dele)
    end

    local cur
    if #dele > 0 then
        redis.call('HDEL', key, unpack(dele))
        cur = redis.call('HINCRBY', key, count_key, -decr)
    else
        cur = redis.call('HGET', key, count_key)
    end

    if tonumber(cur or '0') + permits > limit then
        return true
    end
end

if permits > 0 then
    redis.call('HSET', key, ts_key, now)
    redis.call('HINCRBY', key, count_key, permits)
    redis.call('HINCRBY', key, count_key .. ":" .. block_id, permits)
    redis.call('PEXPIRE', key, duration)
end
return false
