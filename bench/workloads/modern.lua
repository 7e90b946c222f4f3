-- Group J: layers and losses of networks of today; forward, and forward with all gradients.
local torch, nn = require 'torch', require 'nn'
local measure, withGradients = require 'measure', require 'with_gradients'
local F = nn.functional

-- make() returns the function of a pass, and the tensors whose gradients the backward pass computes.
local function passes(name, make)
  measure.workload(('J.%s.fwd'):format(name), function()
    local f = make()
    return function() return torch.noGrad(f) end
  end)
  measure.workload(('J.%s.bwd'):format(name), function() return withGradients(make()) end)
end

passes('attention', function()
  local q, k, v = torch.randn(1, 8, 512, 64), torch.randn(1, 8, 512, 64), torch.randn(1, 8, 512, 64)
  return function() return F.scaledDotProductAttention(q, k, v) end, { q, k, v }
end)

-- A module of one input.
local function module(name, sizes, make)
  passes(name, function()
    local x, net = torch.randn(unpack(sizes)), make()
    return function() return (net(x)) end, { x, unpack(net:parameters() or {}) }
  end)
end

module('groupnorm', { 8, 128, 28, 28 }, function() return nn.GroupNorm(32, 128) end)
module('instancenorm', { 8, 64, 56, 56 }, function() return nn.InstanceNorm2d(64) end)
module('layernorm', { 2048, 512 }, function() return nn.LayerNorm(512) end)
module('gelu', { 2048, 512 }, function() return nn.GELU() end)

passes('crossentropy', function()
  local x, classes = torch.randn(512, 10000), torch.LongTensor(512):random(10000)
  return function() return F.crossEntropy(x, classes) end, { x }
end)

passes('embeddingbag', function()
  local bag, positions = nn.EmbeddingBag(10000, 128), torch.LongTensor(256, 32):random(10000)
  return function() return bag(positions) end, { bag.weight }
end)

passes('interpolate', function()
  local x = torch.randn(8, 64, 28, 28)
  return function() return F.interpolate(x, { scaleFactor = 2, mode = 'bilinear' }) end, { x }
end)

passes('ctc', function()
  local x, targets = torch.randn(100, 32, 64), torch.LongTensor(32, 20):random(2, 64)
  local lengths, targetLengths = torch.LongTensor(32):fill(100), torch.LongTensor(32):fill(20)
  return function() return F.ctcLoss(torch.logsoftmax(x, 3), targets, lengths, targetLengths) end, { x }
end)

for _, name in ipairs { 'LSTM', 'GRU' } do
  passes(name:lower(), function()
    local net, x = nn[name](128, 256, { numLayers = 2 }), torch.randn(50, 32, 128)
    return function() return (net(x)) end, { x, unpack((net:parameters())) }
  end)
end
