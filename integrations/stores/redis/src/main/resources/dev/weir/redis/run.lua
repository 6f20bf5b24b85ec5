local RULES = { evenRates, ban, fixed, window, log }
local PARAMETERS = { 0, 5, 5, 5, 4 }

-- Decides one call; what it answers, as seven integers. A value that was read is not read again.
return function(of, operation, n, grantedAt, since, value)
  local _, _, kind, rates = string.byte(of, 1, 4)
  local size = kind == EVEN and 6 * rates or PARAMETERS[kind]
  rule = string.sub(of, 1, 4 + 8 * size)
  P, more = doubles(of, 5, size), doubles(of, 5 + 8 * size, (#of - 4) / 8 - size)
  if not (P and more) then
    error('parameters must be integers')
  end
  if n % 1 ~= 0 or n ~= n then
    error('permits must be an integer')
  end
  if n < 0 and (operation <= ACQUIRE_UP_TO or operation == ACQUIRE_ONCE) then
    error('permits must be >= 0')
  end
  op, permits, held = operation, math.max(-MOST, math.min(MOST, n)), math.max(0, now - grantedAt)
  junk, healed, known = false, 0, value
  return RULES[kind](since)
end
end

-- Calls of many keys, each by itself. Arguments: the calls, packed one after the other, each with the number of its rule, its
-- operation, its permits, and of a refund by OVERDRAW when they were granted; a rule; the time since which an even rate that is
-- absent counts as used up, 0 = it is unused; the other rules. A rule is the bytes before the numbers of its states, and what
-- only its calls have. For each call there are seven integers, or a text that says why it failed and six more.
--
-- What is frequent is decided by the functions that follow: a rule without a debt, under a key which is absent or has a state of
-- the same rule, and permits of which at most the limit is asked for. Each returns what was granted, what is left, microseconds
-- until the reset and until a retry, and, if it has changed, the state and for how long it counts; nothing if it does not know
-- the case. They use no variable outside, which makes them cheap to define. The whole part of a number is it less it % 1.
local function bucket(rule, value, now, op, permits, leak, cost, cap)
  local missing = 0
  if value then
    local size = #rule
    if #value ~= size + 16 or string.sub(value, 1, size) ~= rule then
      return
    end
    local at, own = struct.unpack('>dd', value, size + 1)
    if not (own >= 0 and own <= 4503599627370496 and own % 1 == 0 and at >= 0 and at <= now and at % 1 == 0) then
      return
    end
    missing = own - (now - at) * leak
    if missing < 0 then
      missing = 0
    end
  end
  local room = (cap - missing) / cost
  room = room > 0 and room - room % 1 or 0
  local granted, wanted = permits, 1
  if op ~= 2 then
    if permits <= room then
      wanted = nil
    elseif op == 0 then
      granted, wanted = 0, permits
    else
      granted = room
    end
  end
  if granted ~= 0 then
    missing = math.max(0, math.min(4503599627370496, missing + granted * cost))
    room = (cap - missing) / cost
    room = room > 0 and room - room % 1 or 0
  end
  local reset, wait = math.ceil(missing / leak), 0
  if wanted then
    wait = math.ceil((missing + wanted * cost - cap) / leak)
    wait = wait > 0 and wait or 0
  end
  if granted == 0 then
    return 0, room, reset, wait
  end
  return granted, room, reset, wait, rule .. struct.pack('>dd', now, missing), reset
end

local function fixed(rule, value, now, op, permits, leak, cost, limit, length, aligned)
  local start, count, units = 0, 0, 0
  if value then
    local size = #rule
    if #value ~= size + 40 or string.sub(value, 1, size) ~= rule then
      return
    end
    local at, debt, ceiling, from, own = struct.unpack('>ddddd', value, size + 1)
    if not (ceiling == 0 and at >= 0 and at <= now and at % 1 == 0 and debt >= 0 and debt <= 4503599627370496 and debt % 1 == 0
      and from >= 0 and from <= 4503599627370496 and from % 1 == 0 and own >= 0 and own <= limit and own % 1 == 0) then
      return
    end
    start, count, units = from, now - from < length and own or 0, math.max(0, debt - (now - at) * leak)
  end
  local granted, wanted = permits, 1
  if op ~= 2 then
    if count + permits <= limit then
      wanted = nil
    elseif op == 0 then
      granted, wanted = 0, permits
    else
      granted = limit - count
    end
  end
  if granted > 0 and count == 0 then
    start = aligned == 1 and now - now % length or now
  end
  count = math.min(4503599627370496, count + granted)
  local ending = count > 0 and start + length - now or 0
  local wait = wanted and count + wanted > limit and ending or 0
  if granted == 0 then
    return 0, limit - count, ending, wait
  end
  units = math.min(4503599627370496, units + granted * cost)
  local state = rule .. struct.pack('>ddddd', now, units, 0, start, count)
  return granted, math.max(0, limit - count), ending, wait, state, math.max(ending, math.min(math.ceil(units / leak), 2 * ending))
end

local function window(rule, value, now, op, permits, leak, cost, limit, length, blocks)
  local time, ahead, used, size, count = now, 0, 0, #rule, 0
  local all, first, last = {}, 1, -1
  if value then
    count = (#value - size) / 8 - 5
    if count < 0 or count > 128 or count % 2 ~= 0 or string.sub(value, 1, size) ~= rule then
      return
    end
    local at, units, ceiling, own, zero = struct.unpack('>ddddd', value, size + 1)
    if not (ceiling == 0 and zero == 0 and at >= 0 and at <= now and at % 1 == 0 and units >= 0 and units <= 4503599627370496
      and units % 1 == 0 and own >= 0 and own <= 4503599627370496 and own % 1 == 0) then
      return
    end
    time, ahead = now + own, own
    local oldest = time / length
    oldest = oldest - oldest % 1 - blocks
    all = { struct.unpack('>' .. string.rep('d', count), value, size + 41) }
    for i = 1, count, 2 do
      local block, of = all[i], all[i + 1]
      if not (block > last and block <= 4503599627370496 and block % 1 == 0 and of >= 0 and of <= limit and of % 1 == 0) then
        return
      end
      last = block
      if block < oldest then
        first = i + 2
      else
        used = used + of
      end
    end
  end
  local current = time / length
  current = current - current % 1
  local granted, wanted = permits, 1
  if op ~= 2 then
    if used + permits <= limit then
      wanted = nil
    elseif op == 0 then
      granted, wanted = 0, permits
    else
      granted = used < limit and limit - used or 0
    end
  end
  local state
  if granted > 0 then
    local units = math.min(4503599627370496, cost == 1 and used + granted or math.min(used * cost, 4503599627370496 - cost) + granted * cost)
    local stop = size + 40 + 8 * count
    if last == current and first < count then
      stop = stop - 16
    else
      count = count + 2
      all[count - 1], all[count] = current, 0
    end
    all[count] = math.min(4503599627370496, all[count] + granted)
    local kept = value and string.sub(value, size + 33 + 8 * first, stop) or ''
    state = rule .. struct.pack('>ddddd', now, units, 0, ahead, 0) .. kept .. struct.pack('>dd', current, all[count])
    used, last = math.min(4503599627370496, used + granted), current
  end
  local reset = first < count and (last + blocks + 1) * length - time or 0
  local wait, i, left = 0, first, used
  while wanted and i < count and left + wanted > limit do
    left, wait, i = left - all[i + 1], (all[i] + blocks + 1) * length - time, i + 2
  end
  return granted, math.max(0, limit - used), reset, wait, state, reset
end

-- The message of an error; before Redis 7 some say first where in the script it was.
local function explained(thrown)
  local text = type(thrown) == 'table' and thrown.err or tostring(thrown)
  text = string.match(text, '^[^ ]+: ?%d+: %-(.*)$') or text
  return string.find(text, '^%u+ ') and text or 'ERR ' .. text
end

local FREQUENT = { bucket, nil, fixed, window }
local calls, since, call = ARGV[1], tonumber(ARGV[3]), redis.pcall
local answers, last, decide = {}, 0, nil
local index, rule, kind, largest, limit, decides = 0, '', 0, 0, 0, nil
local leak, cost, cap, length, blocks
for i = 1, #KEYS do
  KEY = KEYS[i]
  local of, op, permits, grantedAt = struct.unpack('>BBdd', calls, 18 * i - 17)
  if of ~= index then
    local _, rates
    index, rule = of, ARGV[of == 1 and 2 or of + 2]
    _, _, kind, rates = string.byte(rule, 1, 4)
    decides = FREQUENT[kind]
    if kind == 1 and rates == 1 then
      leak, cost, cap, largest, length, limit = struct.unpack('>dddddd', rule, 5)
      decides = length == 0 and decides or nil
    elseif kind == 3 or kind == 4 then
      leak, cost, limit, length, blocks = struct.unpack('>ddddd', rule, 5)
      cap, largest = limit, limit
    else
      decides = nil
    end
  end
  local value, failure = nil, nil
  if kind ~= 5 then
    value = call('GET', KEY)
  end
  local granted, left, reset, wait, state, micros
  if decides and op <= 2 and permits % 1 == 0 and permits <= largest and type(value) ~= 'table'
    and (permits > 0 or permits < 0 and op == 2 and kind == 1 and -permits <= largest)
    and (value or since == 0 or kind ~= 1) then
    granted, left, reset, wait, state, micros = decides(rule, value, now, op, permits, leak, cost, cap, length, blocks)
  end
  local most, healed = limit, 0
  if state then
    failure = call('SET', KEY, state, 'PX', micros / 1000 - micros / 1000 % 1 + MARGIN).err
  elseif not granted then
    decide = decide or arithmetic()
    local done, answer = pcall(decide, rule, op, permits, grantedAt, since, value)
    if done then
      granted, left, most, reset, wait, healed = answer[1], answer[2], answer[3], answer[4], answer[5], answer[7]
    else
      failure = answer
    end
  end
  if failure then
    local text = explained(failure)
    -- The other keys have no effect either; the caller of one key needs no list.
    if #KEYS == 1 or string.find(text, '^READONLY ') then
      return redis.error_reply(text)
    end
    granted, left, most, reset, wait, healed = text, 0, 0, 0, 0, 0
  elseif granted < 0 then
    granted = 0
  end
  if #KEYS == 1 then
    return { granted, left, most, reset, wait, now, healed }
  end
  answers[last + 1], answers[last + 2], answers[last + 3], answers[last + 4] = granted, left, most, reset
  answers[last + 5], answers[last + 6], answers[last + 7] = wait, now, healed
  last = last + 7
end
return answers
