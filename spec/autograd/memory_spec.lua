--- Memory that a backward pass frees at once, without the collector, and memory that it must not free.
local torch, nn, autograd = require 'torch', require 'nn', require 'autograd'

local function live() return torch.memory().live end

-- Calls f with Lua's collector off and returns by how much live memory grew, in bytes.
local function growth(f)
  collectgarbage()
  collectgarbage()
  collectgarbage 'stop'
  local before = live()
  local done, message = pcall(f)
  local after = live()
  collectgarbage 'restart'
  assert(done, message)
  return after - before
end

local size = 1e6
local bytes = 4 * size

describe('a backward pass', function()
  it('lets the gradients between go with their nodes', function()
    local x = torch.FloatTensor(size):fill(0.5):requiresGrad()
    local chain = growth(function()
      local y = x
      for _ = 1, 10 do y = torch.tanh(y) end
      y:sum():backward()
    end)
    -- Ten results wait for the collector and the leaf has its gradient; of the gradients between, one was there at a time.
    assert.is_true(chain < 12.5 * bytes, ('%.1f tensors'):format(chain / bytes))
  end)

  it('lets what goes from module to module go, too', function()
    local net = nn.Sequential():add(nn.Tanh()):add(nn.Sigmoid()):add(nn.Tanh()):add(nn.Dropout(0)):add(nn.Sigmoid()):add(nn.Tanh())
    local x = torch.FloatTensor(size):fill(0.5):requiresGrad()
    local y
    local grown = growth(function()
      y = net(x)
      y:sum():backward()
    end)
    assert.is_true(grown < 2.5 * bytes, ('%.1f tensors'):format(grown / bytes))
    local value = 0.5
    for _, f in ipairs { math.tanh, 's', math.tanh, 's', math.tanh } do
      value = f == 's' and 1 / (1 + math.exp(-value)) or f(value)
    end
    assert.is_near(value, y[size]:item(), 1e-6)
  end)

  it('leaves what a module hands through or keeps', function()
    local kept
    local made = {}
    local Keeper = torch.class('memoryspec.Keeper', 'nn.Tanh', made)
    function Keeper:compute(input)
      kept = torch.tanh(input)
      return kept
    end
    local both = nn.Sequential():add(nn.Tanh()):add(nn.Identity()):add(made.Keeper()):add(nn.Sigmoid()):add(nn.Identity())
    local x = torch.DoubleTensor { 0.25 }:requiresGrad()
    local y = both(x)
    y:backward()
    assert.is_near(math.tanh(math.tanh(0.25)), kept:item(), 1e-15)
    assert.is_near(1 / (1 + math.exp(-kept:item())), y:item(), 1e-15)
  end)

  it('leaves the graph alone when it is retained', function()
    local net = nn.Sequential():add(nn.Tanh()):add(nn.Sigmoid()):add(nn.Tanh())
    local x = torch.DoubleTensor { 0.25, -1 }:requiresGrad()
    local loss = net(x):sum()
    loss:backward { retainGraph = true }
    local once = x.grad:clone()
    loss:backward()
    assert.is_near(0, (x.grad - once * 2):abs():max(), 1e-15)
  end)

  it("leaves the caller's gradient, what hooks saw, and gradients that were asked for", function()
    local x, seen = torch.DoubleTensor { 1, 2 }:requiresGrad(), nil
    local middle = torch.tanh(x)
    middle:registerHook(function(g) seen = g end)
    local y = torch.mul(middle, 3)
    local given = torch.DoubleTensor { 1, 10 }
    y:backward(given)
    assert.same({ 1, 10 }, given:totable())
    assert.same({ 3, 30 }, seen:totable())
    assert.is_near(30 * (1 - math.tanh(2) ^ 2), x.grad[2], 1e-13)
  end)

  it('gives leaves gradients of their own', function()
    local a, b = torch.DoubleTensor { 1, 2 }:requiresGrad(), torch.DoubleTensor { 3, 4 }:requiresGrad()
    local given = torch.DoubleTensor { 5, 6 }
    torch.add(a, b):backward(given)
    a.grad:fill(0)
    assert.same({ 5, 6 }, b.grad:totable())
    assert.same({ 5, 6 }, given:totable())
    a:backward(given)
    a.grad:fill(7)
    assert.same({ 5, 6 }, given:totable())
  end)

  it('adds up what slices of one tensor say', function()
    local x, weights = torch.DoubleTensor(5, 3, 2):zero():requiresGrad(), torch.range(1, 30):double():view(5, 3, 2)
    for _, dim in ipairs { 1, 2, 3, -1 } do
      x.grad = nil
      local d = dim < 0 and 4 + dim or dim
      local loss, expected = torch.sum(torch.cmul(torch.select(x, d, 1), weights:select(d, 1))), weights:clone()
      for k = 1, x:size(d) do
        local index = k % 2 == 0 and k or k - x:size(d) - 1                -- from the end, too
        loss = loss + torch.sum(torch.cmul(torch.select(x, dim, index), weights:select(d, k)))
      end
      loss:backward()
      expected:select(d, 1):mul(2)
      assert.same(expected:totable(), x.grad:totable())
    end
  end)

  it("leaves what a function's own backward keeps", function()
    local kept
    local double = autograd.Function {
      name = 'double', forward = function(_, x) return torch.mul(x, 2) end,
      backward = function(_, g)
        kept = torch.mul(g, 2)
        return kept
      end,
    }
    local x = torch.DoubleTensor { 1, 2 }:requiresGrad()
    torch.tanh(double(torch.tanh(x))):sum():backward()
    assert.same(2, kept:nElement())
    assert.is_true(kept[1] > 0)
  end)
end)
