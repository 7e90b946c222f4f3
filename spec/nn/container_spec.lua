-- nn.Container and nn.Sequential: order, editing, errors that name their place, printing.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'

describe('nn.Sequential', function()
  it('begins with the modules that it is given', function()
    local a, b = nn.Linear(2, 3), nn.Tanh()
    for _, net in ipairs { nn.Sequential(a, b), nn.Sequential { a, b } } do
      assert.equal(2, net:size())
      assert.equal(a, net:get(1))
      assert.same(nn.Sequential():add(a):add(b):forward(torch.ones(2)):totable(), net:forward(torch.ones(2)):totable())
    end
    assert.equal(0, nn.Sequential(5, 'x'):size())      -- unread in Torch7
    assert.error_matches(function() nn.Sequential(nn.Tanh) end,
      'nn.Sequential: module: the class nn.Tanh, expected a module: nn.Tanh%(...%)')
  end)

  it('hands each output to the next module, and gradients back', function()
    local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2)):add(nn.LogSoftMax()):double()
    layers.checkGradients(net, layers.input(5, 3))
    layers.checkBothWorlds(net, layers.input(5, 3))
  end)

  it('gives its input when empty', function()
    local x = torch.Tensor { 1 }
    assert.equal(x, nn.Sequential():forward(x))
  end)

  it('inserts and removes modules', function()
    local net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Linear(2, 2))
    net:insert(nn.Tanh(), 2)
    net:insert(nn.Sigmoid())
    assert.equal('nn.Tanh', torch.type(net:get(2)))
    assert.equal('nn.Sigmoid', torch.type(net:get(4)))
    net:remove(2)
    net:remove()
    assert.equal(2, net:size())
    assert.is_nil(net:get(3))
    assert.error_matches(function() net:insert(nn.Tanh(), 9) end, 'index should be contiguous to existing modules')
    assert.error_matches(function() net:remove(9) end, 'index out of range')
  end)

  it('prints its modules', function()
    local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Sequential():add(nn.Tanh()))
    assert.equal('nn.Sequential {\n  [input -> (1) -> (2) -> output]\n  (1): nn.Linear(2 -> 3)\n  (2): nn.Sequential {\n'
      .. '    [input -> (1) -> output]\n    (1): nn.Tanh\n  }\n}', tostring(net))
  end)

  it('accepts a first module without gradInput', function()
    local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Tanh())
    net:get(1).gradInput = nil
    net:zeroGradParameters()
    local x = torch.ones(1, 2)
    net:forward(x)
    assert.is_nil(net:backward(x, torch.ones(1, 3)))
    assert.is_true(net:get(1).gradWeight:norm() > 0)
  end)
end)

describe('nn.Container', function()
  local function nested()
    return nn.Sequential():add(nn.Linear(2, 3)):add(nn.Sequential():add(nn.Tanh()):add(nn.Linear(4, 1)))
  end

  it('names the place of an error in the network', function()
    local x = torch.ones(1, 2)
    for _, call in ipairs {
      function() nested():forward(x) end,
      function() nested():requiresGrad()(x) end,
    } do
      local done, message = pcall(call)
      assert.is_false(done)
      assert.matches('^\nIn 2 module of nn.Sequential:\nIn 2 module of nn.Sequential:\n', message)
      assert.matches('linear', message)
      assert.equal(1, select(2, message:gsub('stack traceback', '')))
    end
  end)

  it('passes training and evaluation, zeroing and updates to all below', function()
    local net = nested()
    net:evaluate()
    assert.is_false(net:get(2):get(1).train)
    net:training()
    assert.is_true(net:get(2):get(1).train)
    local parameters, gradients = net:parameters()
    assert.equal(4, #parameters)
    for i = 1, 4 do
      parameters[i]:fill(1)
      gradients[i]:fill(3)
    end
    net:updateParameters(0.5)
    assert.equal(-0.5, net:get(1).weight[1][1])
    net:zeroGradParameters()
    assert.equal(0, gradients[4]:norm())
  end)

  it('works as the base of a class with methods of its own', function()
    local Twice = torch.class('nn.SpecTwice', 'nn.Container')
    function Twice:updateOutput(input)
      self.output = torch.add(self.modules[1]:forward(input), self.modules[2]:forward(input))
      return self.output
    end
    function Twice:updateGradInput(input, gradOutput)
      local first = self.modules[1]:updateGradInput(input, gradOutput)
      self.gradInput = torch.add(first, self.modules[2]:updateGradInput(input, gradOutput))
      return self.gradInput
    end
    function Twice:accGradParameters(input, gradOutput, scale)
      for _, module in ipairs(self.modules) do module:accGradParameters(input, gradOutput, scale) end
    end
    local net = nn.SpecTwice():add(nn.Linear(3, 2)):add(nn.Linear(3, 2)):double()
    layers.checkGradients(net, layers.input(4, 3))
    layers.checkBothWorlds(net, layers.input(4, 3))
  end)
end)

describe('add', function()
  it('takes modules, and says what else came', function()
    assert.error_matches(function() nn.Sequential():add(nil) end, 'nn.Sequential: module: nil, expected a module')
    for _, container in ipairs { nn.Sequential(), nn.Concat(1), nn.ParallelTable() } do
      local kind = torch.type(container)
      assert.error_matches(function() container:add(3) end, kind .. ': module: 3, expected a module')
      assert.error_matches(function() container:add(nn.Tanh) end, kind .. ': module: the class nn.Tanh, expected a module: nn.Tanh%(')
      assert.equal(0, #container.modules)
      container:add { forward = function(_, x) return x end }      -- a program's own, of no class
    end
  end)

  it('and constructors blame the line of the program, however deep their checks are', function()
    local function place(make, ...) return (select(2, pcall(make, ...)):match '([%w_]+%.lua):%d+: ') end
    assert.equal('container_spec.lua', place(function() local net = nn.Linear('a', 3) return net end))
    assert.equal('container_spec.lua', place(function() local net = nn.MultiheadAttention(0, 3) return net end))
    assert.equal('container_spec.lua', place(function() local net = nn.Dropout(2) return net end))
    assert.equal('container_spec.lua', place(function() local net = nn.Narrow(1) return net end))
    assert.equal('container_spec.lua', place(function() local net = nn.SpatialConvolution(3, 4, 0, 1) return net end))
    assert.equal('container_spec.lua', place(function() local net = nn.Sequential():add(3) return net end))
  end)
end)
