-- The arguments of a script for one key: the operation, the permits, since, and others in a list. All are integers.
local ACQUIRE = 0

local ARG = {}
for number in string.gmatch(table.concat(ARGV, ',') .. ',', '([^,]*),') do
  if not string.find(number, '^-?%d+$') then
    error('argument ' .. #ARG + 1 .. ' must be an integer')
  end
  ARG[#ARG + 1] = tonumber(number)
end

