--- Prepares pictures for display: scales them to 0..1, and arranges several on one canvas.
-- @module display.canvas
local torch = require 'torch'

local canvas = {}

local background = 0.5

--- A picture scaled to 0..1; 0 if all elements are equal.
-- @tparam torch.Tensor picture
-- @number[opt] low the value that becomes 0; default: the smallest element
-- @number[opt] high the value that becomes 1; default: the largest element
-- @treturn torch.FloatTensor
function canvas.scaled(picture, low, high)
  local float = picture:float():contiguous():clone()
  low, high = low or float:min(), high or float:max()
  float:add(-low)
  if high ~= low then float:div(high - low) end
  return float:clamp(0, 1)
end

-- A picture as planes x height x width, with at least the given number of planes.
local function asPlanes(picture, planes)
  if picture:dim() == 2 then picture = picture:view(1, picture:size(1), picture:size(2)) end
  if picture:size(1) == 1 and planes > 1 then picture = picture:expand(planes, picture:size(2), picture:size(3)) end
  return picture
end

local function sizesOf(pictures)
  local planes, height, width = 1, 1, 1
  for _, picture in ipairs(pictures) do
    local dims = picture:dim()
    planes = math.max(planes, dims == 3 and picture:size(1) or 1)
    height, width = math.max(height, picture:size(dims - 1)), math.max(width, picture:size(dims))
  end
  return planes, height, width
end

--- Pictures in rows of cells of the largest size, each at its cell's top left.
-- @tparam {torch.Tensor,...} pictures height x width, or planes x height x width
-- @int perRow cells in a row
-- @tparam ?{string,...} texts a label for each picture
-- @treturn torch.FloatTensor planes x height x width
-- @treturn {{number,number,string},...} the labels, with positions as fractions from the top left
function canvas.grid(pictures, perRow, texts)
  local planes, height, width = sizesOf(pictures)
  local rows = math.ceil(#pictures / perRow)
  local columns = math.min(perRow, #pictures)
  local whole, labels = torch.FloatTensor(planes, rows * height, columns * width):fill(background), {}
  for i, picture in ipairs(pictures) do
    local row, column = math.floor((i - 1) / perRow), (i - 1) % perRow
    local part = asPlanes(picture, planes)
    whole:narrow(2, row * height + 1, part:size(2)):narrow(3, column * width + 1, part:size(3)):narrow(1, 1, part:size(1)):copy(part)
    if texts and texts[i] then labels[#labels + 1] = { column / columns, row / rows, tostring(texts[i]) } end
  end
  return whole, labels
end

return canvas
