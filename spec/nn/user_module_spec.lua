-- Modules and criteria of users: with Torch7's methods written out, with `compute` alone, or with one stock method replaced.
local torch = require 'torch'
local nn, autograd = require 'nn', require 'autograd'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

-- y = w x^2
local Square, parent = torch.class('nn.SpecSquare', 'nn.Module')
function Square:__init()
  parent.__init(self)
  self:declare('weight', torch.Tensor { 2 })
  self:double()
end
function Square:updateOutput(input)
  self.output:resizeAs(input):copy(input)
  return self.output:cmul(input):mul(self.weight[1])
end
function Square:updateGradInput(input, gradOutput)
  self.gradInput:resizeAs(input):copy(input)
  return self.gradInput:cmul(gradOutput):mul(2 * self.weight[1])
end
function Square:accGradParameters(input, gradOutput, scale)
  self.gradWeight:add((scale or 1) * torch.sum(torch.cmul(torch.cmul(input, input), gradOutput)))
end

local Cube = torch.class('nn.SpecCube', 'nn.Module')
function Cube:compute(input) return torch.cmul(torch.cmul(input, input), input) end

local Swap = torch.class('nn.SpecSwap', 'nn.Module')
function Swap:compute(input) return { torch.mul(input[2], 2), b = torch.mul(input[1], 3) } end

local Product, criterion = torch.class('nn.SpecProduct', 'nn.Criterion')
function Product:updateOutput(input, target)
  self.output = torch.dot(input, target)
  return self.output
end
function Product:updateGradInput(_, target)
  self.gradInput = target:clone()
  return self.gradInput
end

local function mixed() return nn.Sequential():add(nn.Linear(3, 2):double()):add(nn.SpecSquare()) end

