-- Token bucket, leaky bucket, GCRA and pacer, one or several of them: all grant a request or none. For each rate: leak, cost,
-- units of a full bucket, the largest request, 1 = paced, and the limit. A key that is absent counts as used up at `since`.
local FIRST, EACH = 4, 6

local parameters = {}
for i = FIRST, #ARG do
  parameters[#parameters + 1] = ARG[i]
end
local name = text({ unpack(parameters) })

local s = read()
local continues = s and s.rule == 'even' and s.parameters == name

local rates = {}
local least, tightest = MOST, nil
for i = FIRST, #ARG, EACH do
  local r = even(i, s, continues and 2 + 3 * #rates)
  rates[#rates + 1] = r
  local room = evenRoom(r)
  if room < least or not tightest then
    least, tightest = room, r
  end
end

local used = 0
for _, r in ipairs(rates) do
  used = math.max(used, evenReset(r))
  if op == ACQUIRE and permits > r.largest then
    return never(least, r.limit, evenReset(r))
  end
end

local granted = taken(least, rates[1].largest, used)
if granted ~= 0 or s and (not continues or now < s.at) then
  local numbers = { now }
  local longest = 0
  least = MOST
  for _, r in ipairs(rates) do
    evenTake(r, granted)
    numbers[#numbers + 1] = r.units
    numbers[#numbers + 1] = r.ceiling
    numbers[#numbers + 1] = r.missing
    longest = math.max(longest, evenReset(r))
    local room = evenRoom(r)
    if room < least then
      least, tightest = room, r
    end
  end
  store(printed('even', parameters, numbers), longest)
end

local wait = 0
for _, r in ipairs(rates) do
  local own = evenWait(r, wanted())
  if own > wait then
    wait = own
    if granted <= 0 then
      tightest = r
    end
  end
end
return reply(granted, least, tightest.limit, evenReset(tightest), wait)
