--- Arrays of MATLAB, whose first dimension is innermost, as tensors and lists: x[i][j] is MATLAB's x(i, j).
-- @module matio.lists
local torch = require 'torch'

local lists = {}

--- Returns the number of elements.
-- @tparam {int,...} sizes
function lists.count(sizes)
  local count = 1
  for _, size in ipairs(sizes) do count = count * size end
  return count
end

--- Returns a contiguous tensor of its own memory.
-- @tparam torch.Tensor x one dimension: elements in MATLAB's order
-- @tparam {int,...} sizes
function lists.shaped(x, sizes)
  if x:nElement() == 0 then return torch[torch.typename(x):match '^torch%.(.*)$']():resize(torch.LongStorage(sizes)) end
  local reversed, order = {}, {}
  for i = 1, #sizes do reversed[i], order[i] = sizes[#sizes + 1 - i], #sizes + 1 - i end
  return x:view(torch.LongStorage(reversed)):permute(order):clone()
end

--- Returns a tensor's elements in MATLAB's order, and its sizes, of which there are two or more.
-- @tparam torch.Tensor x
-- @bool isRow whether a tensor of one dimension becomes a row, not a column
function lists.flattened(x, isRow)
  local sizes, order = x:size():totable(), {}
  if #sizes == 0 then return x:view(0), { 0, 0 } end
  if #sizes == 1 then return x:contiguous(), isRow and { 1, sizes[1] } or { sizes[1], 1 } end
  for i = 1, #sizes do order[i] = #sizes + 1 - i end
  return x:permute(order):contiguous(), sizes
end

-- Returns whether there is at most one size other than 1.
local function isVector(sizes)
  local long = 0
  for _, size in ipairs(sizes) do
    if size ~= 1 then long = long + 1 end
  end
  return long <= 1
end

local function nested(flat, sizes, level, place, step)
  if level > #sizes then return flat[place] end
  local list = {}
  for i = 1, sizes[level] do list[i] = nested(flat, sizes, level + 1, place + (i - 1) * step, step * sizes[level]) end
  return list
end

--- Returns a list of values as it is if the array is a row or column, else nested lists, one level a dimension. An empty array is an empty
-- list.
-- @tparam table flat values in MATLAB's order
-- @tparam {int,...} sizes
function lists.nested(flat, sizes)
  if #flat == 0 or isVector(sizes) then return flat end
  return nested(flat, sizes, 1, 1, 1)
end

return lists
