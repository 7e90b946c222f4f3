--- RetinaNet: a pyramid of features of a ResNet, and at each place of each level the classes and boxes of its anchors.
-- The outputs are logits (N, anchors, numClasses), whose first class is the background that torchvision's numbers have, and codes of boxes
-- (N, anchors, 4), in the order of `vision.anchors`; `net:featureSizes(height, width)` has the sizes of the levels that it expects.
-- Sources: the paper below; Lin et al. (2017), "Feature Pyramid Networks for Object Detection", CVPR, figure 3. Names are torchvision's.
-- @module zoo.models.retinanet
local torch, nn, images = require 'torch', require 'nn', require 'zoo.images'
local resnet = require 'zoo.models.resnet'

local RetinaNet = torch.class('zoo.RetinaNet', 'nn.Module', {})
local Pyramid = torch.class('zoo.FeaturePyramid', 'nn.Module', {})
local Head = torch.class('zoo.RetinaNetHead', 'nn.Module', {})

local anchorsPerPlace, levels = 9, { 'layer2', 'layer3', 'layer4' }

local function conv(inputs, outputs, size, stride)
  return nn.Conv2d(inputs, outputs, size, { stride = stride or 1, padding = (size - 1) / 2 })
end

function Pyramid:__init(inputs, width)
  local inner, layers = {}, {}
  for i, count in ipairs(inputs) do
    inner[i], layers[i] = nn.Sequential(conv(count, width, 1)), nn.Sequential(conv(width, width, 3))
  end
  self.inner_blocks, self.layer_blocks = nn.ModuleList(inner), nn.ModuleList(layers)
  self.extra_blocks = nn.ModuleDict { { 'p6', conv(width, width, 3, 2) }, { 'p7', conv(width, width, 3, 2) } }
end

function Pyramid:forward(features)
  local found, above = {}, nil
  for i = #features, 1, -1 do
    local x = self.inner_blocks[i](features[i])
    if above then x = torch.add(x, nn.functional.interpolate(above, { size = { x:size(3), x:size(4) }, mode = 'nearest' })) end
    above, found[i] = x, self.layer_blocks[i](x)
  end
  local p6 = self.extra_blocks.p6(found[#features])
  found[#found + 1] = p6
  found[#found + 1] = self.extra_blocks.p7(nn.functional.relu(p6))
  return found
end

-- Four convolutions, and one that has `count` numbers for each anchor.
function Head:__init(width, count, name)
  local layers = {}
  for i = 1, 4 do layers[i] = nn.Sequential(conv(width, width, 3), nn.ReLU()) end
  self.conv = nn.ModuleList(layers)
  self.name, self.count = name, count
  self[name] = conv(width, anchorsPerPlace * count, 3)
end

function Head:forward(x)
  for i = 1, 4 do x = self.conv[i](x) end
  x = self[self.name](x)
  local n, height, width = x:size(1), x:size(3), x:size(4)
  local places = torch.view(x, n, anchorsPerPlace, self.count, height, width)
  return torch.reshape(torch.permute(places, 1, 4, 5, 2, 3), { n, height * width * anchorsPerPlace, self.count })
end

function RetinaNet:__init(o)
  local body = resnet.make(resnet:optionsOf('zoo.make', 'resnet50', { widthPerGroup = o.widthPerGroup }))
  body.fc, body.avgpool = nil, nil
  self.backbone = nn.ModuleDict { { 'body', body }, { 'fpn', Pyramid.new({ 512, 1024, 2048 }, o.width) } }
  self.head = nn.ModuleDict {
    { 'classification_head', Head.new(o.width, o.numClasses, 'cls_logits') }, { 'regression_head', Head.new(o.width, 4, 'bbox_reg') },
  }
end

-- The heights and widths of the features of a picture.
function RetinaNet:featureSizes(height, width)
  local sizes = {}
  for level = 1, 7 do
    height, width = math.ceil(height / 2), math.ceil(width / 2)
    if level >= 3 then sizes[#sizes + 1] = { height, width } end
  end
  return sizes
end

function RetinaNet:forward(x)
  local body, features = self.backbone.body, {}
  x = body.layer1(body.maxpool(body.relu(body.bn1(body.conv1(x)))))
  for i, name in ipairs(levels) do
    x = body[name](x)
    features[i] = x
  end
  local logits, codes = {}, {}
  for i, level in ipairs(self.backbone.fpn(features)) do
    logits[i], codes[i] = self.head.classification_head(level), self.head.regression_head(level)
  end
  return torch.cat(logits, 2), torch.cat(codes, 2)
end

-- Heads begin with small weights, and with classes that are rare. Section 4.1 of the paper.
local function make(o)
  local net = RetinaNet.new(o)
  images.initialise(net.backbone.body)
  for _, module in ipairs(net.head:listModules()) do
    if torch.isTypeOf(module, 'nn.Conv2d') then
      nn.init.normal(module.weight, 0, 0.01)
      nn.init.zeros(module.bias)
    end
  end
  nn.init.constant(net.head.classification_head.cls_logits.bias, -math.log((1 - 0.01) / 0.01))
  return net
end

return require 'zoo.declare' {
  title = 'RetinaNet',
  paper = 'Lin et al. (2017), "Focal Loss for Dense Object Detection", ICCV',
  input = { 3, 800, 1088 }, normalisation = images.normalisation,
  options = {
    { 'numClasses', 'int', min = 1, default = 91 }, { 'width', 'int', min = 1, default = 256 },
    { 'widthPerGroup', 'int', min = 1, default = 64 },
  },
  models = { retinanet_resnet50_fpn = {} },
  make = make,
  samples = { { 'retinanet_resnet50_fpn', { numClasses = 3, width = 4, widthPerGroup = 2 }, { 1, 3, 65, 70 } } },
}
