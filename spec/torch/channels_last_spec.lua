-- Images with their channels last: the same numbers by the same indices, laid out otherwise.
local torch, nn = require 'torch', require 'nn'
local assertClose = require('spec.support.close').assertClose

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
                     'channelsLast: x: [3, 4], expected (n, channels, height, width) or (n, channels, depth, height, width)')
    assert.has_error(function() torch.randn(2, 2, 2, 2, 2, 2):channelsLast() end)
  end)

  it('is what files keep, which for other images have the bytes they had', function()
    local x = torch.randn(2, 3, 4, 5):float()
    for _, mode in ipairs { 'ascii', 'binary' } do
      local text = torch.serialize({ x:channelsLast(), x }, mode)
      local back = torch.deserialize(text, mode)
      assert.is_true(back[1]:isChannelsLast() and back[1]:equal(x))
      assert.is_false(back[2]:isChannelsLast())
      assert.equal(1, select(2, text:gsub('V 2', '')))
      local permuted = torch.serialize(x:permute(1, 3, 4, 2):contiguous():permute(1, 4, 2, 3), mode)
      assert.is_nil(permuted:find('V 2', 1, true))
      assert.is_false(torch.deserialize(permuted, mode):isChannelsLast())
    end
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
  { 'maxima', function(x) return (torch.maxPool2d(x, 3, 3, 2, 2, 1, 1)) end, { 2, 24, 15, 14 } },
  { 'maxima of one channel', function(x) return (torch.maxPool2d(x, 2, 2)) end, { 2, 1, 6, 9 } },
  { 'maxima of volumes', function(x) return (torch.maxPool3d(x, 2, 3, 2, 1, 2, 2, 1, 1, 0, true)) end, { 2, 7, 5, 6, 7 } },
  { 'means', function(x) return torch.avgPool2d(x, 3, 2, 2, 1, 1, 1) end, { 2, 17, 9, 10 } },
  { 'means less padding', function(x) return torch.avgPool2d(x, 3, 3, 2, 2, 1, 1, true, false) end, { 2, 3, 8, 10 } },
  { 'means of whole images', function(x) return torch.avgPool2d(x, 9, 10) end, { 2, 70, 9, 10 } },
  { 'means of volumes', function(x) return torch.avgPool3d(x, 2, 3, 2, 1, 2, 2, 1, 1, 0) end, { 2, 16, 5, 6, 7 } },
  { 'joined channels', function(x) return torch.cat({ x, torch.relu(x), x * 2 }, 2) end, { 2, 3, 4, 5 } },
  { 'joined rows', function(x) return torch.cat(x, torch.relu(x), 3) end, { 2, 3, 4, 5 } },
  { 'batch by positions', function(x) return torch.index(x, 1, torch.LongTensor { 2, 2, 1 }) end, { 2, 3, 4, 5 } },
  { 'channels by positions', function(x) return torch.index(x, 2, torch.LongTensor { 3, 1, 1, 3 }) end, { 2, 3, 4, 5 } },
  { 'rows by positions', function(x) return torch.index(x, 3, torch.LongTensor { 4, 1, 1 }) end, { 2, 3, 4, 5 } },
  { 'columns by positions', function(x) return torch.index(x, -1, torch.LongTensor { 1, 5, 5, 2, 1, 1 }) end, { 2, 3, 2, 4, 5 } },
  { 'choice', function(x) return torch.where(torch.gt(x, 0), x, x * 0.1) end, { 2, 3, 4, 5 } },
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
        assertClose(y, yLast, { atol = tolerance, ofLargest = tolerance })
        assertClose(xGrad, xGradLast, { atol = tolerance, ofLargest = tolerance })
        for i, leaf in ipairs(leaves) do assertClose(leaf.grad, leavesLast[i].grad, { atol = tolerance, ofLargest = tolerance }) end
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
      assertClose(y, contiguous, { atol = 1e-12, ofLargest = 1e-12 })
      assertClose(y, last, { atol = 1e-12, ofLargest = 1e-12 })
    end
    local sum = torch.Tensor(x:size())
    torch.add(sum, x:channelsLast(), x)
    assert.is_true(sum:isContiguous())
    assert.is_true(sum:equal(2 * x))
  end)

  it('find the same maxima in the same places: the first of equals, NaN before all, padding never', function()
    local nan, inf = 0 / 0, math.huge
    for _, channels in ipairs { 1, 2, 3, 7, 8, 16, 17, 64, 130 } do
      for _, type in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do
        local x = torch.randn(2, channels, 9, 11):round():type(type)
        x:maskedFill(torch.rand(x:size()):lt(0.05), nan)
        x:maskedFill(torch.rand(x:size()):lt(0.5), -inf)
        for _, window in ipairs {
          { 3, 3, 2, 2, 1, 1 }, { 2, 2, 2, 2, 0, 0, true }, { 3, 2, 1, 1, 1, 1, false, 2, 3 }, { 9, 11 }, { 1, 1, 3, 2 },
          { 5, 5, 1, 1, 2, 2 }, { 2, 2, 1, 1, 1, 1, false, 9, 9 }, { 7, 5, 1, 1, 3, 2, true },
        } do
          local values, positions = torch.maxPool2d(x, unpack(window))
          local valuesLast, positionsLast = torch.maxPool2d(x:channelsLast(), unpack(window))
          assert.is_true(valuesLast:isChannelsLast())
          assert.is_true(positionsLast:isChannelsLast())
          assert.is_true(positionsLast:equal(positions))
          assert.is_true(valuesLast:ne(valuesLast):equal(values:ne(values)))
          assert.is_true(valuesLast:maskedFill(valuesLast:ne(valuesLast), 0):equal(values:maskedFill(values:ne(values), 0)))
        end
      end
    end
  end)

  it('take gradients and positions that lie otherwise', function()
    local x = torch.randn(3, 19, 8, 9)
    local values, positions = torch.maxPool2d(x, 3, 3, 1, 2)
    local g = torch.randn(values:size())
    local expected = torch.maxPool2d_grad(g, positions, 8, 9)
    local gLast, positionsLast = g:channelsLast(), positions:channelsLast()
    for _, pair in ipairs { { gLast, positions }, { g, positionsLast }, { gLast, positionsLast } } do
      local given = torch.maxPool2d_grad(pair[1], pair[2], 8, 9)
      assert.is_true(given:isChannelsLast())
      assert.is_true(given:equal(expected))
    end
    local wrong = positions:channelsLast()
    wrong[3][19][1][2] = 73
    assert.has_error(function() torch.maxPool2d_grad(g, wrong, 8, 9) end,
                     'maxPool2d_grad: indices: an index out of range, expected 1..72')
  end)

  it('pool images of which there are none, and into results that are there', function()
    local none, positions = torch.maxPool2d(torch.randn(0, 3, 4, 4):channelsLast(), 2, 2)
    assert.same({ 0, 3, 2, 2 }, none:size():totable())
    assert.same({ 0, 3, 4, 4 }, torch.maxPool2d_grad(none, positions, 4, 4):size():totable())
    assert.same({ 0, 3, 2, 2 }, torch.avgPool2d(torch.randn(0, 3, 4, 4):channelsLast(), 2, 2):size():totable())
    local x = torch.randn(2, 5, 6, 6)
    local values, places = torch.maxPool2d(x, 2, 2)
    local contiguous, last = torch.Tensor(), places:clone():zero():channelsLast()
    torch.maxPool2d(contiguous, last, x:channelsLast(), 2, 2)
    assert.is_true(contiguous:equal(values))
    assert.is_true(last:isChannelsLast())
    assert.is_true(last:equal(places))
  end)

  it('pool with any number of threads to the same bits', function()
    local threads, x = torch.getnumthreads(), torch.randn(1, 70, 40, 41):channelsLast()
    local function all()
      local values, positions = torch.maxPool2d(x, 3, 3, 1, 1, 1, 1)
      local mean = torch.avgPool2d(x, 3, 3, 1, 1, 1, 1)
      local valuesGrad = torch.maxPool2d_grad(values, positions, 40, 41)
      return { values, positions, mean, valuesGrad, torch.avgPool2d_grad(mean, 40, 41, 3, 3, 1, 1, 1, 1) }
    end
    torch.setnumthreads(1)
    local expected = all()
    torch.setnumthreads(3)
    local found = all()
    torch.setnumthreads(threads)
    for i, result in ipairs(found) do assert.is_true(result:equal(expected[i])) end
  end)

  it('take volumes without a batch as they are, whose dimension 2 is not that of channels', function()
    local x, weight = torch.randn(2, 3, 4, 5), torch.randn(2, 2, 2, 2, 2)
    assertClose(torch.conv3d(x, weight), torch.conv3d(x:channelsLast(), weight), { atol = 1e-12, ofLargest = 1e-12 })
    assert.is_true(torch.maxPool3d(x:channelsLast(), 2, 2, 2):equal((torch.maxPool3d(x, 2, 2, 2))))
    assertClose(torch.avgPool3d(x, 2, 2, 2), torch.avgPool3d(x:channelsLast(), 2, 2, 2), { atol = 1e-12, ofLargest = 1e-12 })
  end)

  it('leave modules of branches, borders and resampling their layout, forward and backward', function()
    local function conv(k) return nn.SpatialConvolution(8, 4, k, k) end
    local makers = {
      function() return nn.Concat(2):add(nn.Identity()):add(conv(1)) end,
      function() return nn.DepthConcat(2):add(nn.Identity()):add(conv(3)):add(conv(2)) end,
      function() return nn.Sequential():add(nn.ConcatTable():add(conv(1)):add(conv(1))):add(nn.JoinTable(2)) end,
      function() return nn.Sequential():add(nn.ConcatTable():add(nn.Identity()):add(nn.ReLU())):add(nn.CAddTable()) end,
      function() return nn.SpatialZeroPadding(1, 2, -1, 3) end,
      function() return nn.SpatialReflectionPadding(1, 2, 2, 1) end,
      function() return nn.SpatialReplicationPadding(1, 2, 2, 1) end,
      function() return nn.SpatialUpSamplingNearest(2) end,
      function() return nn.SpatialUpSamplingNearest(3) end,
      function() return nn.SpatialAdaptiveAveragePooling(1, 1) end,
      function() return nn.SpatialAdaptiveAveragePooling(3, 2) end,
      function() return nn.PReLU(8) end,
      function() return nn.ELU() end,
      function() return nn.Threshold(0.5, 1) end,
      function() return nn.Dropout(0.5) end,
      function() return nn.SpatialDropout(0.5) end,
    }
    for i, make in ipairs(makers) do
      torch.manualSeed(i)
      local net, x = make(), torch.randn(2, 8, 6, 6)
      local other = net:clone()
      local function forward(module, images)
        torch.manualSeed(i)
        return module:forward(images)
      end
      local y = forward(net, x)
      local g = torch.randn(y:size())
      local gradInput = net:backward(x, g)
      for _ = 1, 2 do                                              -- the second pass reuses buffers of the first
        local yLast = forward(other, x:channelsLast())
        local gradInputLast = other:backward(x:channelsLast(), g:channelsLast())
        assert.is_true(yLast:isChannelsLast())
        assert.is_true(gradInputLast:isChannelsLast())
        assertClose(y, yLast, { atol = 1e-12, ofLargest = 1e-12 })
        assertClose(gradInput, gradInputLast, { atol = 1e-12, ofLargest = 1e-12 })
      end
      local again = forward(other, x)
      local gradAgain = other:backward(x, g)
      assert.is_true(again:isContiguous())
      assert.is_true(gradAgain:isContiguous())
      assertClose(y, again, { atol = 1e-12, ofLargest = 1e-12 })
      assertClose(gradInput, gradAgain, { atol = 1e-12, ofLargest = 1e-12 })
    end
  end)

  it('give what has more dimensions its usual layout', function()
    local x = torch.randn(2, 3, 4, 5):channelsLast()
    assert.is_true(torch.cat({ x, x }, 5):isContiguous())
    assert.is_true(torch.cat(x, torch.randn(2, 3, 4, 5), 2):isContiguous())
  end)

  it('join into a result that is there, however it lies', function()
    local x = torch.randn(2, 3, 4, 5)
    local both, last = torch.cat(x, x, 2), x:channelsLast()
    for _, result in ipairs { torch.Tensor(2, 6, 4, 5), torch.Tensor(2, 6, 4, 5):channelsLast(), torch.Tensor() } do
      torch.cat(result, last, last, 2)
      assert.is_true(result:equal(both))
    end
    local kept = torch.Tensor(2, 3, 2, 5):channelsLast()
    torch.index(kept, last, 3, torch.LongTensor { 4, 1 })
    assert.is_true(kept:equal(torch.index(x, 3, torch.LongTensor { 4, 1 })))
  end)

  it('take a network from its first layer to its last', function()
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
    assertClose(y, yLast, { atol = 1e-12, ofLargest = 1e-12 })
    assert.near(loss, lossLast, 1e-12)
    assertClose(gradInput, gradInputLast, { atol = 1e-10, ofLargest = 1e-10 })
    assert.is_true(gradInputLast:isChannelsLast())
    for i, g in ipairs(gradients) do assertClose(g, gradientsLast[i], { atol = 1e-10, ofLargest = 1e-10 }) end
  end)
end)
