-- Common code paths stay short. The specs count calls, because counts, unlike times, are the same on any machine.
local torch, nn = require 'torch', require 'nn'
local count = require('spec.support.calls').count

-- A module whose computation is a loop of ops, as in docs/adding-a-module.md.
local Polynomial = nn.declare {
  name = 'nn.CountedPolynomial',
  options = { { 'degree', 'int', min = 0 } },
  parameters = { { 'coefficients', function(options) return options.degree + 1 end } },
  compute = function(self, input)
    local c, terms = self.coefficients, self.coefficients:size(1)
    local y = torch.expandAs(c:narrow(1, terms, 1), input)
    for k = terms - 1, 1, -1 do y = torch.add(torch.cmul(y, input), c:narrow(1, k, 1)) end
    return y
  end,
}

describe('The number of calls of', function()
  it('a module of a formula on the tape, with its backward, is at most 20', function()
    local module, x, g = nn.Linear(3, 4), torch.ones(2, 3):requiresGrad(), torch.ones(2, 4)
    local all, ofLua = count(function() module(x):backward(g) end)
    assert.is_true(all <= 20, all .. ' calls')
    assert.is_true(ofLua <= 10, ofLua .. ' calls of Lua functions')
  end)

  it("a formula's forward and backward is at most 4", function()
    local module, x, g = nn.Linear(3, 4), torch.ones(2, 3), torch.ones(2, 4)
    local all = count(function()
      module:forward(x)
      module:backward(x, g)
    end)
    assert.is_true(all <= 4, all .. ' calls')
  end)

  it("a compute's forward and backward is at most 80, its own among them", function()
    local module, x, g = Polynomial(3), torch.ones(4, 3), torch.ones(4, 3)
    local all, ofLua = count(function()
      module:forward(x)
      module:backward(x, g)
    end)
    assert.is_true(all <= 80, all .. ' calls')
    assert.is_true(ofLua <= 40, ofLua .. ' calls of Lua functions')
  end)

  it('torch.load of a module is at most 1,500', function()
    local name = os.tmpname()
    torch.save(name, nn.Linear(3, 4))
    local all, ofLua = count(function() torch.load(name) end)
    os.remove(name)
    assert.is_true(all <= 1500, all .. ' calls')
    assert.is_true(ofLua <= 900, ofLua .. ' calls of Lua functions')
  end)
end)
