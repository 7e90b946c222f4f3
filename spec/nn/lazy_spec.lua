-- Modules that learn the size of their input: nn.LazyLinear, nn.LazyConv2d, ...
local torch, nn = require 'torch', require 'nn'
local assertClose = require('spec.support.close').assertClose
local raises = assert.error_matches

-- A class, its arguments, the sizes of an input, the class that its modules become, and the arguments of that.
local cases = {
  { 'LazyLinear', { 4 }, { 3, 5 }, 'nn.Linear', { 5, 4 } },
  { 'LazyLinear', { 4, false }, { 2, 3, 5 }, 'nn.Linear', { 5, 4, false } },
  { 'LazyConv1d', { 4, 3 }, { 2, 7 }, 'nn.Conv1d', { 2, 4, 3 } },
  { 'LazyConv2d', { 4, 3, { padding = 'same', groups = 2, bias = false } }, { 2, 6, 5, 5 }, 'nn.Conv2d',
    { 6, 4, 3, { padding = 'same', groups = 2, bias = false } } },
  { 'LazyConv3d', { 2, 2, 1, 1 }, { 1, 3, 2, 2, 2 }, 'nn.Conv3d', { 3, 2, 2, 1, 1 } },
  { 'LazyConvTranspose1d', { 4, 3, 2 }, { 1, 2, 7 }, 'nn.ConvTranspose1d', { 2, 4, 3, 2 } },
  { 'LazyConvTranspose2d', { 4, 3, { dilation = 2 } }, { 2, 5, 5 }, 'nn.ConvTranspose2d', { 2, 4, 3, { dilation = 2 } } },
  { 'LazyBatchNorm1d', {}, { 4, 3 }, 'nn.BatchNorm1d', { 3 } },
  { 'LazyBatchNorm1d', { 1e-3, 0.2 }, { 4, 3, 2 }, 'nn.BatchNorm1d', { 3, 1e-3, 0.2 } },
  { 'LazyBatchNorm2d', { { momentum = false } }, { 2, 3, 2, 2 }, 'nn.BatchNorm2d', { 3, { momentum = false } } },
  { 'LazyBatchNorm3d', {}, { 2, 3, 2, 2, 1 }, 'nn.BatchNorm3d', { 3 } },
  { 'LazyInstanceNorm1d', { { affine = true } }, { 2, 5 }, 'nn.InstanceNorm1d', { 2, { affine = true } } },
  { 'LazyInstanceNorm2d', { 0.1, { affine = true, trackRunningStats = true } }, { 2, 3, 2, 4 }, 'nn.InstanceNorm2d',
    { 3, 0.1, { affine = true, trackRunningStats = true } } },
  { 'LazyInstanceNorm3d', { { affine = true } }, { 3, 2, 2, 2 }, 'nn.InstanceNorm3d', { 3, { affine = true } } },
  { 'LazyConvTranspose3d', { 1, 2 }, { 1, 2, 2, 2, 3 }, 'nn.ConvTranspose3d', { 2, 1, 2 } },
}

