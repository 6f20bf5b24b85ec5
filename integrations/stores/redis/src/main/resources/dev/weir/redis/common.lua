-- Arguments: operation, permits, since, and those of the rule in a list; of a refund by OVERDRAW, also when the permits
-- were granted. All are integers.
--
-- A state is 'weir1 RULE PARAMETERS NUMBERS'. The first parameters of each rule are its rate: `leak` units a microsecond are
-- free again, and a permit is `cost` units, so no time is rounded. The first number is the time of the last change.
--
-- A state of other parameters or of another rule is converted: what is still used, in permits, becomes a debt beside a fresh
-- state. While the debt lasts, it must not exceed its `ceiling`. A debt is not cut, so specifications can alternate. A single
-- even rate without a debt has only the time and what is missing.

local ACQUIRE, ACQUIRE_UP_TO, ACQUIRE_ONCE, OVERDRAW = 0, 1, 3, 4

local ARG = {}
for number in string.gmatch(table.concat(ARGV, ',') .. ',', '([^,]*),') do
  if not string.find(number, '^-?%d+$') then
    error('argument ' .. #ARG + 1 .. ' must be an integer')
  end
  ARG[#ARG + 1] = tonumber(number)
end
local op, since, held = ARG[1], ARG[3], math.max(0, now - ARG[#ARG])
local permits = math.max(-MOST, math.min(MOST, ARG[2]))
if permits < 0 and (op <= ACQUIRE_UP_TO or op == ACQUIRE_ONCE) then
  error('permits must be >= 0')
end

local function text(numbers)
  for i = 1, #numbers do
    numbers[i] = string.format('%.0f', numbers[i])
  end
  return table.concat(numbers, ',')
end

local function integers(list)
  local numbers = {}
  for digits in string.gmatch(list, '%d+') do
    local number = tonumber(digits)
    if number > MOST then
      return {}
    end
    numbers[#numbers + 1] = number
  end
  return numbers
end

-- How many parameters and numbers a state has. Those of 'even' are for each of its rates.
local SHAPES = { even = { 6, 3 }, ban = { 5, 5 }, fixed = { 5, 5 }, window = { 5, 5 }, log = { 4, 5 } }

-- nil if it is not a state
local function parsed(value)
  local rule, parameters, numbers = string.match(value, '^weir1 (%l+) ([%d,]+) ([%d,]+)$')
  local shape = SHAPES[rule]
  if not shape then
    return nil
  end
  local s = { rule = rule, parameters = parameters, P = integers(parameters), N = integers(numbers) }
  local rates = rule == 'even' and #s.P / 6 or 1
  if rates < 1 or #s.P ~= shape[1] * rates then
    return nil
  end
  if rule == 'even' and rates == 1 and #s.N == 2 then
    s.N = { s.N[1], s.N[2], 0, s.N[2] }
  end
  if #s.N ~= (rule == 'even' and 1 + 3 * rates or shape[2]) then
    return nil
  end
  for i = 1, rates * shape[1], shape[1] do
    if s.P[i] < 1 or s.P[i + 1] < 1 then
      return nil
    end
  end
  s.at = s.N[1]
  s.elapsed = math.max(0, now - s.at)
  return s
end

local function printed(rule, parameters, numbers)
  return 'weir1 ' .. rule .. ' ' .. text(parameters) .. ' ' .. text(numbers)
end

-- units after this time
local function drained(units, leak, micros)
  return math.max(0, units - micros * leak)
end

local function ceil(units, leak)
  return math.max(0, math.ceil(units / leak))
end

local function added(units, more)
  return math.max(0, math.min(MOST, units + more))
end

-- The time of a window or log never goes back: it is ahead of the server's by N[4] since the last step back.
local function steady(s, last)
  local own = math.max(now + s.N[4], last)
  s.ahead = own - now
  return own
end

-- Whether something is there that no script has written, and 1 once this call has replaced it.
local junk, healed = false, 0

local function heal()
  healed = junk and 1 or 0
end

-- Reads the blocks that count.
local function blocksOf(s)
  s.time = steady(s, s.at + s.N[4])
  local oldest = math.floor(s.time / math.max(1, s.P[4])) - s.P[5]
  s.used, s.counts, s.expired = 0, {}, {}
  local all = redis.call('HGETALL', KEY)
  for i = 1, #all, 2 do
    local block, count = tonumber(all[i]), tonumber(all[i + 1])
    if all[i] ~= '#' then
      if block and count and block >= oldest and count >= 0 and count <= MOST then
        s.counts[#s.counts + 1] = { block, count }
        s.used = s.used + count
      elseif #s.expired < 256 then
        junk = junk or not block or not count or count < 0 or count > MOST
        s.expired[#s.expired + 1] = all[i]
      end
    end
  end
  table.sort(s.counts, function(a, b) return a[1] < b[1] end)
  return s
end

-- An entry of a log: its time, the permits granted up to it, and its own.
local function entry(reply)
  local total, own = string.match(reply[1] or '', '^(%d+):(%d+)$')
  if not total then
    return nil
  end
  return { time = tonumber(reply[2]), total = tonumber(total), own = tonumber(own), member = reply[1] }
end

-- Reads the ends of a log. Of the permits up to the total N[5] none counts any more.
local function endsOf(s)
  s.last = entry(redis.call('ZRANGE', KEY, -1, -1, 'WITHSCORES'))
  s.time = steady(s, math.max(s.at + s.N[4], s.last and s.last.time or 0))
  s.used = 0
  if s.last and s.last.time > s.time - s.P[4] then
    local from = string.format('(%.0f', s.time - s.P[4])
    local first = entry(redis.call('ZRANGEBYSCORE', KEY, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1))
    s.used = math.max(0, s.last.total - math.max(s.N[5], first.total - first.own))
  end
  return s
end

-- The state in a string; nil if there is none.
local function ofString(value)
  local s = parsed(value)
  return s and s.rule ~= 'window' and s.rule ~= 'log' and s or nil
end

local function ofHash(value)
  local s = value and parsed(value)
  return s and s.rule == 'window' and blocksOf(s) or nil
end

local function ofSet(value)
  local s = value and parsed(value)
  return s and s.rule == 'log' and endsOf(s) or nil
end

-- The state under the key, of any rule; nil if there is none, or anything else.
local function stateOf()
  local value = redis.pcall('GET', KEY)
  if not value then
    return nil
  elseif type(value) == 'string' then
    return ofString(value), true
  end
  local kind = redis.call('TYPE', KEY)['ok']
  if kind == 'hash' then
    return ofHash(redis.call('HGET', KEY, '#')), true
  elseif kind == 'zset' then
    return ofSet(redis.call('ZRANGE', KEY, 0, 0)[1]), true
  end
  return nil, true
end

local function read()
  local s, found = stateOf()
  junk = junk or not s and found
  return s
end

-- Units of a rate by which a permit is `own`, in units of which `cost` are a permit.
local function converted(units, own, cost)
  if own == cost then
    return units
  end
  local whole = math.floor(units / own)
  local part = math.ceil((units - whole * own) / own * cost * (1 + 2 ^ -50))
  return math.min(whole * cost, MOST - cost) + math.min(part, cost)
end

-- What is used by a state, in units of which `cost` are a permit, and how much of that is not overdrawn.
local function debt(s, cost)
  local units, own, size = s.N[2], s.P[2], s.N[3]
  if s.rule == 'even' then
    local tightest = 0
    units = drained(units, s.P[1], s.elapsed)
    for i = 1, #s.P / 6 - 1 do
      local other = drained(s.N[2 + 3 * i], s.P[1 + 6 * i], s.elapsed)
      if other / s.P[2 + 6 * i] > units / own then
        units, own, tightest = other, s.P[2 + 6 * i], i
      end
    end
    size = s.N[3 + 3 * tightest]
    if size == 0 then
      size = s.P[3 + 6 * tightest]
    end
  elseif (s.rule == 'window' or s.rule == 'log') and s.N[3] == 0 then
    units, own = s.used, 1
  else
    units = drained(units, s.P[1], s.elapsed)
  end
  units, size = converted(units, own, cost), size > 0 and converted(size, own, cost) or MOST
  return units, math.min(units, size)
end

-- A debt beside a state: what is left of it, or that of a state which is converted.
local function debtOf(s, leak, cost, most, continues)
  if not s then
    return { leak = leak, cost = cost, units = 0, ceiling = 0 }
  end
  local units, size = debt(s, cost)
  local d = { leak = leak, cost = cost, units = units, ceiling = 0 }
  if continues then
    d.ceiling = d.units > 0 and s.N[3] or 0
  elseif d.units > 0 then
    d.ceiling = math.max(most * cost, size)
  end
  return d
end

local function debtRoom(d)
  return d.ceiling > 0 and math.max(0, math.floor((d.ceiling - d.units) / d.cost)) or MOST
end

local function debtWait(d, n)
  return d.ceiling > 0 and ceil(d.units + n * d.cost - d.ceiling, d.leak) or 0
end

-- Milliseconds for a key that counts something for so long.
local function ttl(micros)
  return string.format('%.0f', math.floor(micros / 1000) + MARGIN)
end

local function store(value, micros)
  redis.call('SET', KEY, value, 'PX', ttl(micros))
  heal()
end

-- Empties the key for a hash or a set. A server without memory refuses the first write, so nothing is lost then.
local function clear(s)
  junk = junk or not s and redis.call('EXISTS', KEY) == 1
  redis.call('SET', KEY, '')
  redis.call('UNLINK', KEY)
end

-- Adds to a debt what a window has taken. Of a limit by cost, what is used beyond the limit is owed, and is paid at the rate also
-- after the window has ended. What is refunded to a debt has leaked for as long as it was held.
local function addDebt(d, n, used, most)
  if n < 0 and op == OVERDRAW and d.ceiling > 0 then
    d.units = added(d.units, math.min(0, n * d.cost + held * d.leak))
    return
  end
  d.units = added(d.units, n * d.cost)
  if (op == OVERDRAW or op == ACQUIRE_ONCE) and d.ceiling == 0 and used > most then
    d.units = math.min(MOST, math.max(d.units, used * d.cost))
    d.ceiling = math.max(most * d.cost, d.units - (used - most) * d.cost)
  end
end

-- Whether more is asked for than is ever free, which is granted if nothing is used.
local function isOver(most)
  return op == ACQUIRE_ONCE and permits > most
end

-- How many permits to take, of those there is room for.
local function taken(room, most, reset)
  if isOver(most) then
    return reset == 0 and permits or 0
  elseif op == ACQUIRE or op == ACQUIRE_ONCE then
    return permits <= room and permits or 0
  elseif op == ACQUIRE_UP_TO then
    return math.min(permits, room)
  end
  return permits
end

-- For how many permits a wait is told: for one more, unless all or none are granted.
local function wanted()
  return (op == ACQUIRE or op == ACQUIRE_ONCE) and permits or 1
end

local function reply(granted, remaining, limit, reset, wait)
  local told = (granted > 0 and granted == permits and (op <= ACQUIRE_UP_TO or op == ACQUIRE_ONCE)) and 0 or wait
  return { math.max(0, granted), math.max(0, remaining), limit, reset, told, now, healed }
end

local function never(room, limit, reset)
  return { 0, math.max(0, room), limit, reset, -1, now, healed }
end

-- A rate that leaks evenly. `missing` is its own use, `debt` the debt beside it. A paced rate waits for the first permit only,
-- and a slot that is taken less than one interval late counts as taken on time. Permits that need not come together come one
-- by one.
local function even(first, s, member)
  local r = { leak = ARG[first], cost = ARG[first + 1], cap = ARG[first + 2], largest = ARG[first + 3] }
  r.paced, r.limit = ARG[first + 4] == 1, ARG[first + 5]
  r.units, r.ceiling, r.missing = 0, 0, 0
  if member then
    r.units = drained(s.N[member], r.leak, s.elapsed)
    r.ceiling = r.units > 0 and s.N[member + 1] or 0
    r.missing = drained(s.N[member + 2], r.leak, s.elapsed)
  elseif s then
    local units, size = debt(s, r.cost)
    r.units = units
    if r.units <= r.cap then
      r.missing = r.units
    else
      r.ceiling = math.max(r.cap, size)
    end
  elseif since > 0 then
    r.units = drained(r.cap, r.leak, math.max(0, now - since))
    r.missing = r.units
  end
  return r
end

local function evenRoom(r)
  local room
  if r.paced then
    room = r.missing <= r.cost and (op == ACQUIRE_UP_TO and 1 or r.largest) or 0
  else
    room = math.max(0, math.floor((r.cap - r.missing) / r.cost))
  end
  return math.min(room, debtRoom(r))
end

local function evenReset(r)
  return ceil(math.max(r.missing, r.units), r.leak)
end

local function evenWait(r, n)
  if isOver(r.largest) then
    return evenReset(r)
  end
  local over = r.paced and r.missing - r.cost or r.missing + n * r.cost - r.cap
  return math.max(ceil(over, r.leak), debtWait(r, n))
end

local function evenTake(r, n)
  if r.paced and n > 0 and r.missing == 0 then
    r.missing = r.cost
  end
  r.missing = added(r.missing, n * r.cost)
  r.units = r.ceiling > 0 and added(r.units, n * r.cost) or r.missing
end


