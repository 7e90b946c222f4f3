-- Modules with a `forward` alone: members by assignment, lists and dictionaries of them, and Torch7's protocol through the tape.
local torch, C = require 'torch', require 'libmoontorch'
local nn = require 'nn'
local assertClose = require('spec.support.close').assertClose
local figures = require 'spec.nn.members_figures'

local function series(sizes, rate)
  local x = torch.DoubleTensor(torch.LongStorage(sizes))
  local flat = x:view(-1)
  for i = 1, flat:size(1) do flat[i] = math.sin(i * rate + 0.5) end
  return x
end

local Net = torch.class('MembersNet', 'nn.Module')
function Net:__init()
  self.second = nn.Linear(3, 4)
  self.scale = nn.Parameter(torch.ones(4))
  self.first = nn.Linear(4, 2)
  self.shift = nn.Parameter(torch.ones(2))
  self.mean = nn.Buffer(torch.zeros(2))
  self.hidden = nn.Buffer(torch.zeros(5), { persistent = false })
end
function Net:forward(x, y)
  local h = torch.cmul(torch.tanh(self.second(x)), self.scale:view(1, 4):expand(x:size(1), 4))
  local rows = x:size(1)
  return self.first(h) + torch.cmul(self.shift:view(1, 2):expand(rows, 2), y) - self.mean:view(1, 2):expand(rows, 2), h
end

-- A module without a constructor or protocol, for members alone.
local Bare = torch.class('MembersBare', 'nn.Module')
function Bare.forward(_, x) return x end

local nets = { net = Net }

function nets.changed()
  local net = Net()
  net.second = nn.Linear(3, 5)
  net.scale = nn.Parameter(torch.ones(6))
  net.first = nil
  net.last = nn.Linear(1, 1)
  net.first = nn.Linear(4, 3)
  net.shift = nil
  net.more = nn.Parameter(torch.ones(1, 2))
  net.shift = nn.Parameter(torch.ones(3))
  return net
end

function nets.shared()
  local net, layer = Bare(), nn.Linear(2, 2)
  net.a = layer
  net.b = layer
  net.w = nn.Parameter(torch.ones(3))
  net.v = net.w
  return net
end

function nets.lists()
  local net = Bare()
  net.layers = nn.ModuleList { nn.Linear(1, 2), nn.Linear(2, 3) }
  net.layers:append(nn.Linear(3, 4))
  net.layers:insert(2, nn.Linear(7, 8))
  net.layers:extend { nn.Linear(4, 5), nn.Linear(5, 6) }
  net.layers:pop(1)
  net.layers[2] = nn.Linear(9, 9)
  net.heads = nn.ModuleDict { { 'z', nn.Linear(1, 1) }, { 'a', nn.Linear(2, 2) } }
  net.heads:update { { 'm', nn.Linear(3, 3) }, { 'z', nn.Linear(4, 4) } }
  net.heads:pop 'a'
  net.heads.a = nn.Linear(5, 5)
  net.factors = nn.ParameterList { torch.ones(1), torch.ones(2) }
  net.factors:append(torch.ones(3)):extend { torch.ones(4) }
  net.named = nn.ParameterDict { { 'z', torch.ones(1) }, { 'b', torch.ones(2) } }
  net.named:update { c = torch.ones(3) }
  net.named:pop 'z'
  return net
end

