-- Fixed windows, which begin at multiples of the period of the server's time (aligned = 1) or with the first permit (a first-hit
-- quota). Arguments: leak and cost of the limit in each period, limit, period, aligned.
local leak, cost, limit, period, aligned = ARG[4], ARG[5], ARG[6], ARG[7], ARG[8] == 1

local s = read()
local continues = s and s.rule == 'fixed' and s.P[4] == period and s.P[5] == ARG[8]
local same = continues and s.P[3] == limit
local d = debtOf(s, leak, cost, limit, same)
if continues and not same and s.N[3] == 0 then
  d.ceiling = 0
end

local start, count, time = 0, 0, now
if continues then
  start, count = s.N[4], s.N[5]
  if aligned then
    time = math.max(now, s.at)
  elseif now < s.at then
    start = start - s.at + now
  end
end
if time - start >= period then
  count = 0
end

local function room()
  return math.min(math.max(0, limit - count), debtRoom(d))
end

local function ending()
  return count > 0 and start + period - time or 0
end

local function reset()
  return math.max(ending(), d.ceiling > 0 and ceil(d.units, leak) or 0)
end

if op == ACQUIRE and permits > limit then
  return never(room(), limit, reset())
end
local granted = taken(room(), limit, reset())
if granted ~= 0 or s and (not same or now < s.at and not aligned) then
  if count == 0 then
    start = aligned and math.floor(time / period) * period or time
  end
  if granted > 0 or op ~= OVERDRAW or time - start >= held then
    count = added(count, granted)
  end
  addDebt(d, granted, count, limit)
  local longest = math.max(reset(), math.min(ceil(d.units, leak), 2 * reset()))
  local numbers = { time, d.units, d.ceiling, math.max(0, start), count }
  store(printed('fixed', { leak, cost, limit, period, ARG[8] }, numbers), longest)
end
if isOver(limit) then
  return reply(granted, room(), limit, reset(), reset())
end
local over = count + wanted() > limit and ending() or 0
return reply(granted, room(), limit, reset(), math.max(over, debtWait(d, wanted())))
