-- The comparison that other specs use must fail for different values.
local torch = require 'torch'
local close = require 'spec.support.close'

describe('close', function()
  local nan, inf = 0 / 0, math.huge

  it('allows the larger of atol and rtol |expected|', function()
    assert.is_true(close.isClose(100, 101, { rtol = 0.01 }))
    assert.is_true(close.isClose({ 1, 100 }, torch.Tensor { 1.5, 100 }, 0.5))
    assert.is_true(close.isClose(torch.Tensor { 1, 100 }, torch.Tensor { 2, 100 }, { ofLargest = 0.01 }))
    assert.is_false(close.isClose(100, 101.01, { rtol = 0.01, atol = 1 }))
    assert.is_false(close.isClose(torch.Tensor { 1, 100 }, torch.Tensor { 2.01, 100 }, { ofLargest = 0.01 }))
    assert.is_false(close.isClose(torch.Tensor { 1 }, torch.Tensor { 1 + 2 ^ -52 }))
  end)

  it('finds NaN and infinities', function()
    for _, pair in ipairs { { nan, 1 }, { 1, nan }, { nan, nan }, { inf, 1 }, { 1, inf }, { inf, -inf } } do
      assert.is_false(close.isClose(pair[1], pair[2], { rtol = 1, atol = 1 }))
      assert.is_false(close.isClose(torch.Tensor { pair[1] }, torch.Tensor { pair[2] }, { rtol = 1, atol = 1, ofLargest = 1 }))
    end
    assert.is_true(close.isClose({ nan, inf, -inf }, torch.Tensor { nan, inf, -inf }, { equalNan = true }))
    assert.is_false(close.isClose(1, nan, { equalNan = true, atol = 1 }))
  end)

  it('finds sizes, types, lengths and large integers that differ', function()
    assert.equal('sizes [2], expected [1, 2]', close.difference(torch.ones(1, 2), torch.ones(2), 1))
    assert.equal('a torch.FloatTensor, expected a torch.DoubleTensor',
      close.difference(torch.ones(1):double(), torch.ones(1):float(), { sameType = true }))
    assert.equal('a list of 1, expected one of 2', close.difference({ 1, 2 }, { 1 }))
    assert.is_false(close.isClose(torch.LongTensor { 2 ^ 62 }, torch.LongTensor { 2 ^ 62 }:add(1)))
    assert.equal('item 2: 3, expected true', close.difference({ 1, true }, { 1, 3 }))
  end)

  it('says which element differs most', function()
    assert.error_matches(function() close.assertClose({ { 1, 2 }, { 3, 4 } }, torch.Tensor { { 1, 2.5 }, { 1, 4 } }, 0.25, 'weights') end,
      'weights: 2 of 4 elements differ; element %[2, 1%] is 1, expected 3 %(atol 0.25%)')
    assert.error_matches(function() close.within { rtol = 0.5, atol = 1 }(1, 3, 0.25) end, '3, expected 1 %(rtol 0.5, atol 0.25%)')
  end)
end)
