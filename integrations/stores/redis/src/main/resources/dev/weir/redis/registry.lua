-- The first part of the scripts of a registry that need the time. KEYS: the hash of members, the hash of entries.
-- A member is a field ID, with the instant in microseconds at which it ends and the token of its registry. An entry is a field, with its
-- version and its value; the version is the instant of the replacement, so that it does not repeat if the server lost its data.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
