--- Boxes (n, 4) in three formats: xyxy (two corners), xywh (the first corner, width, height), cxcywh (the middle, width, height).
-- Functions without a format expect xyxy. Results have gradients.
-- @module vision
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'vision.arguments'

local boxes = {}

local formats = { 'xyxy', 'xywh', 'cxcywh' }

local function columns(x, first) return torch.narrow(x, 2, first, 2) end

local toCorners = {
  xyxy = function(a, b) return a, b end,
  xywh = function(a, b) return a, torch.add(a, b) end,
  cxcywh = function(a, b)
    local half = torch.mul(b, 0.5)
    return torch.csub(a, half), torch.add(a, half)
  end,
}
local fromCorners = {
  xyxy = toCorners.xyxy,
  xywh = function(a, b) return a, torch.csub(b, a) end,
  cxcywh = function(a, b) return torch.mul(torch.add(a, b), 0.5), torch.csub(b, a) end,
}

--- Boxes in another format.
-- @tparam torch.Tensor x boxes (n, 4)
-- @string from 'xyxy', 'xywh' or 'cxcywh'
-- @string to likewise
-- @treturn torch.Tensor (n, 4); integers become doubles
-- @raise if x is no matrix of four columns, or a format is unknown
function boxes.boxConvert(x, from, to)
  local where = 'vision.boxConvert'
  x = arguments.boxes(where, 'x', x)
  from, to = check.choice(where, 'from', from, formats), check.choice(where, 'to', to, formats)
  if from == to then return torch.clone(x) end
  local a, b = toCorners[from](columns(x, 1), columns(x, 3))
  return torch.cat({ fromCorners[to](a, b) }, 2)
end

--- The areas of boxes.
-- @tparam torch.Tensor x boxes (n, 4)
-- @treturn torch.Tensor (n)
function boxes.boxArea(x)
  x = arguments.boxes('vision.boxArea', 'x', x)
  local extent = torch.csub(columns(x, 3), columns(x, 1))
  return torch.cmul(torch.select(extent, 2, 1), torch.select(extent, 2, 2))
end

--- Boxes without what lies outside of a picture.
-- @tparam torch.Tensor x boxes (n, 4)
-- @int height of the picture
-- @int width
-- @treturn torch.Tensor (n, 4)
function boxes.clipBoxes(x, height, width)
  local where = 'vision.clipBoxes'
  x = arguments.boxes(where, 'x', x)
  check.number(where, 'height', height, { min = 0 })
  check.number(where, 'width', width, { min = 0 })
  local most = torch.Tensor({ width, height, width, height }):typeAs(x):view(1, 4)
  return torch.cmin(torch.cmax(x, 0), torch.expand(most, x:size()))
end

--- Which boxes are large enough.
-- @tparam torch.Tensor x boxes (n, 4)
-- @number least width and height
-- @treturn torch.LongTensor indices of boxes whose width and height are at least that
function boxes.removeSmallBoxes(x, least)
  local where = 'vision.removeSmallBoxes'
  x = arguments.boxes(where, 'x', x)
  check.number(where, 'least', least)
  if x:size(1) == 0 then return torch.LongTensor(0) end
  local smaller = torch.min(torch.csub(columns(x, 3), columns(x, 1)), 2)
  return torch.nonzero(torch.ge(smaller:view(-1), least)):view(-1)
end

return boxes