local function namesOf(iterator)
  local list = {}
  for name in iterator do list[#list + 1] = name end
  return list
end

local function listed(net)
  local list, state = {}, net:stateDict()
  for i, name in ipairs(torch.pt.keys(state)) do list[i] = { name, unpack(state[name]:size():totable()) } end
  return list
end

local function agrees(figure, net)
  assert.same(figure.state, listed(net))
  assert.same(figure.parameters, namesOf(net:namedParameters()))
  assert.same(figure.modules, namesOf(net:namedModules()))
  assert.equal(#figure.parameters, #net:parameters())
end

-- A module with the parameters of the figures.
local function given()
  local net = Net():double()
  torch.noGrad(function()
    for i, parameter in ipairs(net:parameters()) do parameter:copy(series(parameter:size():totable(), 0.7 + 0.1 * (i - 1))) end
  end)
  return net
end

local function gradientsAgree(list)
  assert.equal(#figures.gradients, #list)
  for i, gradient in ipairs(list) do assertClose(figures.gradients[i], gradient:view(-1), 1e-12) end
end

describe('Members of a module', function()
  for name, make in pairs(nets) do
    it('print their class and children, nested', function()
    local outer = Bare()
    assert.equal('MembersBare', tostring(outer))
    outer.body = Net()
    outer.last = nn.Tanh()
    assert.equal([[
MembersBare {
  (body): MembersNet {
    (second): nn.Linear(3 -> 4)
    (first): nn.Linear(4 -> 2)
  }
  (last): nn.Tanh
}]], tostring(outer))
  end)

  it("have PyTorch's names and order: " .. name, function()
      local net = make()
      agrees(figures[name], net)
      agrees(figures[name], net:clone())
      local file = torch.MemoryFile('rw')
      file:writeObject(net)
      file:seek(1)
      agrees(figures[name], file:readObject())
      net:float()
      agrees(figures[name], net)
      for _, parameter in ipairs(net:parameters()) do assert.equal('torch.FloatTensor', parameter:type()) end
    end)
  end

  it("have PyTorch's gradients on the tape, and nn.Parameter alone is tracked from the start", function()
    local net = given()
    assert.same({ true, true, false, false, false, false }, (function()
      local list = {}
      for i, parameter in ipairs(net:parameters()) do list[i] = C.tracked(parameter) end
      return list
    end)())
    net:requiresGrad()
    local x, y = series({ 5, 3 }, 0.3):requiresGrad(), series({ 5, 2 }, 0.4):requiresGrad()
    local a, h = net(x, y)
    local loss = torch.sum(torch.cmul(a, series({ 5, 2 }, 0.9))) + torch.sum(torch.cmul(h, series({ 5, 4 }, 1.1)))
    assertClose(figures.loss, loss:item(), 1e-12)
    loss:backward()
    local list = { x.grad, y.grad }
    for _, parameter in ipairs(net:parameters()) do list[#list + 1] = parameter.grad end
    gradientsAgree(list)
  end)

  it("have them by Torch7's protocol, where several inputs and outputs are tables", function()
    local net = given()
    local x, y = series({ 5, 3 }, 0.3), series({ 5, 2 }, 0.4)
    net(x, y)
    assert.equal(0, net.output:nElement())
    local output = net:forward(x, y)
    assert.equal(output, net.output)
    local list = net:backward({ x, y }, { series({ 5, 2 }, 0.9), series({ 5, 4 }, 1.1) })
    local _, gradients = net:parameters()
    for _, gradient in ipairs(gradients) do list[#list + 1] = gradient end
    gradientsAgree(list)
    net:zeroGradParameters()
    for _, gradient in ipairs(gradients) do assert.equal(0, torch.abs(gradient):max()) end
    assert.is_false(net.output[1]:isTracked())
  end)

  it('train in containers, with flat parameters and optimisers of both worlds', function()
    local function make()
      torch.manualSeed(3)
      local inner = nn.TableModule { { 'fc', nn.Linear(2, 8) }, { 'scale', nn.Parameter(torch.ones(1, 8)) },
        forward = function(self, x) return torch.tanh(torch.cmul(self.fc(x), self.scale:expand(x:size(1), 8))) end }
      return nn.Sequential():add(inner):add(nn.Linear(8, 1)):double()
    end
    local x = torch.DoubleTensor(32, 2):uniform(-1, 1)
    local target = torch.cmul(x:narrow(2, 1, 1), x:narrow(2, 2, 1))
    local criterion = nn.MSECriterion():double()
    local optim = require 'optim'

    local classic = make()
    local flat, gradients = classic:getParameters()
    assert.equal(2 * 8 + 8 + 8 + 8 + 1, flat:nElement())
    for _ = 1, 20 do
      optim.sgd(function()
        gradients:zero()
        local loss = criterion:forward(classic:forward(x), target)
        classic:backward(x, criterion:backward(classic.output, target))
        return loss, gradients
      end, flat, { learningRate = 0.5 })
    end

    local modern = make():requiresGrad()
    local steps = optim.SGD(modern:parameters(), { learningRate = 0.5 })
    for _ = 1, 20 do
      steps:zeroGrad()
      criterion(modern(x), target):backward()
      steps:step()
    end
    assertClose(classic:forward(x), modern:forward(x), 1e-12)
    assert.is_true(criterion:forward(classic.output, target) < criterion:forward(make():forward(x), target) / 2)
  end)

  it('switch modes, are applied to, found, replaced and cleared with their parent', function()
    local net = nets.lists()
    net.heads.a, net.deep = nn.Dropout(), Net()
    net:evaluate()
    assert.is_false(net.heads.a.train)
    assert.is_false(net.deep.first.train)
    net:training()
    assert.is_true(net.heads.a.train)
    assert.equal(9, #net:findModules 'nn.Linear')
    assert.equal(16, #net:listModules())
    net:replace(function(module) return torch.type(module) == 'nn.Linear' and nn.Tanh() or module end)
    assert.equal('nn.Tanh', torch.type(net.layers[1]))
    assert.equal('nn.Tanh', torch.type(net.deep.second))
    local deep = Net()
    deep:forward(torch.ones(2, 3), torch.ones(2, 2))
    deep:clearState()
    assert.equal(0, deep.first.output:nElement())
    assert.is_true(deep:isTracked())
    assert.is_false(nn.ModuleList { nn.Linear(1, 1) }:isTracked())
    assert.is_true(nn.ModuleList { nn.Linear(1, 1):requiresGrad() }:isTracked())
  end)

  it('are shared by name between copies', function()
    local net = Net()
    local copy = net:clone('scale')
    net.scale:detach():fill(7)
    assert.equal(7, copy.scale:detach():max())
    copy.shift:detach():fill(9)
    assert.equal(1, net.shift:detach():max())
  end)

  it('get another gradient with another parameter of the same size', function()
    local net = Bare()
    net.w = nn.Parameter(torch.ones(2))
    local _, gradients = net:parameters()
    gradients[1]:fill(5)
    net.w = nn.Parameter(torch.zeros(2))
    _, gradients = net:parameters()
    assert.equal(0, gradients[1]:max())
    gradients[1]:fill(5)
    _, gradients = net:parameters()
    assert.equal(5, gradients[1]:max())
    net.w = torch.ones(3)
    net:registerParameter('w', nn.Parameter(torch.ones(4)))
    assert.equal(4, net:parameters()[1]:nElement())
    net:registerParameter('w', nil)
    assert.equal(0, #net:parameters())
    assert.is_nil(net.gradW)
  end)
end)

describe('A class with a forward', function()
  it('may call that of its parent, and itself', function()
    local Sum, parent = torch.class('MembersSum', 'MembersBare')
    function Sum:forward(x, depth)
      if depth then return depth == 0 and x or self:forward(x, depth - 1) * 2 end
      return parent.forward(self, x) * 3
    end
    local Again = torch.class('MembersAgain', 'MembersBare')
    function Again:forward(y, depth)
      if not depth then return self(y, 1) + Bare.forward(self, y) end
      return y * 10
    end
    local x = torch.DoubleTensor { 2 }
    assertClose({ 22 }, Again():forward(x))
    local Nested, count = torch.class('MembersNested', 'MembersBare'), 0
    function Nested:forward(y)
      count = count + 1
      if count == 1 then self(y) end
      return count < 5 and self:forward(y) or y
    end
    Nested():forward(x)
    assert.equal(5, count)
    assertClose({ 6 }, Sum():forward(x))
    assertClose({ 6 }, Sum()(x))
    local net = Sum()
    assertClose({ 16 }, net:forward(x, 3))
    assertClose({ 8 }, net:backward({ x, 3 }, torch.ones(1):double())[1])
  end)

  it("is Torch7's if it also defines a method of its protocol, before or after", function()
    for _, order in ipairs { { 'forward', 'updateOutput' }, { 'updateOutput', 'forward' } } do
      local Old = torch.class('MembersOld' .. order[1], 'nn.Module')
      local methods = {
        forward = function(self, x) self.called = true; return self:updateOutput(x) end,
        updateOutput = function(self, x) self.output = x * 2; return self.output end,
      }
      for _, name in ipairs(order) do Old[name] = methods[name] end
      assert.equal(methods.forward, Old.forward)
      local old = Old()
      old.inner = nn.Linear(1, 1)
      assertClose({ 2 }, old:forward(torch.ones(1)))
      assert.is_true(old.called)
      assert.is_nil(old:parameters())
      assert.is_nil(rawget(old, '_childNames'))
    end
  end)

  it('may be defined anew, also after objects exist', function()
    local Twice = torch.class('MembersTwice', 'nn.Module')
    function Twice.forward(_, x) return x * 2 end
    local net, x = Twice(), torch.ones(1):double()
    function Twice.forward(_, y) return y * 5 end
    assertClose({ 5 }, net(x))
    assertClose({ 5 }, nn.Sequential():add(net):forward(x))
    assertClose({ 5 }, net:backward(x, x))
  end)

  it('names itself in errors, and can be called after one', function()
    local Strict = torch.class('MembersStrict', 'nn.Module')
    function Strict.forward(_, x)
      if x:dim() ~= 1 then error 'one dimension, please' end
      return x
    end
    local net = Strict()
    for _, call in ipairs { function() net(torch.ones(1, 1)) end, function() net:forward(torch.ones(1, 1)) end } do
      local done, message = pcall(call)
      assert.is_false(done)
      assert.matches('one dimension, please', message)
      assertClose({ 1 }, net:forward(torch.ones(1)))
      assertClose({ 1 }, net.output)
      assertClose({ 1 }, net:backward(torch.ones(1), torch.ones(1)))
    end
  end)

  it('is not kept alive by its record, even if its forward stores it in a hook', function()
    local alive = setmetatable({}, { __mode = 'k' })
    local Hooked = torch.class('MembersHooked', 'nn.Module')
    function Hooked:forward(x)
      local y = x * 2
      y:registerHook(function(g) self.seen = g end)
      return y
    end
    local function use()
      local net = Hooked()
      alive[net] = true
      net:forward(torch.ones(1))
      net:backward(torch.ones(1), torch.ones(1))
      assertClose({ 1 }, net.seen)
    end
    for _ = 1, 20 do use() end
    for _ = 1, 5 do collectgarbage() end                            -- objects reachable from finalised tensors live for another cycle
    local left = 0
    for _ in pairs(alive) do left = left + 1 end
    assert.is_true(left < 5, left .. ' of 20 are left')              -- compiled code may hold a few
  end)
end)

describe('Lists and dictionaries of members', function()
  it('iterate in order', function()
    local list = nn.ModuleList { nn.Tanh(), nn.ReLU() }
    assert.equal('nn.ModuleList', torch.type(list))
    assert.equal('nn.ParameterList', torch.type(nn.ParameterList()))
    assert.equal('nn.ParameterDict', torch.type(nn.ParameterDict()))
    assert.equal('nn.TableModule', torch.type(nn.TableModule { forward = print }))
    assert.equal(2, #list)
    assert.equal(2, list:size())
    local seen = {}
    for i, module in list:iter() do seen[i] = torch.type(module) end
    assert.same({ 'nn.Tanh', 'nn.ReLU' }, seen)
    for i, module in ipairs(list) do assert.equal(seen[i], torch.type(module)) end
    assert.equal('nn.ReLU', torch.type(list:pop()))
    assert.equal(1, #list)
    assert.equal('nn.ModuleList {\n  (1): nn.Tanh\n}', tostring(list))
    local heads = nn.ModuleDict { b = nn.Tanh(), a = nn.ReLU() }
    assert.same({ 'a', 'b' }, heads:keys())
    assert.equal('nn.Tanh', torch.type(heads:values()[2]))
    assert.same({ 'a', 'b' }, namesOf(heads:items()))
    assert.equal(2, nn.ModuleDict(heads):size())
    assert.equal(0, heads:clear():size())
    assert.same({}, heads:keys())
    local factors = nn.ParameterDict { x = torch.ones(2) }
    assert.is_true(C.tracked(factors.x))
    factors:clear()
    assert.is_nil(factors.gradX)
    assert.is_false(C.tracked(nn.ParameterList { torch.LongTensor { 1 } }[1]))
  end)

  it('refuse calls, other values, and impossible keys and positions', function()
    local list, heads, numbers = nn.ModuleList { nn.Tanh() }, nn.ModuleDict(), nn.ParameterList()
    for message, f in pairs {
      ['nn.ModuleList: forward: a collection of modules, expected a call of one of them'] = function() list(torch.ones(1)) end,
      ['nn.ModuleDict: forward: a collection of modules, expected'] = function() heads:forward(torch.ones(1)) end,
      ['nn.ModuleList: append: value: 3, expected a module'] = function() list:append(3) end,
      ['nn.ModuleList: extend: values: number 2: nil'] = function() list:extend { nn.Tanh(), torch.ones(1) } end,
      ['nn.ModuleList: value: '] = function() list[2] = torch.ones(1) end,
      ['nn.ModuleList: index: 5, expected a whole number from 2 to 2'] = function() list[5] = nn.Tanh() end,
      ['nn.ModuleList: insert: index: 3, expected'] = function() list:insert(3, nn.Tanh()) end,
      ['nn.ModuleList: pop: index: 2, expected'] = function() list:pop(2) end,
      ['nn.ModuleDict: update: key: "type", expected a string without dots, and no other field or method'] = function()
        heads:update { type = nn.Tanh() }
      end,
      ['nn.ModuleDict: key: "a.b", expected'] = function() heads['a.b'] = nn.Tanh() end,
      ['nn.ModuleDict: update: a: '] = function() heads:update { a = 3 } end,
      ['nn.ModuleDict: pop: key: b, expected one of '] = function() heads:pop 'b' end,
      ['nn.ParameterList: append: value: string, expected a tensor'] = function() numbers:append 'x' end,
      ['nn.Parameter: x: a torch.LongTensor, expected a tensor of floats'] = function() nn.Parameter(torch.LongTensor(2)) end,
      ['nn.Parameter: x: number, expected a tensor'] = function() nn.Parameter(3) end,
      ['nn.Buffer: options: persist'] = function() nn.Buffer(torch.ones(1), { persist = true }) end,
      ['MembersBare: registerParameter: name: "forward", expected'] = function() Bare():registerParameter('forward', torch.ones(1)) end,
      ['MembersBare: registerParameter: parameter: number'] = function() Bare():registerParameter('w', 3) end,
      ['nn.TableModule: forward: nil, expected a function'] = function() nn.TableModule {} end,
      ['nn.TableModule: fields: entry 1: number, expected a pair'] = function() nn.TableModule { 3, forward = print } end,
    } do
      local done, said = pcall(f)
      assert.is_false(done, message)
      if not message:find 'number 2' then assert.truthy(said:find(message, 1, true), said) end
    end
    assert.equal(1, #list)
    assert.equal(0, heads:size())
    assert.equal(0, #numbers)
  end)
end)
