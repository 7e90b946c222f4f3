--- Tensors as gnuplot's blocks of numbers.
-- @module gnuplot.numbers
local torch, check, messages = require 'torch', require 'torch.check', require 'torch.check.message'
local number = require 'gnuplot.quote'.number

local numbers = {}

--- A tensor of doubles from a tensor of any type, or a list of numbers.
-- @treturn ?torch.DoubleTensor nil for anything else
function numbers.tensor(value)
  if torch.isTensor(value) then return value:detach():double() end
  if type(value) == 'table' and not torch.typename(value) and type(value[1]) == 'number' then return torch.DoubleTensor(value) end
end

--- Returns the tensor, or raises an error that describes the value.
-- @string where
-- @string name argument
-- @param value
-- @int[opt] dimensions required number of dimensions
function numbers.checked(where, name, value, dimensions)
  local x = numbers.tensor(value)
  if not x or x:nElement() == 0 or dimensions and x:dim() ~= dimensions then
    local wanted = dimensions and (' of %d dimension%s'):format(dimensions, dimensions == 1 and '' or 's') or ''
    check.raise(('%s: %s: %s, expected a tensor%s with elements'):format(where, name, messages.value(value), wanted))
  end
  return x
end

--- Rows of numbers, one per line.
-- @tparam torch.DoubleTensor x 2 dimensions
-- @treturn string
function numbers.rows(x)
  local lines = {}
  for i, row in ipairs(x:totable()) do
    for k = 1, #row do row[k] = number(row[k]) end
    lines[i] = table.concat(row, ' ')
  end
  lines[#lines + 1] = ''
  return table.concat(lines, '\n')
end

--- Vectors as columns.
-- @tparam {torch.DoubleTensor,...} columns with 1 dimension and equal lengths
-- @treturn string
function numbers.columns(columns)
  local views = {}
  for i, column in ipairs(columns) do views[i] = column:contiguous():view(-1, 1) end
  return numbers.rows(torch.cat(views, 2))
end

--- A surface: x, y and z at each point, with blank lines between rows.
-- @treturn string
function numbers.surface(x, y, z)
  local blocks = {}
  for i = 1, z:size(1) do blocks[i] = numbers.columns { x[i], y[i], z[i] } end
  return table.concat(blocks, '\n')
end

return numbers
