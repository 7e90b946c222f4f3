--- YOLOX: objects in a picture, in one stage, without anchors: each place of three levels tells one box, if there is an object, and its
-- class. Call `net(x)`: x (N, 3, height, width), blue, green, red from 0 to 255, sizes that are multiples of 32; the result (N, places, 5 +
-- numClasses) has the middles of boxes, x and y, their width and height, all in points, then logits: of an object, and of each class.
-- `net:detect(x)` returns the objects. Names of parameters are those of Megvii's package yolox.
-- Source: the paper below; Liu et al. (2018), "Path Aggregation Network for Instance Segmentation", CVPR, figure 1, for the two ways
-- between the levels.
-- @module zoo.models.yolox
local torch, nn, check = require 'torch', require 'nn', require 'torch.check'
local messages = require 'torch.check.message'
local blocks = require 'zoo.partial_stages'

local YoloX = torch.class('zoo.YoloX', 'nn.Module', {})
local Conv, Pair, Split = blocks.SiluConv, blocks.SiluConvPair, blocks.PartialStage

local strides = { 8, 16, 32 }

-- The body; c is the number of channels of the first layer.
local function newBody(c, depth, Outer)
  local function stage(inputs, count)
    return nn.Sequential(Outer.new(inputs, 2 * inputs, 3, 2), Split.new(2 * inputs, 2 * inputs, count, Outer, true))
  end
  local pools, split = blocks.PyramidPooling.new(16 * c), Split.new(16 * c, 16 * c, depth, Outer, false)
  return nn.ModuleDict {
    { 'stem', blocks.Focus.new(c) }, { 'dark2', stage(c, depth) }, { 'dark3', stage(2 * c, 3 * depth) },
    { 'dark4', stage(4 * c, 3 * depth) }, { 'dark5', nn.Sequential(Outer.new(8 * c, 16 * c, 3, 2), pools, split) },
  }
end

