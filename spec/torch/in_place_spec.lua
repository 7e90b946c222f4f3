-- Methods with an underscore at the end: PyTorch's names of methods that change their tensor.
local torch = require 'torch'
local C = require 'libmoontorch'

describe('a method with an underscore at the end', function()
  it("is Torch7's method where that changes the tensor", function()
    local x = torch.Tensor { 1, -2 }
    assert.equal(x, x:add_(1))
    assert.same({ 2, -1 }, x:totable())
    assert.equal(x, x:abs_():clamp_(0, 1.5))
    assert.same({ 1.5, 1 }, x:totable())
    assert.equal(x, x:masked_fill_(torch.ByteTensor { 1, 0 }, 7))
    assert.equal(x, x:maskedFill_(torch.ByteTensor { 0, 1 }, 8):fill_(3):zero_())
    assert.same({ 0, 0 }, x:totable())
  end)

  it('keeps its tensor for the gradient by another one', function()
    local x, y = torch.DoubleTensor { 3 }, torch.DoubleTensor { 4 }:requiresGrad()
    torch.sum(x:xlogy_(y)):backward()
    assert.same({ 3 / 4 }, y.grad:totable())
    assert.equal(3 * math.log(4), x:item())
  end)

  it('accepts tensors where mul, div and sub of Torch7 do not', function()
    local x = torch.Tensor { 6, 8 }
    assert.same({ 3, 2 }, x:div_(torch.Tensor { 2, 4 }):totable())
    assert.same({ 6, 4 }, x:mul_(2):totable())
    assert.same({ 12, 12 }, x:mul_(torch.Tensor { 2, 3 }):totable())
    assert.same({ 11, 10 }, x:sub_(torch.Tensor { 1, 2 }):totable())
    assert.same({ 12, 10 }, x:subtract_(torch.Tensor { -1, 0 }):totable())
  end)

  it('copies the result of a method that returns a new tensor', function()
    local x = torch.Tensor { 1, 2, 3 }
    local memory = x:data()
    assert.equal(x, x:cumsum_(1))
    assert.same({ 1, 3, 6 }, x:totable())
    assert.equal(memory, x:data())
    assert.same({ 0, 1, 1 }, x:gt_(2):totable())
    assert.same({ 5, 4, 4 }, torch.Tensor { 1, 4, 2 }:maximum_(torch.Tensor { 5, 0, 4 }):totable())
    assert.same({ 180 }, torch.Tensor { math.pi }:rad2deg_():totable())
    assert.same({ 2 }, torch.Tensor { -2 }:absolute_():totable())
  end)

  it('makes the tensor the view that a method returns', function()
    local x = torch.Tensor { { 1, 2, 3 } }
    assert.equal(x, x:t_())
    assert.same({ 3, 1 }, x:size():totable())
    assert.same({ 1, 3, 1 }, x:unsqueeze_(1):size():totable())
    assert.same({ 3 }, x:squeeze_():size():totable())
    assert.same({ { 1, 2 }, { 2, 3 } }, x:as_strided_({ 2, 2 }, { 1, 1 }, 1):totable())
    assert.same({ 4 }, torch.Tensor(2, 2):resize_(4):size():totable())
  end)

  it('exists for every op with a method', function()
    local missing = {}
    for _, name in ipairs(torch.ops()) do
      local has = pcall(function() return torch.Tensor()[name .. '_']:find() end) or torch.Tensor()[name .. '_'] ~= nil
      if C.opInfo(name, 'method') ~= 'none' and not has then missing[#missing + 1] = name end
    end
    assert.same({}, missing)
    assert.is_nil(torch.Tensor().nothing_)
    assert.is_nil(torch.Tensor().sizes_)
    assert.is_nil(torch.nothing_)
  end)

  it('is a function of torch, too', function()
    local x = torch.Tensor { 0, 0 }
    assert.equal(x, torch.exp_(x))
    assert.same({ 1, 1 }, x:totable())
    assert.error_matches(function() torch.exp_(3) end, 'exp_: x: number, expected a tensor')
  end)

  it('draws from the range of PyTorch', function()
    local x = torch.LongTensor(1000):random_(3)
    assert.equal(0, x:min())
    assert.equal(2, x:max())
    x:random_(4, 6)
    assert.equal(4, x:min())
    assert.equal(5, x:max())
    assert.error_matches(function() x:random_(4, 4) end, 'random_: to: 4, expected a whole number, 5 or more')
  end)

  it('changes nothing if the result does not fit', function()
    local x = torch.IntTensor { 90, 180 }
    assert.error_matches(function() x:deg2rad_() end,
      'deg2rad_: x: torch%.IntTensor, expected a tensor of floats, as the result is')
    assert.same({ 90, 180 }, x:totable())
    local y = torch.Tensor { 1, 2 }
    assert.error_matches(function() y:maximum_(torch.ones(3, 2)) end, 'maximum_: x: %[2%], expected %[3, 2%], the sizes of the result')
    assert.error_matches(function() y:sum_() end, 'sum_: x: %[2%], expected a tensor that its result fits')
    assert.error_matches(function() torch.Tensor().deg2rad_(7) end, 'deg2rad_: x: number, expected a tensor')
    assert.same({ 1, 2 }, y:totable())
  end)

  it('is on the tape', function()
    local x = torch.Tensor { 1, 2 }:requiresGrad()
    local y = torch.mul(x, 2):maximum_(torch.Tensor { 3, 3 }):mul_(torch.Tensor { 5, 7 })
    torch.sum(y):backward()
    assert.same({ 0, 14 }, x.grad:totable())
    assert.error_matches(function() x:rad2deg_() end, 'leaf that requires a gradient')
    assert.error_matches(function() torch.mul(x, 2):t_() end, 't_: x: a tensor on the tape')
  end)

  it('detach_ forgets the history', function()
    local x = torch.Tensor { 1, 2 }:requiresGrad()
    local y = torch.mul(x, 2)
    assert.equal(y, y:detach_())
    assert.is_false(y:isTracked())
    assert.same({ 2, 4 }, y:totable())
  end)
end)
