--- Margins around pictures.
-- @module image.augment.margin
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local margin = {}

--- Left, top, right and bottom margins, from one number, two (left and right, top and bottom), or four.
-- @string where
-- @tparam int|{int,...} value
function margin.read(where, value)
  if type(value) == 'number' then value = { value } end
  check.table(where, 'padding', value)
  for i = 1, #value do check.int(where, 'padding', value[i], { min = 0 }) end
  if #value == 1 then return { value[1], value[1], value[1], value[1] } end
  if #value == 2 then return { value[1], value[2], value[1], value[2] } end
  if #value == 4 then return value end
  check.raise(('%s: padding: %s, expected 1, 2 or 4 numbers'):format(where, messages.value(value)))
end

-- The source positions of a side with margins: 'reflect' omits the edge, 'symmetric' repeats it.
local function places(mode, size, before, after)
  local list = torch.LongTensor(before + size + after)
  local period = mode == 'symmetric' and 2 * size or math.max(2 * size - 2, 1)
  for i = 1, list:size(1) do
    local at = i - 1 - before
    if mode == 'edge' then
      at = math.max(0, math.min(size - 1, at))
    else
      at = at % period
      if at >= size then at = mode == 'symmetric' and period - 1 - at or period - at end
    end
    list[i] = at + 1
  end
  return list
end

--- The modes of margins.
margin.modes = { constant = true, edge = true, reflect = true, symmetric = true }

--- A picture with margins.
-- @tparam torch.Tensor x
-- @tparam {int,...} sides left, top, right, bottom
-- @string mode
-- @number fill the constant
-- @treturn torch.Tensor
function margin.around(x, sides, mode, fill)
  local height, width = x:size(-2), x:size(-1)
  if mode ~= 'constant' then
    return x:index(x:dim(), places(mode, width, sides[1], sides[3])):index(x:dim() - 1, places(mode, height, sides[2], sides[4]))
  end
  local size = x:size()
  size[#size - 1], size[#size] = height + sides[2] + sides[4], width + sides[1] + sides[3]
  local result = x.new():resize(size):fill(fill)
  result:narrow(-1, sides[1] + 1, width):narrow(-2, sides[2] + 1, height):copy(x)
  return result
end

return margin
