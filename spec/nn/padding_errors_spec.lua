-- Borders with PyTorch's names: wrong arguments, and what the figures of PyTorch don't say.
local torch, nn = require 'torch', require 'nn'
local F = nn.functional
local raises = assert.error_matches

describe('A border', function()
  for what, case in pairs {
    ['of an odd number of widths'] = { function() F.pad(torch.ones(2, 2), { 1 }) end,
      'nn%.functional%.pad: pad: 1 widths, expected two for each of at most 2 dimensions' },
    ['of more dimensions than the input has'] = { function() F.pad(torch.ones(2), { 1, 1, 1, 1 }) end,
      'pad: 4 widths, expected two for each' },
    ['that leaves nothing'] = { function() F.pad(torch.ones(2, 3), { -1, -2 }) end,
      'nn%.functional%.pad: pad: %-1 and %-2 for dimension 2 of size 3, expected a positive size of the result' },
    ['that mirrors beyond the input'] = { function() F.pad(torch.ones(1, 3), { 3, 0 }, 'reflect') end,
      'nn%.functional%.pad: padding should be less than the corresponding size of the input, got 3 and 0 for a size of 3' },
    ['that goes around more than once'] = { function() F.pad(torch.ones(1, 3), { 0, 4 }, 'circular') end,
      'nn%.functional%.pad: padding: 0 and 4, expected at most the size of dimension 2, 3' },
    ['of an unknown mode'] = { function() F.pad(torch.ones(1, 3), { 1, 1 }, 'mirror') end,
      "nn%.functional%.pad: mode: 'mirror', expected" },
    ['of a list of a wrong length'] = { function() nn.ZeroPad2d { 1, 1 } end,
      'nn%.ZeroPad2d: padding: {1, 1}, expected an integer or a list of 4' },
    ['of fractions'] = { function() nn.ZeroPad1d { 1, 0.5 } end, 'nn%.ZeroPad1d: padding%[2%]: 0%.5, expected a whole number' },
    ['of no value'] = { function() nn.ConstantPad1d(1) end, 'nn%.ConstantPad1d: value: nil, expected a number' },
    ['around an input of too few dimensions'] = { function() nn.ReflectionPad2d(1):forward(torch.ones(3, 3)) end,
      'nn%.ReflectionPad2d: input: 2 dimensions, expected 3, or 4 with a batch' },
  } do
    it(what .. ' is refused', function() raises(case[1], case[2]) end)
  end

  it('of width 0 is a copy', function()
    local x = torch.ones(2, 3)
    local y = F.pad(x, { 0, 0 })
    y:fill(7)
    assert.equal(6, x:sum())
  end)

  it('leaves infinities and nan inside as they are', function()
    local y = F.pad(torch.Tensor { math.huge, 0 / 0, 1 }, { 1, 1 }, 'constant', 5)
    assert.equal(5, y[1])
    assert.equal(math.huge, y[2])
    assert.is_true(y[3] ~= y[3])
    assert.equal(5, y[5])
  end)

  it('is possible for each type', function()
    for _, name in ipairs { 'ByteTensor', 'IntTensor', 'LongTensor', 'HalfTensor', 'FloatTensor' } do
      local x = torch[name] and torch[name](2):fill(3)
      if x then
        local y = F.pad(x, { 1, 0 }, 'constant', 2)
        assert.equal(x:type(), y:type())
        assert.same({ 2, 3, 3 }, y:double():totable())
        assert.same({ 3, 3, 3 }, F.pad(x, { 1, 0 }, 'circular'):double():totable())
      end
    end
  end)
end)
