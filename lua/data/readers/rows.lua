--- Rows of a table of text, from frames and columns by name.
-- @module data.readers.rows
local torch = require 'torch'
local check = require 'torch.check'
local class = require 'torch.class'

-- The number of values in a column, which is a list or a vector.
local function lengthOf(key, column)
  if torch.isTensor(column) and column:dim() == 1 then return column:size(1) end
  check.that(class.type(column) == 'table', ('data.csv.save: x.%s: %s, expected a list or a vector'):format(tostring(key),
    class.type(column)))
  return #column
end

-- Rows of columns by name, in the order of the names; shorter columns end in empty fields.
local function ofColumns(columns, order)
  local rows, lengths, most = {}, {}, 0
  for j, key in ipairs(order) do
    lengths[j] = lengthOf(key, columns[key])
    most = math.max(most, lengths[j])
  end
  for i = 1, most do
    rows[i] = {}
    for j, key in ipairs(order) do rows[i][j] = i <= lengths[j] and columns[key][i] or '' end
  end
  return rows
end

local function sortedKeys(columns)
  local keys = {}
  for key in pairs(columns) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  return keys
end

--- Rows of a frame or of columns by name; returns anything else unchanged.
-- @tparam data.Frame|torch.Tensor|table x
-- @tparam[opt] {string,...} header names; default: the frame's names, or the columns' names in alphabetical order
-- @tparam[opt] table options of `data.Frame:rows`, for a frame
-- @treturn torch.Tensor|table rows
-- @treturn ?{string,...} header
return function(x, header, options)
  if class.type(x) == 'data.Frame' then return x:_texts('data.csv.save', options or {}), header or x.names end
  if class.type(x) ~= 'table' or #x > 0 then return x, header end
  header = header or sortedKeys(x)
  return ofColumns(x, header), header
end
