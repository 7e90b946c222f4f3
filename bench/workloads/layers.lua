-- Group E: convolution, pooling, normalisation; forward, and forward with all gradients.
local torch, nn = require 'torch', require 'nn'
local measure, withGradients = require 'measure', require 'with_gradients'

-- Images in the usual layout, and channels last.
local layouts = { [''] = function(x) return x end, ['@channelsLast'] = function(x) return x:channelsLast() end }

local function convolution(name, batch, input, size, output, kernel, stride, pad, groups)
  for _, pass in ipairs { 'fwd', 'bwd' } do
    for variant, layOut in pairs(layouts) do
      measure.workload(('E.%s.%s%s'):format(name, pass, variant), function()
        local x = layOut(torch.randn(batch, input, size, size))
        local weight = torch.randn(output, input / groups, kernel, kernel) * 0.1
        local function f() return torch.conv2d(x, weight, nil, stride, stride, pad, pad, 1, 1, groups) end
        return pass == 'fwd' and f or withGradients(f, { x, weight })
      end)
    end
  end
end

convolution('alex1', 8, 3, 224, 64, 11, 4, 2, 1)
convolution('alex2', 8, 64, 27, 192, 5, 1, 2, 1)
convolution('alex3', 8, 192, 13, 384, 3, 1, 1, 1)
convolution('res_stem', 8, 3, 224, 64, 7, 2, 3, 1)
convolution('res2_3x3', 8, 64, 56, 64, 3, 1, 1, 1)
convolution('res2_1x1', 8, 256, 56, 64, 1, 1, 0, 1)
convolution('res3_3x3s2', 8, 128, 56, 128, 3, 2, 1, 1)
convolution('res4_1x1', 8, 1024, 14, 256, 1, 1, 0, 1)
convolution('res4_3x3', 8, 256, 14, 256, 3, 1, 1, 1)
convolution('res5_3x3', 8, 512, 7, 512, 3, 1, 1, 1)
convolution('vgg1_2', 8, 64, 224, 64, 3, 1, 1, 1)
convolution('vgg3_2', 8, 256, 56, 256, 3, 1, 1, 1)
convolution('vgg5_1', 8, 512, 14, 512, 3, 1, 1, 1)
convolution('cifar1', 32, 3, 32, 32, 5, 1, 2, 1)
convolution('cifar2', 32, 32, 16, 64, 5, 1, 2, 1)
convolution('cifar3', 32, 64, 32, 64, 3, 1, 1, 1)
convolution('depthwise', 8, 128, 28, 128, 3, 1, 1, 128)

for _, pass in ipairs { 'fwd', 'bwd' } do
  measure.workload('E.conv3d.' .. pass, function()
    local x, weight = torch.randn(4, 16, 24, 24, 24), torch.randn(32, 16, 3, 3, 3) * 0.1
    local function f() return torch.conv3d(x, weight, nil, 1, 1, 1, 1, 1, 1) end
    return pass == 'fwd' and f or withGradients(f, { x, weight })
  end)
end

local function layer(name, sizes, make)
  for _, pass in ipairs { 'fwd', 'bwd' } do
    for variant, layOut in pairs(layouts) do
      if #sizes == 4 or variant == '' then
        measure.workload(('E.%s.%s%s'):format(name, pass, variant), function()
          local x, f, leaves = layOut(torch.randn(unpack(sizes))), make()
          local function call() return f(x) end
          if pass == 'fwd' then return function() return torch.noGrad(call) end end
          return withGradients(call, { x, unpack(leaves or {}) })
        end)
      end
    end
  end
end

layer('maxpool', { 8, 64, 112, 112 }, function()
  return function(x) return (torch.maxPool2d(x, 3, 3, 2, 2, 1, 1)) end
end)
layer('avgpool', { 32, 64, 32, 32 }, function()
  return function(x) return torch.avgPool2d(x, 2, 2) end
end)
layer('batchnorm', { 32, 64, 32, 32 }, function()
  local norm = nn.SpatialBatchNormalization(64)
  return norm, norm:parameters()
end)
layer('layernorm', { 1024, 768 }, function()
  local norm = nn.LayerNorm(768)
  return norm, norm:parameters()
end)
