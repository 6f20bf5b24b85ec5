-- A sliding log: a sorted set of grants by time, of which each has the number of permits granted up to it, so that no member
-- comes twice and sums need no loop. The member at -1 is the state; its last number is the total up to which permits were
-- refunded. Each change removes a part of what is too old. Arguments: leak and cost of the limit in each period, limit, period.
local leak, cost, limit, period = ARG[4], ARG[5], ARG[6], ARG[7]
local REMOVED, SPARE = 64, 8

local value = redis.pcall('ZRANGE', KEY, 0, 0)
local s
if value['err'] then
  s = read()
else
  s = ofSet(value[1])
end
local continues = s and s.rule == 'log' and s.P[4] == period and (not s.last or s.last.total < MOST / 2)
local same = continues and s.P[3] == limit
local d = debtOf(s, leak, cost, limit, same)
if continues and not same and s.N[3] == 0 then
  d.ceiling = 0
end

local time, ahead, used, last, base = now, 0, 0, nil, 0
if continues then
  time, ahead, used, last, base = s.time, s.ahead, s.used, s.last, s.N[5]
end
local total = last and last.total or base

local function room()
  return math.min(math.max(0, limit - used), debtRoom(d))
end

local function reset()
  local counting = used > 0 and last.time + period - time or 0
  return math.max(counting, d.ceiling > 0 and ceil(d.units, leak) or 0)
end

-- Microseconds until the log leaves room for n permits: a binary search of the entry that must be too old first.
local function logWait(n)
  if used + n <= limit then
    return 0
  end
  local needed = total - limit + n
  local from, to = 1, redis.call('ZCARD', KEY) - 1
  while from < to do
    local middle = math.floor((from + to) / 2)
    if entry(redis.call('ZRANGE', KEY, middle, middle, 'WITHSCORES')).total >= needed then
      to = middle
    else
      from = middle + 1
    end
  end
  return entry(redis.call('ZRANGE', KEY, from, from, 'WITHSCORES')).time + period - time
end

if op == ACQUIRE and permits > limit then
  return never(room(), limit, reset())
end
local granted = math.min(taken(room(), limit, reset()), 2 ^ 31)
if granted ~= 0 or s and (not same or now < s.at) then
  if not continues then
    clear(s)
  end
  if granted > 0 then
    local own, merged = granted, nil
    if last and redis.call('ZCARD', KEY) > limit + SPARE then
      own, merged = own + last.own, last.member
    end
    total, used = total + granted, used + granted
    last = { time = time, total = total, own = own, member = string.format('%016.0f:%.0f', total, own) }
    redis.call('ZADD', KEY, string.format('%.0f', time), last.member)
    if merged then
      redis.call('ZREM', KEY, merged)
    end
  elseif granted < 0 and (op ~= OVERDRAW or held < period) then
    base = total - used + math.min(used, -granted)
    used = math.max(0, used + granted)
  end
  addDebt(d, granted, used, limit)
  local state = printed('log', { leak, cost, limit, period }, { now, d.units, d.ceiling, ahead, base })
  redis.call('ZREMRANGEBYSCORE', KEY, -1, -1)
  redis.call('ZADD', KEY, -1, state)
  local old = redis.call('ZRANGEBYSCORE', KEY, 0, string.format('%.0f', time - period), 'LIMIT', 0, REMOVED)
  if #old > 0 then
    redis.call('ZREM', KEY, unpack(old))
  end
  redis.call('PEXPIRE', KEY, ttl(reset()))
  heal()
end
if isOver(limit) then
  return reply(granted, room(), limit, reset(), reset())
end
return reply(granted, room(), limit, reset(), math.max(logWait(wanted()), debtWait(d, wanted())))
