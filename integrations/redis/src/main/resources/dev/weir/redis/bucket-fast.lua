-- The second part of the script of a bucket, before any function is made: requests for permits of one rate that is not paced,
-- under a key which is absent or has a state of the same rate without a debt. All else is left to the parts after it.
if #ARGV == 9 and ARGV[8] == '0' and (ARGV[1] == '0' or ARGV[1] == '1') then
  local value, same = redis.pcall('GET', KEY), nil
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
  local permits = string.find(ARGV[2], '^%d+$') and tonumber(ARGV[2])
  if missing and permits and permits > 0 and permits <= tonumber(ARGV[7]) then
    local free = cap - missing
    local room = free > 0 and math.floor(free / cost) or 0
    local granted, wanted = permits, permits
    if ARGV[1] == '1' then
      granted, wanted = math.min(permits, room), 1
    elseif permits > room then
      granted = 0
    end
    local wait, reset = 0, 0
    if granted > 0 then
      missing, room = missing + granted * cost, room - granted
      reset = math.ceil(missing / leak)
      local text = string.format('%.0f', missing)
      redis.call(
        'SET',
        KEY,
        prefix .. string.format('%.0f', now) .. ',' .. text .. ',0,' .. text,
        'PX',
        string.format('%.0f', math.floor(reset / 1000) + MARGIN)
      )
    else
      wait, reset = math.ceil((missing + wanted * cost - cap) / leak), math.ceil(missing / leak)
    end
    return { granted, room, tonumber(ARGV[9]), reset, wait, now }
  end
end

