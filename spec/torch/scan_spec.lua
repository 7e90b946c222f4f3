-- Scans: running sums and products, extremes so far.
local torch = require 'torch'
local autograd = require 'autograd'
local assertClose = require('spec.support.close').within { rtol = 1e-14, atol = 1e-14 }

describe('cumsum and cumprod', function()
  it('use the first dimension by default', function()
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

local nan, inf = 0 / 0, math.huge

describe('cummax and cummin', function()
  it('give the last of equal elements, and its position', function()
    local values, places = torch.cummax(torch.Tensor { 1, 3, 3, 2, 3, 5 })
    assert.same({ 1, 3, 3, 3, 3, 5 }, values:totable())
    assert.same({ 1, 2, 3, 3, 5, 6 }, places:totable())
    assert.equal('torch.LongTensor', places:type())
    values, places = torch.IntTensor({ 3, 1, 2, 1, 5 }):cummin()
    assert.same({ 3, 1, 1, 1, 1 }, values:totable())
    assert.same({ 1, 2, 2, 4, 4 }, places:totable())
  end)

  it('keep NaN, with the position of the last one', function()        -- PyTorch 1.13 gives these
    for _, name in ipairs { 'cummax', 'cummin' } do
      local values, places = torch[name](torch.Tensor { 1, 1, nan, 2, nan, 5 })
      assert.same({ 1, 2, 3, 3, 5, 5 }, places:totable())
      for i = 3, 6 do assert.is_true(values[i] ~= values[i]) end
    end
  end)

  it('go along slices side by side as along rows', function()
    local x = torch.Tensor(70, 40):apply(function() return math.floor(10 * torch.uniform()) end)
    for _, kind in ipairs { 'Byte', 'Short', 'Long', 'Half', 'Float', 'Double' } do
      local y = x:type(('torch.%sTensor'):format(kind))
      for _, name in ipairs { 'cummax', 'cummin' } do
        local values, places = torch[name](y, 1)
        local rows, rowPlaces = torch[name](y:t():contiguous(), 2)
        assert.is_true(torch.equal(values, rows:t()))
        assert.is_true(torch.equal(places, rowPlaces:t()))
        assert.is_true(torch.equal(values, torch.gather(y, 1, places)))
      end
    end
  end)

  it('write into given results', function()
    local values, places, x = torch.Tensor(), torch.LongTensor(), torch.Tensor { { 1, 5 }, { 4, 2 } }
    assert.equal(values, (torch.cummax(values, places, x, 2)))
    assert.same({ { 1, 5 }, { 4, 4 } }, values:totable())
    assert.same({ { 1, 2 }, { 1, 1 } }, places:totable())
    torch.cummin(x, places, x, 1)
    assert.same({ { 1, 5 }, { 1, 2 } }, x:totable())
  end)

  it('refuse booleans', function()
    assert.error_matches(function() torch.cummax(torch.BoolTensor(2):zero()) end, 'cummax: x: torch.BoolTensor, expected a tensor of real')
  end)

  it('give gradients to the positions', function()                     -- PyTorch 1.13 gives these
    local x = torch.Tensor({ { 1, 5, 5, 2 }, { 7, 7, 9, 1 } }):requiresGrad()
    local values = torch.cummax(x, 2)
    values:backward(torch.Tensor { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } })
    assert.same({ { 1, 2, 7, 0 }, { 5, 6, 15, 0 } }, x.grad:totable())
  end)
end)

describe('logcumsumexp', function()
  it('gives the figures of PyTorch 1.13, with their gradients', function()
    local x = torch.DoubleTensor({ { 0.3, -1.2, 2.5, 0.1 }, { 1e3, 999, 1001, -1e3 } }):requiresGrad()
    local y = torch.logcumsumexp(x, 2)
    assertClose({ 0.3, 0.5014132779827524, 2.627096582800486, 2.7039563593064986 }, y[1]:detach():totable())
    assertClose({ 1000, 1000.3132616875182, 1001.4076059644444, 1001.4076059644444 }, y[2]:detach():totable())
    y:backward(torch.DoubleTensor { { 1, -2, 0.5, 3 }, { 1, 2, -1, 0.25 } })
    assertClose({ -0.31528037993663593, -0.29347872181534923, 2.88681818441185, 0.22194091734013494 }, x.grad[1]:totable())
    local large = x.grad[2]:totable()
    local wanted = { 2.278570803969056, 0.47035991286221424, -0.49893071683109297, 0 }
    for i, v in ipairs(wanted) do assert.is_near(v, large[i], 1e-12) end    -- y is rounded at 1e3
  end)

  it('knows infinities and NaN', function()
    assertClose({ -inf, -inf, 0, math.log(1 + math.exp(1)) }, torch.logcumsumexp(torch.DoubleTensor { -inf, -inf, 0, 1 }):totable())
    assertClose({ 0, inf, inf, inf }, torch.logcumsumexp(torch.DoubleTensor { 0, inf, 1, inf }):totable())
    local y = torch.logcumsumexp(torch.DoubleTensor { 0, nan, 1 })
    assert.equal(0, y[1])
    assert.is_true(y[2] ~= y[2] and y[3] ~= y[3])
  end)

  it('converts integers, and does not lose small terms of floats', function()
    assert.equal('torch.DoubleTensor', torch.logcumsumexp(torch.IntTensor { 1, 2 }):type())
    local y = torch.logcumsumexp(torch.FloatTensor(100000):fill(-3))
    assert.is_near(math.log(100000) - 3, y[100000], 1e-6)
  end)

  it('keeps the sum of earlier terms when a far larger one comes and nothing when it goes', function()
    local x = torch.DoubleTensor { -1000, 1000, 0, 1000 }
    assertClose({ -1000, 1000, 1000, 1000 + math.log(2) }, torch.logcumsumexp(x):totable())
  end)

  it('gives rows longer than a block what slices side by side get', function()
    local x = torch.randn(700, 3):mul(100)
    x[300][2], x[650][3] = -inf, inf
    local rows = torch.logcumsumexp(x:t():contiguous(), 2):t()
    local difference = torch.csub(torch.logcumsumexp(x, 1):narrow(2, 1, 2), rows:narrow(2, 1, 2))
    assert.is_true(torch.max(torch.abs(difference)) < 1e-12)
    assert.equal(inf, rows[650][3])
    assert.is_true(rows[649][3] < inf)
  end)

  it('has finite gradients and second derivatives at 1e3 and beside -inf', function()
    local x = torch.DoubleTensor({ -inf, 1000, -1000, 1000.5 }):requiresGrad()
    local y = torch.logcumsumexp(x)
    local g = autograd.grad(torch.sum(torch.narrow(y, 1, 2, 3)), x, { createGraph = true })
    local second = autograd.grad(torch.sum(torch.cmul(g, g)), x)
    local share = 1 / (1 + math.exp(0.5))                       -- of element 2 in the last result; element 4 has the rest
    assertClose({ 0, 2 + share, 0, 1 - share }, g:detach():totable())
    -- d share / d x2 = share (1 - share); of x4 the opposite
    local slope = share * (1 - share)
    local d = 2 * (2 + share) * slope - 2 * (1 - share) * slope
    for i, v in ipairs { 0, d, 0, -d } do assert.is_near(v, second[i], 1e-12) end
  end)
end)