function YoloX:__init(o)
  local c, depth, Outer = o.baseChannels, o.depth, o.isDepthwise and Pair or Conv
  local function split(inputs, outputs) return Split.new(inputs * c, outputs * c, depth, Outer, false) end
  self.backbone = nn.ModuleDict {
    { 'backbone', newBody(c, depth, Outer) },
    { 'lateral_conv0', Conv.new(16 * c, 8 * c, 1) }, { 'C3_p4', split(16, 8) }, { 'reduce_conv1', Conv.new(8 * c, 4 * c, 1) },
    { 'C3_p3', split(8, 4) }, { 'bu_conv2', Outer.new(4 * c, 4 * c, 3, 2) }, { 'C3_n3', split(8, 8) },
    { 'bu_conv1', Outer.new(8 * c, 8 * c, 3, 2) }, { 'C3_n4', split(16, 16) },
  }
  local parts = { stems = {}, cls_convs = {}, reg_convs = {}, cls_preds = {}, reg_preds = {}, obj_preds = {} }
  for i, inputs in ipairs { 4 * c, 8 * c, 16 * c } do
    local w = 4 * c
    local function convs() return nn.Sequential(Outer.new(w, w, 3), Outer.new(w, w, 3)) end
    parts.stems[i], parts.cls_convs[i], parts.reg_convs[i] = Conv.new(inputs, w, 1), convs(), convs()
    parts.cls_preds[i], parts.reg_preds[i], parts.obj_preds[i] = nn.Conv2d(w, o.numClasses, 1), nn.Conv2d(w, 4, 1), nn.Conv2d(w, 1, 1)
    for _, rare in ipairs { parts.cls_preds[i], parts.obj_preds[i] } do nn.init.constant(rare.bias, -math.log(99)) end
  end
  local heads = {}
  for name, modules in pairs(parts) do heads[#heads + 1] = { name, nn.ModuleList(modules) } end
  table.sort(heads, function(a, b) return a[1] < b[1] end)
  self.head = nn.ModuleDict(heads)
end

local function doubled(x) return nn.functional.interpolate(x, { size = { x:size(3) * 2, x:size(4) * 2 }, mode = 'nearest' }) end

-- Features of three levels, finest first: from the coarse to the fine, and back.
local function levelsOf(neck, x)
  local body = neck.backbone
  local fine = body.dark3(body.dark2(body.stem(x)))
  local middle = body.dark4(fine)
  local top = neck.lateral_conv0(body.dark5(middle))
  local between = neck.reduce_conv1(neck.C3_p4(torch.cat({ doubled(top), middle }, 2)))
  local p3 = neck.C3_p3(torch.cat({ doubled(between), fine }, 2))
  local p4 = neck.C3_n3(torch.cat({ neck.bu_conv2(p3), between }, 2))
  return { p3, p4, neck.C3_n4(torch.cat({ neck.bu_conv1(p4), top }, 2)) }
end

-- (N, k, height, width) -> (N, height width, k), boxes in points.
local function decoded(box, logits, stride)
  local n, height, width = box:size(1), box:size(3), box:size(4)
  local rows, columns = torch.meshgrid(torch.range(0, height - 1), torch.range(0, width - 1))
  local grid = torch.stack({ columns, rows }, 1):view(1, 2, height, width):typeAs(box):expand(n, 2, height, width)
  local middles, sizes = torch.add(box:narrow(2, 1, 2), grid), torch.exp(box:narrow(2, 3, 2))
  local all = torch.cat({ torch.mul(middles, stride), torch.mul(sizes, stride), logits }, 2)
  return torch.transpose(torch.flatten(all, 3), 2, 3)
end

function YoloX:forward(x)
  if x:dim() ~= 4 or x:size(3) % 32 ~= 0 or x:size(4) % 32 ~= 0 then
    check.raise(('zoo.YoloX: x: %s, expected (N, 3, height, width), multiples of 32'):format(messages.sizes(x)), 'shape')
  end
  local head, found = self.head, {}
  for i, level in ipairs(levelsOf(self.backbone, x)) do
    level = head.stems[i](level)
    local boxes = head.reg_convs[i](level)
    local logits = torch.cat({ head.obj_preds[i](boxes), head.cls_preds[i](head.cls_convs[i](level)) }, 2)
    found[i] = decoded(head.reg_preds[i](boxes), logits, strides[i])
  end
  return torch.cat(found, 2)
end

--- Returns the objects in pictures.
-- @tparam torch.Tensor x as for the network
-- @tparam[opt] table options `score` (0.3): the least probability of an object times that of its class; `overlap` (0.45): of two boxes of a
-- class that overlap by more, the better one stays
-- @treturn {table,...} of each picture `boxes` (n, 4), x1, y1, x2, y2 in points; `scores` (n), falling; `labels` (n), classes from 1
function YoloX:detect(x, options)
  local vision = require 'vision'
  options = check.options('zoo.YoloX: detect', options, { 'score', 'overlap' })
  local least = check.number('zoo.YoloX: detect', 'score', options.score or 0.3)
  local overlap = check.number('zoo.YoloX: detect', 'overlap', options.overlap or 0.45)
  local rows, found = torch.noGrad(function() return self(x) end), {}
  for i = 1, rows:size(1) do
    local best, labels = torch.sigmoid(rows[i]:narrow(2, 6, rows:size(3) - 5)):max(2)
    local scores = torch.cmul(torch.sigmoid(rows[i]:select(2, 5)), best:view(-1))
    local left = torch.ge(scores, least):nonzero():view(-1)
    local boxes = vision.boxConvert(rows[i]:narrow(2, 1, 4):index(1, left), 'cxcywh', 'xyxy')
    scores, labels = scores:index(1, left), labels:view(-1):index(1, left)
    local kept = vision.batchedNms(boxes, scores, labels, overlap)
    found[i] = { boxes = boxes:index(1, kept), scores = scores:index(1, kept), labels = labels:index(1, kept) }
  end
  return found
end

return require 'zoo.declare' {
  title = 'YOLOX',
  paper = 'Ge et al. (2021), "YOLOX: Exceeding YOLO Series in 2021", arXiv:2107.08430',
  input = function(o) return { 3, o.side, o.side } end,
  normalisation = 'blue, green, red from 0 to 255; 114 around a smaller picture',
  options = {
    { 'numClasses', 'int', min = 1, default = 80 }, { 'baseChannels', 'int', min = 1 }, { 'depth', 'int', min = 1 },
  },
  models = {
    yolox_nano = { baseChannels = 16, depth = 1, side = 416, isDepthwise = true },
    yolox_tiny = { baseChannels = 24, depth = 1, side = 416 }, yolox_s = { baseChannels = 32, depth = 1, side = 640 },
    yolox_m = { baseChannels = 48, depth = 2, side = 640 }, yolox_l = { baseChannels = 64, depth = 3, side = 640 },
    yolox_x = { baseChannels = 80, depth = 4, side = 640 },
  },
  make = function(o) return YoloX.new(o) end,
  samples = {
    { 'yolox_s', { numClasses = 3, baseChannels = 2 }, { 1, 3, 64, 96 } },
    { 'yolox_nano', { numClasses = 2, baseChannels = 2 }, { 2, 3, 32, 32 } },
  },
}
