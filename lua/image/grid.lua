--- Arranges pictures on a grid, as one picture.
-- @module image
local torch, check = require 'torch', require 'torch.check'
local image = require 'image'
local C = require 'libmoontorch'
local messages = require 'torch.check.message'

local grid = {}

local where = 'image.toDisplayTensor'
local names = { 'input', 'padding', 'nrow', 'scaleeach', 'min', 'max', 'symmetric', 'saturate' }

-- Stacks a list of pictures with equal sizes: n x height x width or n x 3 x height x width.
local function stacked(list)
  local first = list[1]
  for i = 1, #list do
    if not torch.isTensor(list[i]) or list[i]:dim() < 2 or list[i]:dim() > 3 or not list[i]:isSameSizeAs(first) then
      check.raise(('%s: input: number %d: %s, expected pictures of one size'):format(where, i, messages.value(list[i])))
    end
  end
  check.that(first ~= nil, where .. ': input: no pictures')
  return torch.stack(list, 1)
end

-- Reads the input: one picture (2 or 3 dimensions), or several (n x ...).
local function read(input)
  local listed = type(input) == 'table' and not torch.typename(input)
  if listed then input = stacked(input) end
  if not torch.isTensor(input) or input:dim() < 2 or input:dim() > 4 or input:nElement() == 0 then
    check.raise(('%s: input: %s, expected height x width, n x height x width, n x 3 x height x width or a list'):format(where,
      messages.value(input)))
  end
  if input:dim() == 4 and input:size(2) == 1 then input = input:select(2, 1) end
  if input:dim() == 4 and input:size(2) ~= 3 then
    check.raise(('%s: input: %s, expected 1 or 3 channels'):format(where, messages.value(input)))
  end
  local isColour = input:size(1) == 3 and not listed
  local several = input:dim() == 4 or input:dim() == 3 and input:size(1) ~= 1 and not isColour
  if input:dim() == 3 and input:size(1) == 1 then input = input[1] end
  return input, several
end

local function scaled(x, options)
  return image.minmax { tensor = x, symm = options.symmetric, saturate = options.saturate ~= false, min = options.min, max = options.max }
end

--- Puts one picture or many on a grid, as one picture of values from 0 to 1.
-- @tparam torch.Tensor|table options the pictures, or a table: `input`: height x width, 3 x height x width, n x height x width, n x 3 x
-- height x width, or a list of pictures with equal sizes; `padding` (0): pixels between them; `nrow` (6): pictures per row; `scaleeach`
-- (false): scales each to 0..1 separately; `min`, `max`: the values that become 0 and 1 (the smallest and the largest value); `symmetric`
-- (false): 0 becomes 0.5; `saturate` (true): values outside of min and max are clipped
-- @treturn torch.Tensor height x width, or 3 x height x width
function grid.toDisplayTensor(options)
  if torch.isTensor(options) then options = { input = options } end
  if type(options) == 'table' and options.input == nil and options[1] ~= nil then options = { input = options } end
  options = check.options(where, options, names)
  local padding = check.whole(where, 'padding', options.padding or 0, { min = 0 })
  local nrow = check.whole(where, 'nrow', options.nrow or 6, { min = 1 })
  local x, several = read(options.input)
  if C.node(x) then x = x:detach() end
  x = x:isFloatingPoint() and x or x:float()
  if not several then return scaled(x, options) end
  if options.scaleeach then
    local each = {}
    for i = 1, x:size(1) do each[i] = scaled(x[i], options) end
    x = torch.stack(each, 1)
  else
    x = scaled(x, options)
  end
  local count, height, width = x:size(1), x:size(-2) + padding, x:size(-1) + padding
  local columns = math.min(nrow, count)
  local rows, margin = math.ceil(count / columns), math.floor(padding / 2)
  local size = x:dim() == 4 and { 3, rows * height, columns * width } or { rows * height, columns * width }
  local result = x.new():resize(torch.LongStorage(size)):fill(x:max())
  for i = 1, count do
    local row, column = math.floor((i - 1) / columns), (i - 1) % columns
    result:narrow(-2, row * height + margin + 1, height - padding):narrow(-1, column * width + margin + 1, width - padding):copy(x[i])
  end
  return result
end

return grid
