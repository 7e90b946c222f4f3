-- Modules on pictures: convolution and pooling against plain loops, batch normalisation against its formulas.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local function outputSize(size, kernel, step, pad) return math.floor((size + 2 * pad - kernel) / step) + 1 end

-- Visits each element of a window: fn(y, x of the picture inside its border, row, column of the window).
local function window(net, i, j, height, width, fn)
  for u = 1, net.kH do
    for v = 1, net.kW do
      local y, x = (i - 1) * net.dH + u - net.padH, (j - 1) * net.dW + v - net.padW
      if y >= 1 and y <= height and x >= 1 and x <= width then fn(y, x, u, v) end
    end
  end
end

local function plainConvolution(net, input)
  local n, planes, height, width = unpack(input:size():totable())
  local rows, columns = outputSize(height, net.kH, net.dH, net.padH), outputSize(width, net.kW, net.dW, net.padW)
  local result = torch.DoubleTensor(n, net.nOutputPlane, rows, columns)
  for s = 1, n do
    for o = 1, result:size(2) do
      for i = 1, result:size(3) do
        for j = 1, result:size(4) do
          local sum = net.bias and net.bias[o] or 0
          for p = 1, planes do
            window(net, i, j, height, width, function(y, x, u, v) sum = sum + input[s][p][y][x] * net.weight[o][p][u][v] end)
          end
          result[s][o][i][j] = sum
        end
      end
    end
  end
  return result
end

describe('nn.SpatialConvolution', function()
  it('sums products over each window', function()
    local cases = { { 2, 3, 3, 2 }, { 2, 3, 3, 2, 2, 1 }, { 2, 3, 3, 2, 1, 2, 1, 0 }, { 2, 3, 3, 3, 2, 2, 1 }, { 2, 3, 1, 1 } }
    for _, arguments in ipairs(cases) do
      local net, x = nn.SpatialConvolution(unpack(arguments)):double(), layers.input(2, 2, 6, 7)
      assertClose(plainConvolution(net, x), net:forward(x), 1e-14)
    end
  end)

  it('takes one picture, and works without a bias', function()
    local net, x = nn.SpatialConvolution(2, 3, 3, 3):double():noBias(), layers.input(2, 5, 5)
    assertClose(plainConvolution(net, x:view(1, 2, 5, 5)):view(3, 3, 3), net:forward(x), 1e-14)
  end)

  it('has the gradients that differences show, in both worlds', function()
    for _, net in ipairs { nn.SpatialConvolution(2, 3, 3, 2, 2, 1, 1, 1), nn.SpatialConvolution(2, 3, 3, 3):noBias() } do
      net:double()
      layers.checkGradients(net, layers.input(2, 2, 5, 4))
      layers.checkBothWorlds(net, layers.input(2, 2, 5, 4))
    end
    layers.checkGradients(nn.SpatialConvolution(2, 3, 3, 3):double(), layers.input(2, 5, 4))
  end)

  it('draws weight, then bias', function()
    torch.manualSeed(5)
    local net = nn.SpatialConvolution(2, 3, 2, 2):double()
    torch.manualSeed(5)
    local bound = 1 / math.sqrt(8)
    local expected = torch.DoubleTensor(27):uniform(-bound, bound)
    assertClose(expected:narrow(1, 1, 24), net.weight:view(-1))
    assertClose(expected:narrow(1, 25, 3), net.bias)
  end)

  it('prints strides and pads where they matter', function()
    assert.equal('nn.SpatialConvolution(3 -> 16, 5x5)', tostring(nn.SpatialConvolution(3, 16, 5, 5)))
    assert.equal('nn.SpatialConvolution(3 -> 16, 5x5, 2,2)', tostring(nn.SpatialConvolution(3, 16, 5, 5, 2, 2)))
    local padded = nn.SpatialConvolution(3, 16, 5, 5, 1, 1, 2):noBias()
    assert.equal('nn.SpatialConvolution(3 -> 16, 5x5, 1,1, 2,2) without bias', tostring(padded))
  end)
end)

local function plainPooling(net, input, height, width)
  local n, planes = input:size(1), input:size(2)
  local result = torch.DoubleTensor(n, planes, height, width)
  for s = 1, n do
    for p = 1, planes do
      for i = 1, height do
        for j = 1, width do
          local best = -math.huge
          window(net, i, j, input:size(3), input:size(4), function(y, x) best = math.max(best, input[s][p][y][x]) end)
          result[s][p][i][j] = best
        end
      end
    end
  end
  return result
end