for _, case in ipairs(cases) do
  local name, arguments, sizes, real, realArguments = unpack(case)
  describe(('nn.%s with %d arguments'):format(name, #arguments), function()
    local function made() return nn[name](unpack(arguments)) end
    local input = torch.linspace(-1, 1, torch.LongTensor(sizes):prod()):view(torch.LongStorage(sizes))

    it('becomes ' .. real .. ' in a forward, and computes the same', function()
      torch.manualSeed(3)
      local lazy = made()
      local output = lazy:forward(input):clone()
      torch.manualSeed(3)
      local expected = nn[real:sub(4)](unpack(realArguments))
      assert.equal(real, torch.type(lazy))
      assertClose(expected:forward(input), output)
      assertClose(expected:backward(input, output), lazy:backward(input, output))
      assertClose(expected.gradWeight, lazy.gradWeight)
      assert.equal(tostring(expected), tostring(lazy))
      for key, value in pairs(expected) do assert.equal(type(value), type(lazy[key]), key) end
      for key in pairs(lazy) do assert.is_true(expected[key] ~= nil or key == 'addBuffer', key) end
    end)

    it('becomes it in calls, with its mode and type', function()
      local lazy = made():float()
      lazy:evaluate()
      local output = lazy(input:float():requiresGrad())
      assert.is_true(output:isTracked())
      assert.equal('torch.FloatTensor', lazy.weight:type())
      assert.is_false(lazy.train)
      for key, buffer in lazy:namedBuffers() do
        assert.equal(key == 'num_batches_tracked' and 'torch.LongTensor' or 'torch.FloatTensor', buffer:type())
      end
      assert.equal(real, torch.type(lazy))
      assert.equal(real, (function() local other = made() torch.noGrad(function() other(input) end) return torch.type(other) end)())
    end)

    it('goes through files and clones before it', function()
      local copy = made():clone()
      assert.equal('nn.' .. name .. '()', tostring(copy))
      copy:forward(input)
      assert.equal(real, torch.type(copy))
    end)
  end)
end

describe('A lazy module', function()
  it('is a layer of a network', function()
    local net = nn.Sequential():add(nn.LazyConv2d(3, 3)):add(nn.ReLU()):add(nn.View(-1):setNumInputDims(3)):add(nn.LazyLinear(2))
    local output = net:forward(torch.ones(2, 1, 5, 5))
    assert.same({ 2, 2 }, output:size():totable())
    assert.equal(4, #net:parameters())
    assert.same({ 2, 27 }, net:get(4).weight:size():totable())
    assert.equal(2 * 27 + 2 + 3 * 9 + 3, net:getParameters():nElement())
  end)

  it('has no parameters before', function()
    local net = nn.Sequential():add(nn.LazyLinear(2))
    for _, method in ipairs { 'parameters', 'getParameters', 'zeroGradParameters' } do
      raises(function() net[method](net) end,
        'nn%.LazyLinear: parameters: none before the first forward, which makes the module a nn%.Linear')
    end
  end)

  it('is unchanged by an input that does not fit', function()
    local lazy = nn.LazyConv2d(3, 3, { groups = 3 })
    raises(function() lazy:forward(torch.ones(5)) end, 'nn%.LazyConv2d: input: 1 dimensions, expected 3, or 4 with a batch')
    raises(function() lazy:forward { torch.ones(5) } end, 'nn%.LazyConv2d: input: a table, expected a tensor')
    raises(function() lazy:forward(torch.ones(4, 5, 5)) end, 'nn%.Conv2d: inChannels: 4, expected a multiple of the 3 groups')
    assert.equal('nn.LazyConv2d', torch.type(lazy))
    assert.same({ 1, 3, 3, 3 }, lazy:forward(torch.ones(1, 3, 5, 5)):size():totable())
  end)

  it('checks its arguments at once', function()
    raises(function() nn.LazyConv2d(3, 0) end, 'nn%.LazyConv2d: kernelSize: 0, expected a whole number, 1 or more')
    raises(function() nn.LazyBatchNorm2d(-1) end, 'nn%.LazyBatchNorm2d: eps: %-1, expected')
    raises(function() nn.LazyBatchNorm1d():forward(torch.ones(3)) end, 'nn%.LazyBatchNorm1d: input: 1 dimensions, expected 2 or 3')
    raises(function() nn.LazyBatchNorm2d():forward(torch.ones(3, 3, 3)) end, 'nn%.LazyBatchNorm2d: input: 3 dimensions, expected 4')
    raises(function() nn.LazyLinear() end, 'nn%.LazyLinear: outputSize: nil, expected')
    raises(function() nn.LazyConv1d(3, 2, { inChannels = 3 }) end, 'nn%.LazyConv1d: options: inChannels, expected one of')
  end)

  it('stays on its device', function()
    local lazy = nn.LazyLinear(3):type('float on meta')
    assert.equal('meta', lazy:forward(torch.FloatTensor(2, 4):type('float on meta')):device())
    assert.equal('meta', lazy.weight:device())
  end)
end)
