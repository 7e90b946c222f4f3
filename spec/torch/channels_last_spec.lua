-- Images with their channels last: the same numbers by the same indices, laid out otherwise.
local torch, nn = require 'torch', require 'nn'

local function near(a, b, tolerance)
  assert.same(a:size():totable(), b:size():totable())
  a, b = a:detach():double(), b:detach():double()
  assert.is_true((a - b):abs():max() <= tolerance * math.max(1, b:clone():abs():max()))
end

local types = { ['torch.FloatTensor'] = 2e-5, ['torch.DoubleTensor'] = 1e-12, ['torch.HalfTensor'] = 4e-3 }

describe('channelsLast', function()
  it('keeps sizes and values, and puts the channels last in memory', function()
    for _, sizes in ipairs { { 2, 3, 4, 5 }, { 2, 3, 2, 4, 5 }, { 1, 1, 1, 1 }, { 2, 1, 3, 3 }, { 3, 16, 9, 8 } } do
      local x = torch.randn(unpack(sizes))
      local last = x:channelsLast()
      assert.is_true(last:isChannelsLast())
      assert.is_false(x:isChannelsLast())
      assert.is_true(last:equal(x))
      local memory = torch.Tensor(last:storage())
      local order = { 1 }
      for d = 3, #sizes do order[#order + 1] = d end
      order[#order + 1] = 2
      assert.is_true(memory:equal(x:permute(unpack(order)):contiguous():view(-1)))
      assert.is_true(rawequal(last:channelsLast():storage(), last:storage()) or last:channelsLast():data() == last:data())
      assert.is_true(last:clone():isChannelsLast())
      assert.is_true(last:float():isChannelsLast())
      local back = last:contiguous()
      assert.is_true(back:isContiguous())
      assert.is_true(back:equal(x))
    end
    assert.same({ 0, 2, 3, 3 }, torch.randn(0, 2, 3, 3):channelsLast():size():totable())
  end)

  it('refuses what has no channels and images', function()
    assert.has_error(function() torch.randn(3, 4):channelsLast() end,
                     'channelsLast: x: [3, 4] came, (n, channels, height, width) or (n, channels, depth, height, width) was expected')
    assert.has_error(function() torch.randn(2, 2, 2, 2, 2, 2):channelsLast() end)
  end)

  it('is not what a program permuted itself: results of ops on that are contiguous', function()
    local x = torch.randn(2, 4, 5, 3):permute(1, 4, 2, 3)
    assert.is_false(x:isChannelsLast())
    assert.is_true((x + 1):isContiguous())
    assert.is_true(torch.conv2d(x, torch.randn(2, 3, 3, 3)):isContiguous())
  end)

  it('is kept by views of all of it alone', function()
    local x = torch.randn(2, 3, 4, 5):channelsLast()
    assert.is_false(x:narrow(2, 1, 2):isChannelsLast())
    assert.is_false(x:transpose(3, 4):isChannelsLast())
    assert.is_false(x:select(1, 1):isChannelsLast())
    assert.is_true(x:narrow(1, 2, 1):isChannelsLast())
  end)
end)

-- name, result of x, sizes of x
local cases = {
  { '3x3', function(x, of) return torch.conv2d(x, of(5, 3, 3, 3), of(5), 1, 1, 1, 1) end, { 2, 3, 7, 6 } },
  { '3x3 of many channels', function(x, of) return torch.conv2d(x, of(32, 32, 3, 3), of(32), 1, 1, 1, 1) end, { 2, 32, 13, 12 } },
  { '3x3 with stride', function(x, of) return torch.conv2d(x, of(24, 16, 3, 3), nil, 2, 2, 1, 1) end, { 3, 16, 14, 15 } },
  { '1x1', function(x, of) return torch.conv2d(x, of(48, 32, 1, 1), of(48)) end, { 2, 32, 14, 15 } },
  { 'dilated', function(x, of) return torch.conv2d(x, of(8, 16, 3, 2), of(8), 1, 1, 0, 0, 2, 3) end, { 2, 16, 14, 15 } },
  { 'groups', function(x, of) return torch.conv2d(x, of(16, 4, 3, 3), of(16), 1, 1, 1, 1, 1, 1, 4) end, { 2, 16, 14, 15 } },
  { 'depthwise', function(x, of) return torch.conv2d(x, of(16, 1, 3, 3), of(16), 1, 1, 1, 1, 1, 1, 16) end, { 2, 16, 14, 15 } },
  { 'large windows', function(x, of) return torch.conv2d(x, of(16, 3, 7, 7), nil, 2, 2, 3, 3) end, { 2, 3, 40, 41 } },
  { 'volumes', function(x, of) return torch.conv3d(x, of(16, 8, 3, 3, 3), of(16), 1, 1, 1, 1, 1, 1) end, { 2, 8, 6, 7, 8 } },
  { 'transposed', function(x, of) return torch.convTranspose2d(x, of(8, 6, 3, 3), of(6), 2, 2, 1, 1, 1, 1) end, { 2, 8, 7, 6 } },
  { 'sum', function(x, of) return x + of(2, 3, 4, 5) end, { 2, 3, 4, 5 } },
  { 'a number first', function(x) return 2 - x * 3 end, { 2, 3, 4, 5 } },
  { 'broadcast', function(x, of) return torch.cmul(x, of(1, 3, 1, 1)) end, { 2, 3, 4, 5 } },
  { 'activation', function(x) return torch.tanh(torch.relu(x)) end, { 2, 3, 4, 5 } },
  { 'normalised', function(x, of) return (torch.batchNorm(x, of(19), of(19), true)) end, { 3, 19, 5, 6 } },
  { 'normalised, far from 0', function(x, of) return (torch.batchNorm(x + 1000, of(70), of(70), true)) end, { 2, 70, 30, 31 }, 2e-3 },
  { 'normalised volumes', function(x, of) return (torch.batchNorm(x, of(16), of(16), true)) end, { 2, 16, 3, 5, 6 } },
  { 'normalised as before', function(x, of)
    return (torch.batchNorm(x, of(8), of(8), torch.range(1, 8):typeAs(x), torch.range(2, 9):typeAs(x), false))
  end, { 2, 8, 5, 6 } },
}

describe('ops on images with their channels last', function()
  for _, case in ipairs(cases) do
    local name, f, sizes, least = unpack(case)
    for type, usual in pairs(types) do
      local tolerance = type == 'torch.DoubleTensor' and usual * 100 or math.max(usual, least or 0)
      it(('give the same, laid out so: %s, %s'):format(name, type), function()
        local function run(layOut)
          torch.manualSeed(1)
          local leaves = {}
          local function of(...)
            leaves[#leaves + 1] = torch.randn(...):type(type):requiresGrad()
            return leaves[#leaves]
          end
          local x = layOut(torch.randn(unpack(sizes)):type(type)):requiresGrad()
          local y = f(x, of)
          y:backward(layOut(torch.randn(y:size()):type(type)))
          return y, x.grad, leaves
        end
        local y, xGrad, leaves = run(function(x) return x end)
        local yLast, xGradLast, leavesLast = run(function(x) return x:channelsLast() end)
        assert.is_true(yLast:isChannelsLast())
        assert.is_true(xGradLast:isChannelsLast())
        near(yLast, y, tolerance)
        near(xGradLast, xGrad, tolerance)
        for i, leaf in ipairs(leaves) do near(leavesLast[i].grad, leaf.grad, tolerance) end
      end)
    end
  end

  it('write into a result that is there, however it lies', function()
    local x, weight, bias = torch.randn(2, 32, 14, 15), torch.randn(48, 32, 1, 1), torch.randn(48)
    local y = torch.conv2d(x, weight, bias)
    for _, images in ipairs { x, x:channelsLast() } do
      local contiguous, last = torch.Tensor(y:size()), torch.Tensor(y:size()):channelsLast()
      torch.conv2d(contiguous, images, weight, bias)
      torch.conv2d(last, images, weight, bias)
      assert.is_true(contiguous:isContiguous())
      assert.is_true(last:isChannelsLast())
      near(contiguous, y, 1e-12)
      near(last, y, 1e-12)
    end
    local sum = torch.Tensor(x:size())
    torch.add(sum, x:channelsLast(), x)
    assert.is_true(sum:isContiguous())
    assert.is_true(sum:equal(2 * x))
  end)

  it('take volumes without a batch as they are, whose dimension 2 is not that of channels', function()
    local x, weight = torch.randn(2, 3, 4, 5), torch.randn(2, 2, 2, 2, 2)
    near(torch.conv3d(x:channelsLast(), weight), torch.conv3d(x, weight), 1e-12)
  end)

  it('take a network from its first layer to its last', function()
    torch.manualSeed(3)
    local net = nn.Sequential():add(nn.SpatialConvolution(3, 16, 3, 3, 1, 1, 1, 1))
    net:add(nn.SpatialBatchNormalization(16)):add(nn.ReLU(true))
    net:add(nn.SpatialMaxPooling(2, 2, 2, 2)):add(nn.SpatialConvolution(16, 16, 1, 1)):add(nn.Dropout(0))
    net:add(nn.SpatialAveragePooling(2, 2, 2, 2))
    net:add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(16 * 9, 5)):add(nn.LogSoftMax())
    local other = net:clone()
    local x, target = torch.randn(4, 3, 12, 12), torch.LongTensor { 1, 5, 2, 3 }
    local criterion = nn.ClassNLLCriterion()
    local function step(model, images)
      local y = model:forward(images)
      local loss = criterion:forward(y, target)
      model:zeroGradParameters()
      local gradInput = model:backward(images, criterion:backward(y, target))
      local _, gradients = model:parameters()
      return y:clone(), loss, gradInput:clone(), gradients
    end
    local y, loss, gradInput, gradients = step(net, x)
    local yLast, lossLast, gradInputLast, gradientsLast = step(other, x:channelsLast())
    near(yLast, y, 1e-12)
    assert.near(loss, lossLast, 1e-12)
    near(gradInputLast, gradInput, 1e-10)
    for i, g in ipairs(gradients) do near(gradientsLast[i], g, 1e-10) end
  end)
end)