describe('nn.SpatialMaxPooling', function()
  it('takes the largest of each window', function()
    local x = layers.input(2, 3, 7, 6)
    assertClose(plainPooling(nn.SpatialMaxPooling(2, 2), x, 3, 3), nn.SpatialMaxPooling(2, 2):double():forward(x))
    assertClose(plainPooling(nn.SpatialMaxPooling(3, 2, 2, 1), x, 6, 2), nn.SpatialMaxPooling(3, 2, 2, 1):double():forward(x))
    assertClose(plainPooling(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1), x, 4, 3), nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1):double():forward(x))
    assertClose(plainPooling(nn.SpatialMaxPooling(2, 2):ceil(), x, 4, 3), nn.SpatialMaxPooling(2, 2):ceil():double():forward(x))
  end)

  it('tells where it found them', function()
    local net = nn.SpatialMaxPooling(2, 2):double()
    net:forward(torch.DoubleTensor { { { { 1, 2, 5, 5 }, { 3, 0, 5, 5 } } } })
    assert.same({ 5, 3 }, { net.indices[1][1][1][1], net.indices[1][1][1][2] })
  end)

  it('has the gradients that differences show, in both worlds', function()
    for _, net in ipairs { nn.SpatialMaxPooling(2, 2), nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1), nn.SpatialMaxPooling(2, 2):ceil() } do
      net:double()
      layers.checkGradients(net, layers.input(2, 2, 5, 5))
      layers.checkBothWorlds(net, layers.input(2, 2, 5, 5))
      layers.checkGradients(net, layers.input(2, 5, 5))
    end
  end)

  it('refuses pads beyond half of the window', function()
    local net = nn.SpatialMaxPooling(2, 2, 2, 2, 2, 2)
    assert.error_matches(function() net:forward(torch.Tensor(1, 1, 4, 4)) end, 'half of kernel size')
  end)
end)

describe('nn.BatchNormalization', function()
  it('gives each feature mean 0 and variance 1, then weight and bias', function()
    local net = nn.BatchNormalization(1, 0):double()
    net.weight:fill(3)
    net.bias:fill(1)
    assertClose({ { -2 }, { 4 } }, net:forward(torch.DoubleTensor { { 5 }, { 7 } }), 1e-14)
  end)

  it('goes back in a copy without following twice', function()
    local net, x = nn.BatchNormalization(3):double(), layers.input(5, 3)
    net:forward(x)
    local copy = net:clone()
    assertClose(net:backward(x, x), copy:backward(x, x), 1e-15)
    assertClose(net.running_mean, copy.running_mean)
    assertClose(net.running_var, copy.running_var)
  end)

  it('follows mean and unbiased variance with its momentum, and uses them in evaluation', function()
    local net = nn.BatchNormalization(1, 0, 0.25, false):double()
    net:forward(torch.DoubleTensor { { 5 }, { 7 } })
    assertClose({ 0.25 * 6 }, net.running_mean, 1e-15)
    assertClose({ 0.75 + 0.25 * 2 }, net.running_var, 1e-15)
    net:evaluate()
    assertClose({ { (4 - 1.5) / math.sqrt(1.25) } }, net:forward(torch.DoubleTensor { { 4 } }), 1e-14)
    assertClose({ (4 - 1.5) / math.sqrt(1.25) }, net:forward(torch.DoubleTensor { 4 }), 1e-14)
  end)

  it('has the gradients that differences show, in both worlds', function()
    for _, case in ipairs {
      { nn.BatchNormalization(3), 5, 3 }, { nn.BatchNormalization(3, 1e-3, 0.1, false), 5, 3 },
      { nn.SpatialBatchNormalization(2), 3, 2, 2, 3 },
    } do
      local net, x = case[1]:double(), layers.input(unpack(case, 2))
      layers.checkGradients(net, x)
      layers.checkBothWorlds(net, x)
      net:evaluate()
      layers.checkGradients(net, x)
      layers.checkBothWorlds(net, x)
    end
  end)

  it('keeps running statistics out of the parameters', function()
    assert.equal(2, #nn.BatchNormalization(3):parameters())
    assert.equal(nil, (nn.BatchNormalization(3, 1e-5, 0.1, false):parameters()))
  end)

  it('says what is wrong with its input', function()
    local flat, spatial = nn.BatchNormalization(3), nn.SpatialBatchNormalization(3)
    assert.error_matches(function() flat:forward(torch.Tensor(2, 3, 4)) end, 'only mini%-batch supported %(2D tensor%), got 3D')
    assert.error_matches(function() spatial:forward(torch.Tensor(2, 4, 5, 5)) end, 'got 4%-feature tensor, expected 3')
  end)
end)

describe('Nearest upsampling', function()
  it('repeats elements exactly at every scale, and sums their gradients', function()
    for _, kind in ipairs { 'torch.DoubleTensor', 'torch.FloatTensor', 'torch.HalfTensor' } do
      for scale = 1, 4 do
        for _, net in ipairs { nn.SpatialUpSamplingNearest(scale), nn.UpSampling(scale) } do
          local x = layers.input(2, 3, 2, 3):mul(30000):type(kind)
          local y = net:type(kind):forward(x)
          local blocks = y:view(2, 3, 2, scale, 3, scale)
          for i = 1, scale do
            for j = 1, scale do assert.is_true(blocks:select(6, j):select(4, i):equal(x)) end
          end
          local g = y:clone():fill(0.25)
          assertClose(x:clone():fill(scale * scale / 4):double(), net:backward(x, g):double())
        end
      end
    end
  end)
end)