describe("A user's module", function()
  it('works by the three methods', function()
    layers.checkGradients(nn.SpecSquare(), layers.input(3))
    layers.checkGradients(mixed(), layers.input(4, 3))
  end)

  it('is one node on the tape', function()
    layers.checkBothWorlds(nn.SpecSquare(), layers.input(3))
    layers.checkBothWorlds(mixed(), layers.input(4, 3))
  end)

  it('may be used several times on the tape, and its own gradients stay as they were', function()
    local net, x = nn.SpecSquare(), torch.DoubleTensor { 3 }
    net:requiresGrad()
    net.gradWeight:fill(100)
    torch.sum(net(net(x))):backward()                        -- w (w x^2)^2 = w^3 x^4
    assertClose({ 3 * 4 * 81 }, net.weight.grad)
    assertClose({ 100 }, net.gradWeight)
  end)

  it('may say what it does as compute alone', function()
    layers.checkGradients(nn.SpecCube():double(), layers.input(4))
    layers.checkBothWorlds(nn.SpecCube():double(), layers.input(4))
  end)

  it('may call the forward of others in its compute, whose gradient goes through them', function()
    local Pair, container = torch.class('nn.SpecPair', 'nn.Container', {})
    function Pair.make(...)
      local pair = setmetatable({}, Pair)
      container.__init(pair)
      for _, module in ipairs { ... } do pair:add(module) end
      return pair
    end
    function Pair:compute(x) return self.modules[2]:forward(torch.tanh(self.modules[1]:forward(x))) end
    local net = Pair.make(nn.Linear(3, 4), nn.SpecCube()):double()
    local row = nn.Sequential():add(net.modules[1]:clone()):add(nn.Tanh()):add(nn.SpecCube()):double()
    local x, g = layers.input(2, 3), layers.input(2, 4)
    for _, case in ipairs { net, row } do
      case:zeroGradParameters()
      case:forward(x)
      case:backward(x, g)
    end
    assertClose(row.output, net.output)
    assertClose(row.gradInput, net.gradInput)
    assertClose(row:get(1).gradWeight, net.modules[1].gradWeight)
    assertClose(row:get(1).output, net.modules[1].output)
    assert.is_false(net.modules[1].output:isTracked())
    net:requiresGrad()
    torch.sum(torch.cmul(net(x), g)):backward()
    assertClose(row:get(1).gradWeight, net.modules[1].weight.grad)
    assert.is_false(net.modules[1]:forward(x):isTracked())
  end)

  it('may put itself into hooks and functions of its compute, and goes with them', function()
    local alive = setmetatable({}, { __mode = 'k' })
    local Own = torch.class('nn.SpecHooked', 'nn.Module', {})
    function Own:compute(x)
      local double = autograd.Function {
        forward = function(_, a) return torch.mul(a, self.factor) end, backward = function(_, g) return torch.mul(g, self.factor) end,
      }
      local y = double(x)
      y:registerHook(function(g) self.seen = g:sum() end)
      return y
    end
    local function use()
      local net, x = Own.new(), layers.input(3)
      net.factor = 2
      alive[net] = true
      net:forward(x)
      assertClose({ 2, 2, 2 }, net:backward(x, torch.ones(3):double()))
      assert.equal(3, net.seen)
      local copy, converted = net:clone(), net:clone():float()
      assertClose(net.output, copy.output)
      assertClose({ 2, 2, 2 }, copy:backward(x, torch.ones(3):double()))
      assertClose({ 2, 2, 2 }, converted:backward(x:float(), torch.ones(3):float()))
      local fields = {}
      for key, value in pairs(net) do fields[key] = value end
      local shallow = setmetatable(fields, getmetatable(net))
      shallow:forward(torch.ones(3):double())
      assertClose({ 2, 2, 2 }, net:backward(x, torch.ones(3):double()))
    end
    for _ = 1, 20 do use() end
    for _ = 1, 5 do collectgarbage() end                            -- objects reachable from finalised tensors live for another cycle
    local left = 0
    for _ in pairs(alive) do left = left + 1 end
    assert.is_true(left < 5, left .. ' of 20 are left')              -- compiled code may hold a few
  end)

  it('may hook its input and output, also if it computes a single op', function()
    local seen
    local Own = torch.class('nn.SpecHooks', 'nn.Module', {})
    function Own:compute(x)
      if self.atInput then x:registerHook(function(g) seen.input = g[1]; return g * 10 end) end
      local y = torch.mul(x, 3)
      if self.atOutput then y:registerHook(function(g) seen.output = g[1]; return g * 100 end) end
      return y
    end
    for _, case in ipairs { { true, false, 30, 3 }, { false, true, 300, nil, 1 }, { true, true, 3000, 300, 1 } } do
      local net, x = Own.new(), torch.ones(1):double()
      net.atInput, net.atOutput, seen = case[1], case[2], {}
      net:forward(x)
      assertClose({ case[3] }, net:backward(x, torch.ones(1):double()))
      assert.same({ input = case[4], output = case[5] }, seen)
    end
  end)

  it('draws the same numbers where the tape needs its forward again', function()
    local Own = torch.class('nn.SpecNoisy', 'nn.Module', {})
    function Own:updateOutput(x)
      self.mask = torch.Tensor(x:size()):bernoulli(0.5):double()
      self.output = torch.cmul(x, self.mask)
      return self.output
    end
    function Own:updateGradInput(_, g)
      self.gradInput = torch.cmul(g, self.mask)
      return self.gradInput
    end
    local net, x = Own.new(), torch.ones(50):double():requiresGrad()
    local first, second = net(x), net(x)
    local draw = torch.getRNGState()
    torch.sum(first * 2 + second):backward()
    assertClose(first:detach() * 2 + second:detach(), x.grad)
    assert.is_true(torch.equal(draw, torch.getRNGState()))
  end)

  it('says that its input was written to before the tape came back', function()
    local x = layers.input(3):requiresGrad()
    local h = x * 2
    local y = nn.SpecSquare()(h)
    h:fill(1)
    assert.error_matches(function() torch.sum(y):backward() end, 'nn.SpecSquare: backward: saved tensor 1 was changed in place')
  end)

  it('may leave out gradients by entries of its input', function()
    local Own = torch.class('nn.SpecSecond', 'nn.Module', {})
    function Own:updateOutput(x) return torch.mul(x[2], x.by and 3 or 2) end
    function Own:updateGradInput(x, g) self.gradInput = { [2] = torch.mul(g, x.by and 3 or 2), by = x.by and g } end
    for _, by in ipairs { false, torch.ones(3):double() } do
      local x = { layers.input(4):requiresGrad(), layers.input(3):requiresGrad() }
      x.by = by and by:requiresGrad() or nil
      torch.sum(Own.new():onTape(x)):backward()
      assert.is_nil(x[1].grad)
      assertClose(by and { 3, 3, 3 } or { 2, 2, 2 }, x[2].grad)
      if by then assertClose({ 1, 1, 1 }, by.grad) end
    end
    local OwnLoss = torch.class('nn.SpecSecondLoss', 'nn.Criterion', {})
    function OwnLoss:updateOutput(x) return x[2]:sum() end
    function OwnLoss:updateGradInput(x) return { nil, x[2]:clone():fill(1) } end
    local x = { layers.input(4):requiresGrad(), layers.input(3):requiresGrad() }
    OwnLoss.new():onTape(x):mul(5):backward()
    assert.is_nil(x[1].grad)
    assertClose({ 5, 5, 5 }, x[2].grad)
  end)

  it('may run copies of a module that share its parameters and gradients, in steps', function()
    local Steps, container = torch.class('nn.SpecSteps', 'nn.Container', {})
    function Steps.make(cell, all)
      local net = setmetatable({}, Steps)
      container.__init(net)
      net.cells = { cell, cell:clone('weight', 'bias', 'gradWeight', 'gradBias'), cell }
      for _, module in ipairs(all and net.cells or { cell }) do net:add(module) end
      return net
    end
    function Steps:updateOutput(x)
      self.states = { [0] = x }
      for i, cell in ipairs(self.cells) do self.states[i] = cell:updateOutput(self.states[i - 1]):clone() end
      self.output = self.states[#self.cells]
      return self.output
    end
    function Steps:updateGradInput(_, g)
      self.given = {}
      for i = #self.cells, 1, -1 do
        self.given[i] = g
        g = self.cells[i]:updateGradInput(self.states[i - 1], g):clone()
      end
      self.gradInput = g
      return g
    end
    function Steps:accGradParameters(_, _, scale)
      for i, cell in ipairs(self.cells) do cell:accGradParameters(self.states[i - 1], self.given[i], scale) end
    end
    for _, all in ipairs { false, true } do                         -- one of the copies, or each of them among the parameters
      local cell, x, g = nn.Linear(3, 3):double(), layers.input(2, 3), layers.input(2, 3)
      local net = Steps.make(cell, all)
      cell:zeroGradParameters()
      net:forward(x)
      net:backward(x, g)
      local weight, bias = cell.gradWeight:clone(), cell.gradBias:clone()
      net:requiresGrad()
      torch.sum(torch.cmul(net(x), g)):backward()
      assertClose(weight, cell.gradWeight)                          -- the module's own stay as they were
      local sums = { weight = torch.zeros(3, 3):double(), bias = torch.zeros(3):double() }
      for i = 1, all and 2 or 1 do
        for name, sum in pairs(sums) do
          if net.cells[i][name].grad then sum:add(net.cells[i][name].grad) end
        end
      end
      assertClose(weight, sums.weight)
      assertClose(bias, sums.bias)
    end
  end)

  it('may take and give tables', function()
    local net, x = nn.SpecSwap():double(), { torch.DoubleTensor { 1 }, torch.DoubleTensor { 2 } }
    local output = net:forward(x)
    assertClose({ 4 }, output[1])
    assertClose({ 3 }, output.b)
    local gradInput = net:backward(x, { torch.DoubleTensor { 1 }, b = torch.DoubleTensor { 10 } })
    assertClose({ 30 }, gradInput[1])
    assertClose({ 2 }, gradInput[2])
  end)

  it('may get gradients by some entries of its output', function()
    local Own = torch.class('nn.SpecOutputs', 'nn.Module', {})
    function Own:compute(x) return { torch.mul(x, 2), torch.mul(x, 5), s = torch.mul(x, 7) } end
    local net, x = Own.new(), torch.ones(2):double()
    for sum, given in pairs { [5] = { nil, x }, [12] = { [2] = x, s = x }, [7] = { s = x }, [2] = { x }, [0] = {} } do
      net:forward(x)
      assertClose({ sum, sum }, net:backward(x, given))
    end
    assert.error_matches(function() net:backward(x, x) end, 'gradOutput: torch.DoubleTensor %[2%], expected a table')
    local flat, y = nn.FlattenTable():double(), { x, { x:clone(), { x:clone() } } }
    flat:forward(y)
    local gradients = flat:backward(y, { [2] = x })
    assertClose({ 0, 0 }, gradients[1])
    assertClose({ 1, 1 }, gradients[2][1])
    assertClose({ 0, 0 }, gradients[2][2][1])
  end)

  it('may write over the gradient that it gets', function()
    local Own = torch.class('nn.SpecOwn', 'nn.Container')
    function Own:updateOutput(input) return self.modules[1]:updateOutput(input) end
    function Own:updateGradInput(input, gradOutput)
      self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
      return self.gradInput
    end
    for _, inner in ipairs { nn.ReLU(true), nn.MulConstant(3, true) } do
      local x, other = torch.DoubleTensor { -1, 2 }:requiresGrad(), torch.DoubleTensor { 5, 6 }:requiresGrad()
      torch.sum(torch.add(other, nn.SpecOwn():add(inner:double())(torch.mul(x, 1)))):backward()
      assertClose({ 1, 1 }, other.grad)
      assertClose(torch.type(inner) == 'nn.ReLU' and { 0, 1 } or { 3, 3 }, x.grad)
    end
  end)

  it('may be of no class of nn, in a container that is called', function()
    local doubling = { updateOutput = function(_, input) return torch.mul(input, 2) end }
    assertClose({ 2, 4 }, nn.Sequential():add(doubling):add(nn.Identity())(torch.DoubleTensor { 1, 2 }))
  end)

  it('counts as its own when it overrides one method of a stock module', function()
    local net = nn.Linear(2, 1, false):double()
    function net:accGradParameters() end                     -- a way to freeze a layer
    net:requiresGrad()
    local x = torch.DoubleTensor { { 1, 2 } }:requiresGrad()
    torch.sum(net(x)):backward()
    assertClose({ { 0, 0 } }, net.weight.grad)
    assertClose(net.weight:detach(), x.grad)
  end)
end)

describe("A user's criterion", function()
  it('works in both worlds', function()
    assert.equal('nn.Criterion', criterion.__typename)
    layers.checkCriterion(nn.SpecProduct(), layers.input(4), layers.input(4))
  end)
end)
