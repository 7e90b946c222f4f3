-- Running sums and products.
local torch = require 'torch'

describe('cumsum and cumprod', function()
  it('go down the first dimension unless told', function()
    local x = torch.Tensor { { 1, 2 }, { 3, 4 } }
    assert.equal(4, torch.cumsum(x)[2][1])
    assert.equal(3, x:cumsum(2)[1][2])
    assert.equal(12, x:cumprod(-1)[2][2])
  end)

  it('do not lose small terms of floats', function()
    local x = torch.FloatTensor(100000):fill(0.1)
    assert.is_near(10000, torch.cumsum(x)[100000], 0.01)
  end)

  it('wrap integers', function() assert.equal(144, torch.ByteTensor({ 200, 200 }):cumsum()[2]) end)

  it('write into their own argument', function()
    local x = torch.Tensor { 1, 2, 3 }
    torch.cumsum(x, x)
    assert.equal(6, x[3])
  end)
end)
