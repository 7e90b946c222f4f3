-- Dimensions counted from the end: writes in place through such views, the base and other views being used afterwards, and second
-- derivatives. Truth: closed forms.
local torch, autograd = require 'torch', require 'autograd'

local weights = torch.DoubleTensor { { 1, 2, 3 }, { 4, 5, 6 } }

local function leaf() return torch.DoubleTensor({ { 1, 2, 3 }, { 4, 5, 6 } }):requiresGrad() end

describe('a write in place through narrow', function()
  it('with dimension -1 reaches the base', function()
    local x = leaf()
    local y = x * 2
    y:narrow(-1, 3, 1):mul(3)
    torch.sum(torch.cmul(y, weights)):backward()
    assert.same({ { 2, 4, 18 }, { 8, 10, 36 } }, y:detach():totable())
    assert.same({ { 2, 4, 18 }, { 8, 10, 36 } }, x.grad:totable())
  end)
  it('with dimension -1 reaches other views', function()
    local x = leaf()
    local y = x * 2
    local row, column = y:select(1, 2), y:narrow(-1, 3, 1)
    y:narrow(-1, 2, 2):mul(3);
    (torch.sum(row) + torch.sum(column) * 10):backward()
    assert.same({ 8, 30, 36 }, row:detach():totable())
    assert.same({ { 18 }, { 36 } }, column:detach():totable())
    assert.same({ { 0, 0, 60 }, { 2, 6, 66 } }, x.grad:totable())
  end)
  it('with dimension -2 reaches the base and a view along dimension -1', function()
    local x = leaf()
    local y = x * 2
    local last = y:narrow(-1, 3, 1)
    y:narrow(-2, 2, 1):mul(5);
    (torch.sum(torch.cmul(y, weights)) + torch.sum(last)):backward()
    assert.same({ { 6 }, { 60 } }, last:detach():totable())
    assert.same({ { 2, 4, 8 }, { 40, 50, 70 } }, x.grad:totable())
  end)
end)

describe('a second derivative through narrow', function()
  it('with dimension -1 is that of the narrowed part', function()
    local x = leaf()
    local g = autograd.grad(torch.sum(torch.pow(x:narrow(-1, 3, 1), 3)), x, { createGraph = true })
    assert.same({ { 0, 0, 27 }, { 0, 0, 108 } }, g:detach():totable())
    torch.sum(torch.cmul(g, weights)):backward()
    assert.same({ { 0, 0, 54 }, { 0, 0, 216 } }, x.grad:totable())
  end)
end)
