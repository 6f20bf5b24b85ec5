-- The second part of the script of a bucket, before any function is made: one rate that is not paced, under a key
-- which is absent or has a state of the same rate without a debt. All else is left to the parts after it.
if #ARGV == 9 and ARGV[8] == '0' and (ARGV[1] == '0' or ARGV[1] == '1' or ARGV[1] == '2') then
  local value = redis.pcall('GET', KEY)
  local leak, cost, cap = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  local prefix = 'weir1 even ' .. ARGV[4] .. ',' .. ARGV[5] .. ',' .. ARGV[6] .. ',' .. ARGV[7] .. ',0 '
  local missing
  if not value and ARGV[3] == '0' then
    missing = 0
  elseif value and type(value) == 'string' and string.sub(value, 1, #prefix) == prefix then
    local at, units, own = string.match(value, '^(%d+),(%d+),0,(%d+)$', #prefix + 1)
    at, own = tonumber(at), tonumber(own)
    if at and units + 0 == own and own <= MOST and now >= at then
      missing = own - (now - at) * leak
      missing = missing > 0 and missing or 0
    end
  end
  local permits, largest = string.find(ARGV[2], '^-?%d+$') and tonumber(ARGV[2]), tonumber(ARGV[7])
  local charges = ARGV[1] == '2'
  if missing and permits and permits <= largest and (permits > 0 or charges and permits >= -largest and permits < 0) then
    local free = cap - missing
    local room = free > 0 and math.floor(free / cost) or 0
    local granted, wanted = permits, 1
    if ARGV[1] == '1' then
      granted = math.min(permits, room)
    elseif not charges then
      granted, wanted = permits <= room and permits or 0, permits
    end
    if granted ~= 0 then
      missing = math.max(0, math.min(MOST, missing + granted * cost))
      room = math.max(0, math.floor((cap - missing) / cost))
    end
    local reset = math.ceil(missing / leak)
    if granted ~= 0 then
      local text = string.format('%.0f', missing)
      redis.call(
        'SET',
        KEY,
        prefix .. string.format('%.0f', now) .. ',' .. text .. ',0,' .. text,
        'PX',
        string.format('%.0f', math.floor(reset / 1000) + MARGIN)
      )
    end
    local wait = 0
    if granted <= 0 or charges then
      wait = math.max(0, math.ceil((missing + wanted * cost - cap) / leak))
    end
    return { math.max(0, granted), room, tonumber(ARGV[9]), reset, wait, now }
  end
end

