-- Creation and filling: dtypes, results that are given, exact ends.
local torch = require 'torch'

describe('creation', function()
  it('takes sizes in any form and a type at the end', function()
    for _, x in ipairs { torch.zeros(2, 3), torch.zeros(torch.LongStorage { 2, 3 }), torch.zeros { 2, 3 },
                         torch.zeros(torch.ones(2, 3):size()) } do
      assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, x:totable())
    end
    assert.equal('torch.IntTensor', torch.ones(2, 'torch.IntTensor'):type())
    assert.equal('torch.FloatTensor', torch.full({ 2 }, 0.5, 'torch.FloatTensor'):type())
    assert.same({ 0, 3 }, torch.zeros(0, 3):size():totable())
  end)

  it('follows the default type', function()
    torch.setdefaulttensortype 'torch.FloatTensor'
    local types = { torch.zeros(1):type(), torch.eye(2):type(), torch.range(1, 2):type(), torch.linspace(0, 1):type(),
                    torch.rand(2):type() }
    torch.setdefaulttensortype 'torch.DoubleTensor'
    for _, name in ipairs(types) do assert.equal('torch.FloatTensor', name) end
  end)

  it('writes into a given result, also as a method', function()
    local x = torch.FloatTensor()
    assert.is_true(rawequal(x, torch.ones(x, 2, 2)))
    assert.is_true(rawequal(x, x:zeros(3)))
    assert.same({ 0, 0, 0 }, x:totable())
    assert.same({ { 1, 0 }, { 0, 1 }, { 0, 0 } }, x:eye(3, 2):totable())
    assert.error_matches(function() torch.ones(x, 2, 'torch.IntTensor') end, 'ones: dtype: torch.IntTensor')
  end)

  it('keeps the sizes of a result with as many elements', function()
    assert.same({ { 1, 2 }, { 3, 4 } }, torch.range(torch.zeros(2, 2), 1, 4):totable())
    assert.same({ { 0, 1 }, { 2, 3 } }, torch.linspace(torch.zeros(2, 2), 0, 3, 4):totable())
    assert.same({ 1, 2, 3 }, torch.range(torch.zeros(2, 2), 1, 3):totable())
    local transposed = torch.zeros(2, 2):t()
    assert.same({ { 1, 2 }, { 3, 4 } }, torch.range(transposed, 1, 4):totable())
  end)
end)

describe('a range', function()
  it('includes its end', function()
    assert.same({ 1, 2, 3 }, torch.range(1, 3):totable())
    assert.same({ 1, 1.5, 2 }, torch.range(1, 2.2, 0.5):totable())
    assert.same({ 3, 1 }, torch.range(3, 1, -2):totable())
    assert.same({ 9007199254740991 }, torch.range(2 ^ 53 - 1, 2 ^ 53 - 1, 1, 'torch.LongTensor'):totable())
  end)

  it('must lead from first to last', function()
    assert.error_matches(function() torch.range(1, 2, -1) end, 'range: step: %-1')
    assert.error_matches(function() torch.range(1, 2, 0) end, 'range: step: 0')
    assert.error_matches(function() torch.range(0, math.huge) end, 'range')
    assert.error_matches(function() torch.range(0 / 0, 1) end, 'range')
  end)

  it('of arange excludes it and may be empty', function()
    assert.same({ 0, 1, 2 }, torch.arange(3):totable())
    assert.same({ 1, 3 }, torch.arange(1, 5, 2):totable())
    assert.same({ 0 }, torch.arange(3, 1):size():totable())
  end)
end)

describe('spaced values', function()
  it('end exactly', function()
    local x = torch.linspace(0.1, 0.7, 17)
    assert.equal(0.1, x[1])
    assert.equal(0.7, x[17])
    assert.equal(100, torch.linspace(0, 1):nElement())
    assert.same({ 1, 10, 100 }, torch.logspace(0, 2, 3):totable())
    assert.same({ 2 }, torch.linspace(2, 2, 1):totable())
    assert.error_matches(function() torch.linspace(1, 2, 1) end, 'linspace: n: 1 value')
  end)
end)

describe('filling', function()
  it('is in place, as a function too', function()
    local x = torch.ones(3)
    assert.is_true(rawequal(x, torch.fill(x, 2)))
    assert.same({ 2, 2, 2 }, x:totable())
    assert.is_true(rawequal(x, torch.zero(x)))
    assert.same({ 0, 0, 0 }, x:totable())
    assert.is_true(rawequal(x, x:fill(7)))
  end)

  it('converts as elements are converted', function()
    assert.same({ 44, 44 }, torch.ByteTensor(2):fill(300):totable())
    assert.same({ -2 }, torch.IntTensor(1):fill(-2.7):totable())
    assert.same({ { 5, 1 }, { 5, 1 } }, (function()
      local x = torch.ones(2, 2)
      x:select(2, 1):fill(5)
      return x:totable()
    end)())
    assert.equal(0, torch.Tensor():fill(1):nElement())
  end)
end)
