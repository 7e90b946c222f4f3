-- Softmax and related functions for arguments at which the naive formula overflows, and the loss of their results.
local torch = require 'torch'

local inf = math.huge

describe('softmax', function()
  it('does not overflow', function()
    local y = torch.softmax(torch.FloatTensor { { 1e30, 1e30 }, { -1e30, 0 } })
    assert.same({ 0.5, 0, 1 }, { y[1][1], y[2][1], y[2][2] })
  end)

  it('sums to one along any dimension', function()
    torch.manualSeed(3)
    local x = torch.FloatTensor(5, 700, 3):normal()
    for dim = 1, 3 do assert.is_true((torch.softmax(x, dim):sum(dim) - 1):abs():max() < 1e-6) end
  end)

  -- The rounded difference from the largest element, up to 80, is what exp is taken of.
  it('is close to double precision in float', function()
    torch.manualSeed(4)
    local x = torch.FloatTensor(3, 1000):normal():mul(10)
    local exact = torch.softmax(x:double())
    local off = torch.cdiv(torch.softmax(x):double(), exact) - 1
    assert.is_true(off:abs():max() < 2 * 80 * 2 ^ -24)
  end)
end)

describe('logsumexp', function()
  it('keeps infinities', function()
    local y = torch.logsumexp(torch.Tensor { { -inf, -inf }, { inf, 0 }, { 1000, 1000 } })
    assert.equal(-inf, y[1][1])
    assert.equal(inf, y[2][1])
    assert.is_near(1000 + math.log(2), y[3][1], 1e-12)
  end)
end)

describe('nll_loss', function()
  it('names a class that is not there, and its place', function()
    assert.error_matches(function() torch.nll_loss(torch.zeros(2, 3), torch.LongTensor { 1, 4 }) end,
      'nll_loss: target: 4 at place 2, expected 1..3')
  end)

  it('is 0 where all is ignored', function()
    local loss, total = torch.nll_loss(torch.zeros(2, 3), torch.LongTensor { 2, 2 }, true, 2)
    assert.same({ 0, 0 }, { loss[1], total[1] })
  end)
end)
