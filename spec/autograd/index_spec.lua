-- Assignments to parts of tensors, as the tape sees them.
local torch = require 'torch'

describe('x[key] = tracked value', function()
  local x
  before_each(function() x = torch.Tensor{1, 2, 3}:requiresGrad() end)

  it('is followed into a tensor that was not tracked before', function()
    local b = torch.ones(2, 3)
    b[2] = x * 2
    b[1][2] = 7
    local y = torch.sum(torch.cmul(b, b))                 -- 51 + 4 |x|^2
    assert.equal(107, y:item())
    y:backward()
    assert.same({ 8, 16, 24 }, x.grad:totable())
  end)

  it('is followed for single elements and ranges', function()
    local c = torch.zeros(3)
    c[2] = torch.sum(x)
    c[{ { 3, 3 } }] = x[{ { 1, 1 } }] * 5
    torch.sum(torch.cmul(c, torch.Tensor{1, 10, 100})):backward()
    assert.same({ 510, 10, 10 }, x.grad:totable())
  end)

  it('is followed through masks', function()
    local d = torch.zeros(3)
    d[torch.gt(torch.Tensor{1, 0, 1}, 0)] = x[{ { 1, 2 } }]
    torch.sum(torch.cmul(d, d)):backward()
    assert.same({ 2, 4, 0 }, x.grad:totable())
  end)

  it('takes the gradient from what it overwrites', function()
    local y = x * 3
    y[2] = 0
    torch.sum(y):backward()
    assert.same({ 3, 0, 3 }, x.grad:totable())
  end)
end)
