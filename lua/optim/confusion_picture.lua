--- A confusion matrix as an image: cells by their fraction of the row, and a bar of each class's rate next to them.
-- @module optim.confusion_picture
local torch = require 'torch'

-- Returns the classes, the largest key first.
local function ordered(matrix, sortmode)
  local keys = sortmode == 'occurrence' and torch.sum(matrix.mat:double(), 2):view(-1) or matrix.valids:double()
  local list = keys:totable()
  local order = {}
  for i = 1, #list do order[i] = i end
  local function rank(i) return list[i] == list[i] and list[i] or -1 end
  table.sort(order, function(a, b)
    if rank(a) ~= rank(b) then return rank(a) > rank(b) end
    return a < b
  end)
  return order
end

local function fill(picture, row, column, height, width, colour)
  for channel = 1, 3 do
    picture[channel]:narrow(1, row, height):narrow(2, column, width):fill(colour[channel])
  end
end

--- @tparam optim.ConfusionMatrix matrix with updated rates
-- @tparam string sortmode 'score' or 'occurrence'
-- @tparam int block pixels per cell
-- @tparam int legendwidth pixels of the bars
-- @treturn torch.Tensor 3 x (classes block) x (classes block + legendwidth), 0 to 1
-- @raise if the sort mode is unknown
return function(matrix, sortmode, block, legendwidth)
  if sortmode ~= 'score' and sortmode ~= 'occurrence' then
    error(("ConfusionMatrix.render: sortmode: '%s', expected 'score' or 'occurrence'"):format(tostring(sortmode)), 3)
  end
  local n, order = matrix.nclasses, ordered(matrix, sortmode)
  local picture = torch.FloatTensor(3, n * block, n * block + legendwidth):fill(1)
  for row, target in ipairs(order) do
    local samples = torch.sum(matrix.mat[target])
    for column, prediction in ipairs(order) do
      local share = samples > 0 and matrix.mat[target][prediction] / samples or 0
      local colour = row == column and { 1 - share, 1, 1 - share } or { 1, 1 - share, 1 - share }
      fill(picture, (row - 1) * block + 1, (column - 1) * block + 1, block, block, colour)
    end
    local rate = matrix.valids[target]
    local length = rate == rate and math.floor(rate * legendwidth) or 0
    if length > 0 then fill(picture, (row - 1) * block + 1, n * block + 1, block, length, { 0.2, 0.4, 0.8 }) end
  end
  return picture
end
