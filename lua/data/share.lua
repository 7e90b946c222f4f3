--- The part of a batch that one of several processes takes: rows in a row, as equally many as possible.
-- @module data.share
local floor = math.floor

--- Returns a process's part of a list.
-- @int total length of the list
-- @int place of the process, from 0
-- @int count number of processes
-- @treturn int number of entries before the part
-- @treturn int number of entries of the part
return function(total, place, count)
  local first = floor(total * place / count)
  return first, floor(total * (place + 1) / count) - first
end
