-- A concurrency limit whose permits are leased to holders. The key is a sorted set:
--   member TOKEN:PERMITS:HOLDER, score = the microsecond at which the lease ends;
--   one member with score -1, STATE:USED:TOKEN:NOW:AHEAD:CLOSED:SINCE:WAITING, that is
--     USED    permits of all leases in the set,
--     TOKEN   the last fencing token,
--     NOW     the time of the last write, which never goes back,
--     AHEAD   how far that time is ahead of the server's, which may go back,
--     CLOSED  until then only renewals are accepted,
--     SINCE   the loss of state for which that was set,
--     WAITING  the holders that wait, in order of arrival: HOLDER=PERMITS=TILL=TOLD, of each one. What those before a holder wait for is
--             not granted to it. TILL is when it is forgotten, unless it asks again. TOLD is 1 once there is room for it: it gets a
--             message on the channel KEY:HOLDER, and is forgotten unless it asks within 100 ms.
-- Arguments: limit, microseconds of a lease, holder, then for a grant the microseconds after which the holder is forgotten if it is
-- refused (0 = it does not wait); or TOKEN, PERMITS of each lease to renew or release.
-- The reply has a seventh integer and more: the token of a grant (0 = refused, -1 = refused because only renewals are accepted,
-- -2 = refused, and this holder waits), or for each lease 1 if it was renewed or released, else 0.
local CHARGE, RENEW, RELEASE = 2, 3, 4
local MOST_EXPIRED = 64
local MOST_WAITING = 64
local TURN_MICROS = 100000
local MOST_STORED = 9007199254740991

local server, operation, permits, since, limit, lease, holder = now, ARG[1], ARG[2], ARG[3], ARG[4], ARG[5], ARGV[6]

local function text(number)
  return string.format('%.0f', number)
end

local function parsed(state)
  local fields = {string.match(state, '^STATE:(%d+):(%d+):(%d+):(%d+):(%d+):(%d+):([^:]*)$')}
  for i = 1, 6 do
    fields[i] = tonumber(fields[i])
    if not fields[i] or fields[i] > MOST_STORED then
      return nil
    end
  end
  return fields
end

local first = redis.pcall('ZRANGE', KEY, 0, 0)
local old = not first.err and first[1]
local state = old and parsed(old)
local changed = false
if not state then
  state = {0, 0, server, 0, 0, 0, ''}
  if first.err or old then
    -- Whatever replaced the leases: their holders renew them before another gets a permit.
    redis.call('UNLINK', KEY)
    old = nil
    state[5] = server + lease
    changed = true
  end
end
local used, token, last, ahead, closed, known, waiting = unpack(state)
now = server + ahead
if now < last then
  ahead = ahead + last - now
  now = last
  changed = true
end
if since > known and server < since + lease then
  closed = math.max(closed, now + math.min(lease, since + lease - server))
  known = since
  changed = true
end

local expired = redis.call('ZRANGEBYSCORE', KEY, 0, text(now), 'LIMIT', 0, MOST_EXPIRED)
if #expired > 0 then
  for i = 1, #expired do
    used = used - (tonumber(string.match(expired[i], '^%d+:(%d+):')) or 0)
  end
  redis.call('ZREM', KEY, unpack(expired))
  changed = true
end
if used ~= 0 and (used < 0 or redis.call('ZCARD', KEY) < 2) then
  used = 0
  changed = true
end

local line = {}
for each, wanted, till, told in string.gmatch(waiting, '([^=,]+)=(%d+)=(%d+)=(%d)') do
  wanted, till = tonumber(wanted), tonumber(till)
  if till > now and wanted <= limit then
    line[#line + 1] = {each, wanted, till, told}
  else
    changed = true
  end
end

local granted, retry, results, writes = 0, 0, {0}, {'ZADD', KEY}
local function write(score, member)
  writes[#writes + 1] = text(score)
  writes[#writes + 1] = member
  changed = true
end

if operation == ACQUIRE or operation == CHARGE then
  local before, mine = 0, nil
  for i = 1, #line do
    if ARG[7] > 0 and line[i][1] == holder then
      mine = i
      break
    end
    before = before + line[i][2]
  end
  if operation == CHARGE or (now >= closed and used + before + permits <= limit) then
    granted = permits
    used = used + permits
    token = math.max(token + 1, now)
    results[1] = token
    write(now + lease, text(token) .. ':' .. text(permits) .. ':' .. holder)
    if mine then
      table.remove(line, mine)
    end
  elseif permits > limit then
    retry = -1
  elseif now < closed then
    retry = closed - now
    results[1] = -1
  else
    local next = redis.call('ZRANGEBYSCORE', KEY, 0, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    retry = math.max(1, (tonumber(next[2]) or now) - now)
    if ARG[7] > 0 and (mine or #line < MOST_WAITING) then
      line[mine or #line + 1] = {holder, permits, now + ARG[7], '0'}
      results[1] = -2
      changed = true
    end
  end
else
  for i = 7, #ARGV, 2 do
    local member = ARGV[i] .. ':' .. ARGV[i + 1] .. ':' .. holder
    local each, done = ARG[i + 1], 0
    if operation == RELEASE then
      done = redis.call('ZREM', KEY, member)
      used = used - done * each
      changed = changed or done == 1
    else
      local ends = redis.call('ZSCORE', KEY, member)
      if ends then
        done = tonumber(ends) > now and 1 or 0
      elseif now < closed and used + each <= limit then
        used = used + each
        token = math.max(token, ARG[i])
        done = 1
      end
      if done == 1 then
        write(now + lease, member)
      end
    end
    results[(i - 5) / 2] = done
    granted = granted + done
  end
end

used = math.max(0, used)
local free, told = now >= closed and limit - used or 0, {}
for i = 1, #line do
  local each = line[i]
  free = free - each[2]
  if free < 0 then
    break
  end
  if each[4] == '0' then
    each[3], each[4] = now + TURN_MICROS, '1'
    told[#told + 1] = each[1]
    changed = true
  end
end
if changed then
  if old then
    redis.call('ZREM', KEY, old)
  end
  for i = 1, #line do
    line[i] = line[i][1] .. '=' .. text(line[i][2]) .. '=' .. text(line[i][3]) .. '=' .. line[i][4]
  end
  write(-1, 'STATE:' .. table.concat(
    {text(used), text(token), text(now), text(ahead), text(closed), text(known), table.concat(line, ',')}, ':'))
  redis.call(unpack(writes))
end
for i = 1, #told do
  redis.pcall('PUBLISH', KEY .. ':' .. told[i], '')
end
local newest = redis.call('ZREVRANGE', KEY, 0, 0, 'WITHSCORES')
local reset = math.max(0, (tonumber(newest[2]) or 0) - now)
if changed then
  redis.call('PEXPIRE', KEY, text(math.ceil(math.max(reset, closed - now, ahead) / 1000) + 1000))
end
local remaining = now < closed and 0 or math.max(0, limit - used)
return {granted, remaining, limit, reset, retry, server, unpack(results)}
