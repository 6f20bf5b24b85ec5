-- A leaky bucket that refuses a key for a chosen time after the first request that does not fit, or was charged and does not
-- fit. Requests during that time do not extend it. Arguments: those of a rate in bucket.lua, and the time.
local largest, limit, span = ARG[7], ARG[9], ARG[10]
local parameters = { ARG[4], ARG[5], ARG[6], largest, span }
local name = text({ unpack(parameters) })

since = 0
local s = read()
local continues = s and s.rule == 'ban' and s.parameters == name
local r = even(4, s, continues and 2)
local banned = 0
if s and s.rule == 'ban' then
  banned = s.N[5]
  if banned > 0 and now < s.at then
    banned = banned - s.at + now
  end
end
if banned <= now then
  banned = 0
end

local function room()
  return banned > 0 and 0 or evenRoom(r)
end

local function reset()
  return math.max(evenReset(r), banned > 0 and banned - now or 0)
end

if op == ACQUIRE and permits > largest then
  return never(room(), limit, reset())
end
local before = room()
local granted = taken(before, largest, reset())
local starts = banned == 0 and permits > 0 and (granted < permits or granted > before)
if granted ~= 0 or starts or s and (not continues or now < s.at) then
  evenTake(r, granted)
  if starts then
    banned = now + span
  end
  store(printed('ban', parameters, { now, r.units, r.ceiling, r.missing, banned }), reset())
end
local wait = math.max(evenWait(r, wanted()), banned > 0 and banned - now or 0)
return reply(granted, room(), limit, reset(), wait)
