-- The arguments of a script for one key: the operation, the permits, since, and others in a list. All are integers but the sixth, which
-- is letters and digits.
local HOLDER = 6
local ACQUIRE = 0

local ARG = {}
for number in string.gmatch(table.concat(ARGV, ',') .. ',', '([^,]*),') do
  local place = #ARG + 1
  if not string.find(number, place == HOLDER and '^%w+$' or '^-?%d+$') then
    error('argument ' .. place .. (place == HOLDER and ' must be letters and digits' or ' must be an integer'))
  end
  ARG[place] = place == HOLDER and 0 or tonumber(number)
end

