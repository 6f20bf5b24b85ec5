-- ARGV: the entry. Replies with the text of the entry and the members.
local reply = { redis.call('HGET', KEYS[2], ARGV[1]) or '' }
local members = redis.call('HGETALL', KEYS[1])
for i = 1, #members, 2 do
  local till = tonumber(string.match(members[i + 1], '^%d+'))
  if till and till > now then
    reply[#reply + 1] = members[i]
  end
end
return reply
