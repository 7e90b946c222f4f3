--- Makes data frames of rows.
-- @module data.frame.from_rows
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local data = require 'data'

local op = 'data.Frame.fromRows'

local function numbered(width)
  local names = {}
  for j = 1, width do names[j] = ('var_%d'):format(j) end
  return names
end

local function ofMatrix(x, names)
  check.that(x:dim() == 2, ('%s: rows: %d dimensions, expected a matrix'):format(op, x:dim()))
  names = names or numbered(x:size(2))
  check.that(#names == x:size(2), ('%s: names: %d, expected one for each of %d columns'):format(op, #names, x:size(2)))
  local columns = {}
  for j, name in ipairs(names) do columns[name] = x:select(2, j):clone() end
  return data.Frame(columns, names)
end

-- The names that occur in rows, and whether rows are lists.
local function namesOf(rows)
  local seen, names, width = {}, {}, 0
  for i, row in ipairs(rows) do
    check.table(op, ('rows[%d]'):format(i), row)
    for key in pairs(row) do
      if type(key) == 'number' then
        width = math.max(width, key)
      elseif not seen[key] then
        seen[key] = true
        names[#names + 1] = check.text(op, ('a key of rows[%d]'):format(i), key)
      end
    end
  end
  check.that(width == 0 or #names == 0, op .. ': rows: lists and tables by names, expected only one of these')
  table.sort(names)
  return width > 0 and numbered(width) or names, width > 0, width
end

return function(rows, names)
  if names ~= nil then check.table(op, 'names', names) end
  if torch.isTensor(rows) then return ofMatrix(rows, names) end
  check.table(op, 'rows', rows)
  local found, isList, width = namesOf(rows)
  names = names or found
  check.that(not isList or #names >= width, ('%s: names: %d, expected one for each of %d columns'):format(op, #names, width))
  local frame, count = data.Frame({}, {}, {}, {}, #rows), #rows
  for j, name in ipairs(names) do
    local values, key = {}, isList and j or name
    for i = 1, count do values[i] = rows[i][key] end
    check.that(not frame.columns[name], ('%s: names[%d]: %s, which two columns would have'):format(op, j, tostring(name)))
    frame:_put(name, column.ofList(('%s: %s'):format(op, name), values, count))
  end
  return frame
end
