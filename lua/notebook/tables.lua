--- Tensors as HTML tables.
-- @module notebook.tables
local display = require 'torch.tensor.display'
local onTape = require 'trepl.tape'

local MOST_ROWS, MOST_COLUMNS, EDGE = 20, 14, 5      -- maximum sizes shown in full; otherwise the number shown at each end

-- The shown positions of a dimension; 0 represents those between its ends.
local function positions(n, most)
  local shown = {}
  if n <= most then
    for i = 1, n do shown[i] = i end
    return shown
  end
  for i = 1, EDGE do shown[i], shown[EDGE + 1 + i] = i, n - EDGE + i end
  shown[EDGE + 1] = 0
  return shown
end

-- The elements of a matrix at some positions, as new rows.
local function elements(x, rows, columns)
  local torch = require 'torch'
  local function real(list)
    local kept = {}
    for _, i in ipairs(list) do
      if i > 0 then kept[#kept + 1] = i end
    end
    return torch.LongTensor(kept)
  end
  local host = require 'libmoontorch'.onHost(x)
  return host:index(1, real(rows)):index(2, real(columns)):totable()
end

-- The common format of numbers.
local function formatOf(values)
  local integers, largest, smallest = true, 0, math.huge
  for _, row in ipairs(values) do
    for _, value in ipairs(row) do
      local v = math.abs(tonumber(value))
      if v < math.huge then
        integers = integers and v == math.floor(v)
        largest = math.max(largest, v)
        if v > 0 then smallest = math.min(smallest, v) end
      end
    end
  end
  if integers and largest < 1e10 then return '%d' end
  return ('%%.%d%s'):format(display.options.precision, largest >= 1e5 or smallest < 1e-3 and largest < 1 and 'e' or 'f')
end

local function text(value, format)
  if type(value) == 'cdata' then return (tostring(value):gsub('U?LL$', '')) end      -- integers beyond 2^53
  if value ~= value then return 'nan' end
  if math.abs(value) == math.huge then return value > 0 and 'inf' or '-inf' end
  return format:format(value)
end

local function header(cell) return '<th>' .. (cell == 0 and '&hellip;' or cell) .. '</th>' end

-- A row of cells; `more` represents columns that are left out.
local function rowOf(columns, cell, more)
  local cells = {}
  for i, column in ipairs(columns) do cells[i] = '<td>' .. (column == 0 and more or cell(column)) .. '</td>' end
  return table.concat(cells)
end

-- The index of each shown position among those that are not left out.
local function placesOf(list)
  local places, n = {}, 0
  for _, i in ipairs(list) do
    if i > 0 then
      n = n + 1
      places[i] = n
    end
  end
  return places
end

--- The table of a tensor, with the numbers of its rows and columns, and its type and sizes below.
-- @tparam torch.Tensor x
-- @treturn ?string nil if the number of dimensions is not 1 or 2, or there are no elements
local function tableOf(x)
  local dims = x:dim()
  if dims < 1 or dims > 2 or x:nElement() == 0 then return nil end
  local shown = require 'libmoontorch'.detach(x)
  local matrix = dims == 2 and shown or shown:view(1, x:size(1))
  local rows, columns = positions(matrix:size(1), MOST_ROWS), positions(matrix:size(2), MOST_COLUMNS)
  local values = elements(matrix, rows, columns)
  local format, rowAt, columnAt = formatOf(values), placesOf(rows), placesOf(columns)
  local out = { '<table><thead><tr>', dims == 2 and '<th></th>' or '' }
  for _, column in ipairs(columns) do out[#out + 1] = header(column) end
  out[#out + 1] = '</tr></thead><tbody>'
  for _, row in ipairs(rows) do
    local cells = rowOf(columns, function(column)
      return row == 0 and '&#8942;' or text(values[rowAt[row]][columnAt[column]], format)
    end, row == 0 and '' or '&hellip;')
    out[#out + 1] = '<tr>' .. (dims == 2 and header(row) or '') .. cells .. '</tr>'
  end
  local sizes = table.concat(x:size():totable(), '&times;')
  out[#out + 1] = ('</tbody></table><small>%s of size %s%s</small>'):format(x:type(), sizes, onTape(x))
  return table.concat(out)
end

return tableOf
