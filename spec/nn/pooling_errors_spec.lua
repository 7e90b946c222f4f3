-- Pooling with PyTorch's names: wrong arguments, and what the figures of PyTorch don't say.
local torch, nn = require 'torch', require 'nn'
local F = nn.functional
local raises = assert.error_matches

describe('Pooling', function()
  for what, case in pairs {
    ['an input of too few dimensions'] = { function() F.maxPool2d(torch.ones(4, 4), 2) end,
      'nn%.functional%.maxPool2d: input: 2 dimensions, expected 3, or 4 with a batch' },
    ['a window beyond the input'] = { function() F.avgPool1d(torch.ones(1, 2), 3) end, 'avgPool2d: ' },
    ['a wide padding'] = { function() F.avgPool2d(torch.ones(1, 4, 4), 2, 2, 2, { divisorOverride = 3 }) end,
      'nn%.functional%.avgPool2d: input: size 4 of dimension 3, for a window of 2 and padding of 2' },
    ['a list of a wrong length'] = { function() nn.MaxPool2d { 2, 2, 2 } end,
      'nn%.MaxPool2d: kernelSize: {2, 2, 2}, expected an integer or a list of 2' },
    ['a list of bins of a wrong length'] = { function() nn.AdaptiveAvgPool2d { 2, 2, 2 } end,
      'nn%.AdaptiveAvgPool2d: outputSize: {2, 2, 2}, expected an integer or a list of 2' },
    ['no bins'] = { function() nn.AdaptiveMaxPool1d { 0 } end,
      'nn%.AdaptiveMaxPool1d: outputSize%[1%]: 0, expected a whole number, 1 or more' },
    ['bins of no elements'] = { function() F.adaptiveAvgPool1d(torch.ones(1, 0), 2) end,
      'nn%.functional%.adaptiveAvgPool1d: input: %[1, 0%], expected elements' },
    ['a ratio beyond 1'] = { function() nn.FractionalMaxPool2d(2, { outputRatio = { 0.5, 2 } }) end,
      'nn%.FractionalMaxPool2d: outputRatio%[2%]: 2, expected a number from 0 to 1' },
    ['ratios of a wrong length'] = { function() nn.FractionalMaxPool3d(2, { outputRatio = { 0.5, 0.5 } }) end,
      'nn%.FractionalMaxPool3d: outputRatio: {0%.5, 0%.5}, expected a number or a list of 3' },
    ['neither size nor ratio'] = { function() F.fractionalMaxPool2d(torch.ones(1, 4, 4), 2) end, 'outputSize: expected it or outputRatio' },
    ['both size and ratio'] = { function() F.fractionalMaxPool2d(torch.ones(1, 4, 4), 2, 2, 0.5) end,
      'outputSize: expected it or outputRatio' },
    ['too many windows'] = { function() F.fractionalMaxPool2d(torch.ones(1, 4, 4), 2, 4) end,
      'nn%.functional%.fractionalMaxPool2d: input: size 4 of dimension 2, expected room for 4 windows of 2' },
    ['samples of another size'] = { function() F.fractionalMaxPool2d(torch.ones(3, 4, 4), 2, 2, { randomSamples = torch.zeros(3, 2) }) end,
      'nn%.functional%.fractionalMaxPool2d: randomSamples: %[3, 2%], expected %[1, 3, 2%]' },
    ['samples out of range'] = { function() F.fractionalMaxPool2d(torch.ones(1, 4, 4), 2, 2, { randomSamples = torch.ones(1, 1, 2) }) end,
      'nn%.functional%.fractionalMaxPool2d: randomSamples: expected numbers from 0, less than 1' },
    ['positions of floats'] = { function() F.maxUnpool1d(torch.ones(1, 2), torch.ones(1, 2), 2) end,
      'nn%.functional%.maxUnpool1d: indices: torch%.DoubleTensor %[1, 2%], expected a LongTensor of the size %[1, 2%]' },
    ['positions of another size'] = { function() F.maxUnpool1d(torch.ones(1, 2), torch.LongTensor(2, 1):fill(1), 2) end,
      'nn%.functional%.maxUnpool1d: indices: torch%.LongTensor %[2, 1%], expected' },
    ['positions out of range'] = { function() F.maxUnpool1d(torch.ones(1, 2), torch.LongTensor { { 1, 5 } }, 2) end, 'scatter: ' },
    ['positions from 0'] = { function() F.maxUnpool1d(torch.ones(1, 2), torch.LongTensor { { 0, 1 } }, 2) end, 'scatter: ' },
    ['an impossible size'] = { function() F.maxUnpool1d(torch.ones(1, 2), torch.LongTensor { { 1, 2 } }, 2, { outputSize = 6 }) end,
      'nn%.functional%.maxUnpool1d: outputSize: 6, expected a whole number from 3 to 5' },
    ['sizes of a wrong length'] = {
      function() nn.MaxUnpool2d(2)({ torch.ones(1, 1, 1), torch.LongTensor(1, 1, 1):fill(1) }, { 2, 2, 2, 2 }) end,
      'outputSize: {2, 2, 2, 2}, expected a list of 2 sizes' },
    ['a number for a flag'] = { function() F.maxPool2d(torch.ones(1, 4, 4), { 2, 'x' }) end,
      "kernelSize%[2%]: 'x', expected a whole number" },
  } do
    it('refuses ' .. what, function() raises(case[1], case[2]) end)
  end

  it('draws new windows in each forward, the same for the same seed', function()
    local x, pool = torch.range(1, 400):view(1, 20, 20), nn.FractionalMaxPool2d(2, { outputSize = 9 })
    torch.manualSeed(1)
    local first, second = pool:forward(x):clone(), pool:forward(x):clone()
    assert.is_false(first:equal(second))
    torch.manualSeed(1)
    assert.is_true(first:equal(pool:forward(x)))
  end)

  it('accepts a list with nil in front for the size of the input', function()
    assert.same({ 1, 4, 2 }, F.adaptiveAvgPool2d(torch.ones(1, 4, 5), { nil, 2 }):size():totable())
  end)

  it('keeps the size of a module that was called with one', function()
    local unpool, pooled = nn.MaxUnpool1d(2), nn.MaxPool1d(2, { returnIndices = true }):forward(torch.Tensor { { 1, 5, 4, 3, 7 } })
    assert.same({ 1, 5 }, unpool(pooled, { 5 }):size():totable())
    assert.same({ 1, 4 }, unpool(pooled):size():totable())
    raises(function() unpool(pooled, { 9 }) end, 'nn%.functional%.maxUnpool1d: outputSize')
    assert.same({ 1, 4 }, unpool:forward(pooled):size():totable())
  end)

  it('of modules passes positions by tables through containers', function()
    local net = nn.Sequential():add(nn.MaxPool2d(2, { returnIndices = true })):add(nn.MaxUnpool2d(2))
    local x = torch.range(1, 16):view(1, 1, 4, 4):clone()
    local expected = torch.zeros(1, 1, 4, 4)
    for _, place in ipairs { { 2, 2 }, { 2, 4 }, { 4, 2 }, { 4, 4 } } do
      expected[1][1][place[1]][place[2]] = x[1][1][place[1]][place[2]]
    end
    assert.is_true(net:forward(x):equal(expected))
    assert.is_true(net:backward(x, torch.ones(1, 1, 4, 4)):equal(torch.gt(expected, 0):double()))
  end)
end)
