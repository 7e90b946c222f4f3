--- How boxes overlap: intersection over union of each pair of boxes, and forms of it that have a gradient when boxes are apart.
-- @module vision
local torch = require 'torch'
local arguments = require 'vision.arguments'

local overlap = {}

local eps = 1e-7      -- torchvision's, against division by 0

local function columns(x, first) return torch.narrow(x, 2, first, 2) end

-- The corners of boxes, of a as (n, 1, 2) and of b as (1, m, 2).
local function pairsOf(where, a, b)
  a, b = arguments.boxes(where, 'a', a), arguments.boxes(where, 'b', b)
  local n, m = a:size(1), b:size(1)
  local function spread(x, shape) return torch.expand(torch.reshape(x, shape), { n, m, 2 }) end
  return {
    a1 = spread(columns(a, 1), { n, 1, 2 }), a2 = spread(columns(a, 3), { n, 1, 2 }),
    b1 = spread(columns(b, 1), { 1, m, 2 }), b2 = spread(columns(b, 3), { 1, m, 2 }),
  }
end

local function part(x, i) return torch.select(x, 3, i) end
local function product(x) return torch.cmul(part(x, 1), part(x, 2)) end
local function squares(x) return torch.add(torch.cmul(part(x, 1), part(x, 1)), torch.cmul(part(x, 2), part(x, 2))) end

-- Intersection over union, and the union.
local function iouOf(p)
  local extent = torch.cmax(torch.csub(torch.cmin(p.a2, p.b2), torch.cmax(p.a1, p.b1)), 0)
  local shared = product(extent)
  local union = torch.csub(torch.add(product(torch.csub(p.a2, p.a1)), product(torch.csub(p.b2, p.b1))), shared)
  return torch.cdiv(shared, union), union
end

-- The extent of the smallest box around both.
local function around(p) return torch.cmax(torch.csub(torch.cmax(p.a2, p.b2), torch.cmin(p.a1, p.b1)), 0) end

-- The squared distance of the middles over the squared diagonal of the box around both.
local function distance(p)
  local middle = torch.mul(torch.csub(torch.add(p.a1, p.a2), torch.add(p.b1, p.b2)), 0.5)
  return torch.cdiv(squares(middle), torch.add(squares(around(p)), eps))
end

--- Intersection over union of each pair of boxes; NaN where both are empty.
-- @tparam torch.Tensor a boxes (n, 4)
-- @tparam torch.Tensor b boxes (m, 4)
-- @treturn torch.Tensor (n, m)
function overlap.boxIou(a, b) return (iouOf(pairsOf('vision.boxIou', a, b))) end

--- Generalised intersection over union: less what the box around both has besides them.
-- Rezatofighi et al. (2019), "Generalized Intersection over Union", CVPR, algorithm 1.
-- @tparam torch.Tensor a boxes (n, 4)
-- @tparam torch.Tensor b boxes (m, 4)
-- @treturn torch.Tensor (n, m), from -1 to 1
function overlap.generalizedBoxIou(a, b)
  local p = pairsOf('vision.generalizedBoxIou', a, b)
  local iou, union = iouOf(p)
  local area = product(around(p))
  return torch.csub(iou, torch.cdiv(torch.csub(area, union), area))
end

--- Intersection over union less the squared distance of the middles over the squared diagonal of the box around both.
-- Zheng et al. (2020), "Distance-IoU Loss", AAAI, equation 7.
-- @tparam torch.Tensor a boxes (n, 4)
-- @tparam torch.Tensor b boxes (m, 4)
-- @treturn torch.Tensor (n, m)
function overlap.distanceBoxIou(a, b)
  local p = pairsOf('vision.distanceBoxIou', a, b)
  return torch.csub((iouOf(p)), distance(p))
end

--- `distanceBoxIou` less a term for unlike ratios of width to height, whose weight is a constant for gradients.
-- Zheng et al. (2020), equations 8 to 11.
-- @tparam torch.Tensor a boxes (n, 4)
-- @tparam torch.Tensor b boxes (m, 4)
-- @treturn torch.Tensor (n, m)
function overlap.completeBoxIou(a, b)
  local p = pairsOf('vision.completeBoxIou', a, b)
  local iou = iouOf(p)
  local function angle(first, last)
    local extent = torch.csub(last, first)
    return torch.atan(torch.cdiv(part(extent, 1), part(extent, 2)))
  end
  local difference = torch.csub(angle(p.a1, p.a2), angle(p.b1, p.b2))
  local unlike = torch.mul(torch.cmul(difference, difference), 4 / math.pi ^ 2)
  local fixed = unlike:detach()
  local weight = torch.cdiv(fixed, torch.add(torch.csub(fixed, iou:detach()), 1 + eps))
  return torch.csub(torch.csub(iou, distance(p)), torch.cmul(weight, unlike))
end

return overlap
