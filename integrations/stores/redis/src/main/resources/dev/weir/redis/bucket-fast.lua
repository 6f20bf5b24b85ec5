-- The second part of the script of a bucket, before any function is made: one rate that is not paced, under a key
-- which is absent or has a state of the same rate without a debt. All else is left to the parts after it.
local value = redis.pcall('GET', KEY)
local rule, prefix = ARGV[4], 'weir1 even ' .. ARGV[4] .. ' '
local missing, leak, cost, cap, largest, limit
if not value then
  if ARGV[3] == '0' then
    leak, cost, cap, largest, limit = string.match(rule, '^(%d+),(%d+),(%d+),(%d+),0,(%d+)$')
    missing = leak and 0
  end
elseif type(value) == 'string' and string.sub(value, 1, #prefix) == prefix then
  local at, own
  leak, cost, cap, largest, limit, at, own =
    string.match(value, '^weir1 even (%d+),(%d+),(%d+),(%d+),0,(%d+) (%d+),(%d+)$')
  if leak and own + 0 <= MOST and now - at >= 0 then
    missing = math.max(0, own - (now - at) * leak)
  end
end
local permits = string.find(ARGV[2], '^-?%d+$') and tonumber(ARGV[2])
if missing and permits and permits ~= 0 and permits <= largest + 0 and -permits <= largest + 0 then
  local room = math.max(0, math.floor((cap - missing) / cost))
  local granted, wanted
  if ARGV[1] == '0' and permits > 0 then
    granted, wanted = permits <= room and permits or 0, permits
  elseif ARGV[1] == '1' and permits > 0 then
    granted, wanted = math.min(permits, room), 1
  elseif ARGV[1] == '2' then
    granted, wanted = permits, 1
  end
  if granted then
    if granted ~= 0 then
      missing = math.max(0, math.min(MOST, missing + granted * cost))
      room = math.max(0, math.floor((cap - missing) / cost))
    end
    local reset = math.ceil(missing / leak)
    if granted ~= 0 then
      local state = string.format('%s%.0f,%.0f', prefix, now, missing)
      redis.call('SET', KEY, state, 'PX', string.format('%.0f', math.floor(reset / 1000) + MARGIN))
    end
    local wait = 0
    if granted < permits or ARGV[1] == '2' then
      wait = math.max(0, math.ceil((missing + wanted * cost - cap) / leak))
    end
    return { math.max(0, granted), room, limit + 0, reset, wait, now, 0 }
  end
end

