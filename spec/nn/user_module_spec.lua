-- Modules and criteria of users: with Torch7's methods written out, with `compute` alone, or with one stock method replaced.
local torch = require 'torch'
local nn, autograd = require 'nn', require 'autograd'
local layers = require 'spec.support.layers'

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
    layers.near({ 3 * 4 * 81 }, net.weight.grad)
    layers.near({ 100 }, net.gradWeight)
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
    layers.near(row.output, net.output)
    layers.near(row.gradInput, net.gradInput)
    layers.near(row:get(1).gradWeight, net.modules[1].gradWeight)
    layers.near(row:get(1).output, net.modules[1].output)
    assert.is_false(net.modules[1].output:isTracked())
    net:requiresGrad()
    torch.sum(torch.cmul(net(x), g)):backward()
    layers.near(row:get(1).gradWeight, net.modules[1].weight.grad)
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
      layers.near({ 2, 2, 2 }, net:backward(x, torch.ones(3):double()))
      assert.equal(3, net.seen)
      local copy, converted = net:clone(), net:clone():float()
      layers.near(net.output, copy.output)
      layers.near({ 2, 2, 2 }, copy:backward(x, torch.ones(3):double()))
      layers.near({ 2, 2, 2 }, converted:backward(x:float(), torch.ones(3):float()))
      local fields = {}
      for key, value in pairs(net) do fields[key] = value end
      local shallow = setmetatable(fields, getmetatable(net))
      shallow:forward(torch.ones(3):double())
      layers.near({ 2, 2, 2 }, net:backward(x, torch.ones(3):double()))
    end
    use()
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(alive))
  end)

  it('may take and give tables', function()
    local net, x = nn.SpecSwap():double(), { torch.DoubleTensor { 1 }, torch.DoubleTensor { 2 } }
    local output = net:forward(x)
    layers.near({ 4 }, output[1])
    layers.near({ 3 }, output.b)
    local gradInput = net:backward(x, { torch.DoubleTensor { 1 }, b = torch.DoubleTensor { 10 } })
    layers.near({ 30 }, gradInput[1])
    layers.near({ 2 }, gradInput[2])
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
      layers.near({ 1, 1 }, other.grad)
      layers.near(torch.type(inner) == 'nn.ReLU' and { 0, 1 } or { 3, 3 }, x.grad)
    end
  end)

  it('may be of no class of nn, in a container that is called', function()
    local doubling = { updateOutput = function(_, input) return torch.mul(input, 2) end }
    layers.near({ 2, 4 }, nn.Sequential():add(doubling):add(nn.Identity())(torch.DoubleTensor { 1, 2 }))
  end)

  it('counts as its own when it overrides one method of a stock module', function()
    local net = nn.Linear(2, 1, false):double()
    function net:accGradParameters() end                     -- a way to freeze a layer
    net:requiresGrad()
    local x = torch.DoubleTensor { { 1, 2 } }:requiresGrad()
    torch.sum(net(x)):backward()
    layers.near({ { 0, 0 } }, net.weight.grad)
    layers.near(net.weight:detach(), x.grad)
  end)
end)

describe("A user's criterion", function()
  it('works in both worlds', function()
    assert.equal('nn.Criterion', criterion.__typename)
    layers.checkCriterion(nn.SpecProduct(), layers.input(4), layers.input(4))
  end)
end)
