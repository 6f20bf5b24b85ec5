-- A sliding window counted in blocks: a hash of permits by the number of their block, and of the state at '#'. One block more
-- than the period has counts, because the oldest lies across the start of the window. Refused requests write nothing.
-- Arguments: leak and cost of the limit in each period, limit, length of a block, blocks.
local leak, cost, limit, length, blocks = ARG[4], ARG[5], ARG[6], ARG[7], ARG[8]

local value = redis.pcall('HGET', KEY, '#')
local s
if type(value) == 'table' then
  s = read()
else
  s = ofHash(value)
end
local continues = s and s.rule == 'window' and s.P[4] == length and s.P[5] == blocks
local same = continues and s.P[3] == limit
local d = debtOf(s, leak, cost, limit, same)
if continues and not same and s.N[3] == 0 then
  d.ceiling = 0
end

local time, ahead, used, counts, expired = now, 0, 0, {}, {}
if continues then
  time, ahead, used, counts, expired = s.time, s.ahead, s.used, s.counts, s.expired
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
  return { string.format('%.0f', current), string.format('%.0f', newest[2]) }
end

-- From the oldest block on: what remains counts no shorter than what was granted.
local function refund(n)
  local fields = {}
  while n > 0 and counts[1] do
    local oldest = counts[1]
    local part = math.min(n, oldest[2])
    n, oldest[2] = n - part, oldest[2] - part
    if oldest[2] == 0 then
      expired[#expired + 1] = string.format('%.0f', oldest[1])
      table.remove(counts, 1)
    else
      fields = { string.format('%.0f', oldest[1]), string.format('%.0f', oldest[2]) }
    end
  end
  return fields
end

if op == ACQUIRE and permits > limit then
  return never(room(), limit, reset())
end
local granted = taken(room(), limit, reset())
if granted ~= 0 or s and (not same or now < s.at) then
  local isOld = granted < 0 and op == OVERDRAW and held >= length * blocks
  local fields = granted > 0 and count(granted) or refund(isOld and 0 or -granted)
  used = math.max(0, added(used, isOld and 0 or granted))
  addDebt(d, granted, used, limit)
  if not continues then
    clear(s)
  end
  local state = printed('window', { leak, cost, limit, length, blocks }, { now, d.units, d.ceiling, ahead, 0 })
  redis.call('HSET', KEY, '#', state, unpack(fields))
  if #expired > 0 then
    redis.call('HDEL', KEY, unpack(expired))
  end
  redis.call('PEXPIRE', KEY, ttl(reset()))
  heal()
end
if isOver(limit) then
  return reply(granted, room(), limit, reset(), reset())
end
return reply(granted, room(), limit, reset(), math.max(blocksWait(wanted()), debtWait(d, wanted())))
