-- Quantised tensors as values.
local torch = require 'torch'
local quantize = require 'quantize'
local raises = assert.error_matches

-- Asserts that two tensors differ by half a step at most.
local function close(wanted, got, step)
  assert.same(wanted:size():totable(), got:size():totable())
  local off = torch.csub(wanted, got):abs():max() / step
  assert.is_true(off <= 0.501, off)
end

describe('quantize.Tensor', function()
  local x = torch.randn(4, 6):float()

  it('stands for numbers within half a step, and for 0 exactly', function()
    local range = math.max(0, x:max()) - math.min(0, x:min())
    local q = quantize.Tensor(x)
    close(x, q:dequantize(), range / 255)
    assert.equal('torch.ByteTensor', q.integers:type())
    local signed = quantize.Tensor(x, { symmetric = true })
    close(x, signed:dequantize(), 2 * torch.abs(x):max() / 254)
    assert.equal('torch.CharTensor', signed.integers:type())
    assert.equal(0, signed.zero[1])
    assert.equal(0, quantize.Tensor(torch.FloatTensor { 3, 0, 5 }):dequantize()[2])
    assert.equal(0, quantize.Tensor(torch.FloatTensor { -3, 0, -5 }):dequantize()[2])
  end)

  it('has a scale for each slice of a dimension', function()
    local y = torch.cmul(x, torch.FloatTensor { 1, 10, 100, 1000, 1e4, 1e5 }:view(1, 6):expandAs(x))
    for _, axis in ipairs { 2, -1 } do
      local q = quantize.Tensor(y, { axis = axis })
      assert.equal(6, q.scale:nElement())
      for c = 1, 6 do
        local column = y:select(2, c)
        close(column, q:dequantize():select(2, c), (math.max(0, column:max()) - math.min(0, column:min())) / 255)
      end
    end
  end)

  it('accepts scales and zero points', function()
    local q = quantize.Tensor(torch.FloatTensor { -1, 0, 2 }, { scale = 0.5, zero = 10 })
    assert.same({ 8, 10, 14 }, q.integers:totable())
    q = quantize.Tensor(torch.FloatTensor { { 1 }, { 4 } }, { axis = 1, scale = torch.Tensor { 1, 2 }, zero = torch.IntTensor { 1, 2 } })
    assert.same({ { 2 }, { 4 } }, q.integers:totable())
  end)

  it('has views that share the integers, with the scales that belong to them', function()
    local q = quantize.Tensor(x, { axis = 1 })
    local whole = q:dequantize()
    local function equal(wanted, view) assert.is_true(torch.equal(wanted, view:dequantize())) end
    equal(whole:t(), q:t())
    equal(whole:narrow(1, 2, 2), q:narrow(1, 2, 2))
    equal(whole:narrow(2, 2, 3), q:narrow(2, 2, 3))
    equal(whole[3], q[3])
    equal(whole:select(2, 5), q:select(2, 5))
    equal(whole:view(4, 2, 3), q:view(4, 2, 3))
    equal(whole:t():select(1, 2), q:t():select(1, 2))
    equal(whole:t()[2]:narrow(1, 2, 2), q:t()[2]:narrow(1, 2, 2))
    equal(whole:narrow(-2, 2, 2), q:narrow(-2, 2, 2))
    equal(whole:narrow(-1, 2, 3), q:narrow(-1, 2, 3))
    equal(whole:select(-2, -1), q:select(-2, -1))
    equal(whole:select(-1, 5), q:select(-1, 5))
    equal(whole:t(), q:transpose(-2, -1))
    equal(whole:t()[2]:narrow(1, 2, 2), q:transpose(-2, 2):select(-2, 2):narrow(-1, 2, 2))
    assert.equal(whole[3][5], q[3][5])
    assert.equal(whole[3][5], q:t()[5][3])
    assert.equal(q.integers:storage(), q:t().integers:storage())
    raises(function() q:view(2, 12) end, 'quantize.Tensor: view: .*sizes up to dimension 1')
  end)

  it('is copied, saved and loaded', function()
    local q = quantize.Tensor(x, { axis = 2 })
    local file = torch.MemoryFile()
    file:writeObject(q)
    file:seek(1)
    local loaded = file:readObject()
    assert.is_true(torch.equal(q:dequantize(), loaded:dequantize()))
    assert.equal(2, loaded.axis)
    local copy = q:clone()
    copy.integers:fill(0)
    assert.is_true(torch.equal(q:dequantize(), loaded:dequantize()))
  end)

  it('takes a quarter of the memory, and prints its numbers', function()
    local q = quantize.Tensor(torch.ones(64, 64):float())
    assert.equal(64 * 64 + 8, q:bytes())
    assert.equal(2, q:dim())
    assert.equal(4096, q:nElement())
    assert.equal(64, q:size(2))
    assert.matches('quantize.Tensor: torch.ByteTensor, scale 0.5, zero point 3%]',
      tostring(quantize.Tensor(torch.FloatTensor { 1, 2 }, { scale = 0.5, zero = 3 })))
    assert.matches('scale 4 of them, zero point 4 of them, along dimension 1', tostring(quantize.Tensor(x, { axis = 1 })))
  end)

  it('refuses what does not fit', function()
    raises(function() quantize.Tensor(torch.LongTensor(2)) end, 'quantize.Tensor: x: .*expected a tensor of floats')
    raises(function() quantize.Tensor(x, { axis = 3 }) end, 'quantize.Tensor: axis: dimension 3 out of range 1..2')
    raises(function() quantize.Tensor(x, { axis = 1, scale = torch.ones(3) }) end, 'quantize.Tensor: scale: .*expected 4 elements')
    for _, scale in ipairs { 0, -1, 0 / 0, 1 / 0, 1e300, 1e-46 } do
      raises(function() quantize.Tensor(x, { scale = scale }) end, 'quantize.Tensor: scale: .*expected finite numbers above 0')
    end
    for _, zero in ipairs { -1, 256, 0 / 0, 1e300 } do
      raises(function() quantize.Tensor(x, { zero = zero }) end, 'quantize.Tensor: zero: .*expected whole numbers from 0 to 255')
    end
    raises(function() quantize.Tensor(x, { zero = 128, symmetric = true }) end, 'zero: 128, expected whole numbers from %-128 to 127')
    raises(function() quantize.Tensor(x, { zero = 0.5 }) end, 'quantize.Tensor: zero: 0.5, expected whole numbers')
    assert.equal(-128, quantize.Tensor(x, { zero = -128, symmetric = true }).zero[1])
    for _, value in ipairs { 0 / 0, 1 / 0, -1 / 0 } do
      local y = x:clone()
      y[2][3] = value
      for _, options in ipairs { {}, { axis = 1 }, { symmetric = true } } do
        raises(function() quantize.Tensor(y, options) end, 'quantize.Tensor: x: elements from .*expected a finite range')
      end
    end
    raises(function() quantize.Tensor(x, { bits = 4 }) end, 'quantize.Tensor: options: bits, expected one of axis')
    raises(function() quantize.Tensor(x, 2) end, 'quantize.Tensor: options: 2, expected a table')
  end)
end)
