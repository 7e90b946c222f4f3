-- Ranges from observed values.
local torch = require 'torch'
local observers = require 'quantize.observers'
local scales = require 'quantize.scales'

local function rangeOf(method, options, ...)
  local observer = observers.create(method, options)
  for _, x in ipairs { ... } do observer:observe(x) end
  return observer:range()
end

describe('an observer', function()
  it('of extremes has those of all tensors', function()
    assert.same({ -2, 7 }, { rangeOf('minmax', {}, torch.Tensor { 1, -2 }, torch.Tensor { 7, 3 }, torch.Tensor { 0 }) })
  end)

  it('of moving averages follows the tensors by its share', function()
    assert.same({ -1.5, 4.5 }, { rangeOf('movingAverage', { share = 0.25 }, torch.Tensor { -2, 4 }, torch.Tensor { 0, 6 }) })
  end)

  it('of a percentile leaves out the same share at both ends', function()
    local x = torch.range(0, 9999):mul(1e-4)
    for _, parts in ipairs { { x }, { x:narrow(1, 1, 3000), x:narrow(1, 3001, 7000) } } do
      local least, most = rangeOf('percentile', { percentile = 90 }, unpack(parts))
      assert.is_true(math.abs(least - 0.05) < 2e-3)
      assert.is_true(math.abs(most - 0.95) < 2e-3)
    end
    local least, most = rangeOf('percentile', { percentile = 100 }, x)
    assert.is_true(least == 0 and math.abs(most - 0.9999) < 1e-9)
  end)

  it('of entropy cuts rare outliers, and keeps the range of equal shares', function()
    torch.manualSeed(4)
    local x = torch.randn(200000)
    x[1], x[2] = 100, -100
    local least, most = rangeOf('entropy', {}, x)
    assert.is_true(least < -2 and least > -20 and most > 2 and most < 20)
    least, most = rangeOf('entropy', {}, torch.range(0, 99999):mul(1e-5))
    assert.is_true(least == 0 and most > 0.99)
  end)

  it('accepts tensors of equal elements', function()
    for _, method in ipairs(observers.methods) do
      for _, value in ipairs { 0, 3, -3 } do
        local least, most = rangeOf(method, {}, torch.Tensor(5):fill(value), torch.Tensor(5):fill(value))
        assert.is_true(math.abs(least - value) < 1e-4 and math.abs(most - value) < 1e-4)
      end
    end
  end)
end)

describe('scales', function()
  it('of a range hold both ends and 0', function()
    for _, range in ipairs { { -1, 3 }, { 2, 5 }, { -5, -2 }, { 0, 0 }, { -1e-3, 1e3 } } do
      local scale, zero, type = scales.ofRange(range[1], range[2], false)
      assert.equal('torch.ByteTensor', type)
      assert.is_true(zero >= 0 and zero <= 255 and zero % 1 == 0)
      assert.is_true(scale * (0 - zero) <= math.min(0, range[1]) + scale / 2 * 1.001)
      assert.is_true(scale * (255 - zero) >= math.max(0, range[2]) - scale / 2 * 1.001)
      scale, zero, type = scales.ofRange(range[1], range[2], true)
      assert.equal('torch.CharTensor', type)
      assert.equal(0, zero)
      local largest = math.max(math.abs(range[1]), math.abs(range[2]))
      if largest > 0 then assert.is_true(math.abs(127 * scale / largest - 1) < 1e-4) end
    end
  end)

  it('of weights are those of the extremes of each row', function()
    local w = torch.FloatTensor { { 1, -127 }, { 0.5, 0.25 }, { 0, 0 } }
    local scale, zero = scales.ofWeight(w, true, true)
    assert.is_true(torch.csub(scale, torch.FloatTensor { 1, 0.5 / 127, 1 }):abs():max() < 1e-8)
    assert.is_nil(zero)
    scale, zero = scales.ofWeight(w, false, false)
    assert.is_true(math.abs(scale[1] - 128 / 255) < 1e-6)
    assert.equal(125, zero[1])      -- 127 / (128 / 255) = 253.008, less 128
  end)
end)
