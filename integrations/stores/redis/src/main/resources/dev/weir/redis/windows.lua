-- A sliding window counted in blocks. One block more than the period has counts, because the oldest lies across the start of the
-- window. Refused requests write nothing. Parameters: leak and cost of the limit in each period, limit, length of a block, blocks.
local function window()
  local leak, cost, limit, length, blocks = P[1], P[2], P[3], P[4], P[5]
  local s = read()
  local continues = s and s.rule == WINDOW and s.P[4] == length and s.P[5] == blocks
  local same = continues and s.P[3] == limit
  local d = debtOf(s, leak, cost, limit, same)
  if continues and not same and s.N[3] == 0 then
    d.ceiling = 0
  end

  local time, ahead, used, counts = now, 0, 0, {}
  if continues then
    time, ahead, used, counts = s.time, s.ahead, s.used, s.counts
  end
  local current = math.floor(time / length)

  local function freeAt(block)
    return (block + blocks + 1) * length - time
  end

  local function room()
    return math.min(math.max(0, limit - used), debtRoom(d))
  end

  local function reset()
    local newest = counts[#counts]
    return math.max(newest and freeAt(newest[1]) or 0, d.ceiling > 0 and ceil(d.units, leak) or 0)
  end

  -- Microseconds until the blocks leave room for n permits.
  local function blocksWait(n)
    local left, wait = used, 0
    for _, block in ipairs(counts) do
      if left + n <= limit then
        break
      end
      left, wait = left - block[2], freeAt(block[1])
    end
    return wait
  end

  local function count(n)
    local newest = counts[#counts]
    if not newest or newest[1] ~= current then
      newest = { current, 0 }
      counts[#counts + 1] = newest
    end
    newest[2] = added(newest[2], n)
  end

  -- From the oldest block on: what remains counts no shorter than what was granted.
  local function refund(n)
    while n > 0 and counts[1] do
      local oldest = counts[1]
      local part = math.min(n, oldest[2])
      n, oldest[2] = n - part, oldest[2] - part
      if oldest[2] == 0 then
        table.remove(counts, 1)
      end
    end
  end

  if op == ACQUIRE and permits > limit then
    return never(room(), limit, reset())
  end
  local granted = taken(room(), limit, reset())
  if granted ~= 0 or s and (not same or now < s.at) then
    local isOld = granted < 0 and op == OVERDRAW and held >= length * blocks
    if granted > 0 then
      count(granted)
    else
      refund(isOld and 0 or -granted)
    end
    used = math.max(0, added(used, isOld and 0 or granted))
    addDebt(d, granted, used, limit)
    local numbers = { now, d.units, d.ceiling, ahead, 0 }
    for _, block in ipairs(counts) do
      numbers[#numbers + 1] = block[1]
      numbers[#numbers + 1] = block[2]
    end
    store(numbers, reset())
  end
  if isOver(limit) then
    return reply(granted, room(), limit, reset(), reset())
  end
  return reply(granted, room(), limit, reset(), math.max(blocksWait(wanted()), debtWait(d, wanted())))
end

