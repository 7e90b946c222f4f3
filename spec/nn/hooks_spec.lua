-- Hooks of modules, under Torch7's protocol and on the tape: what they see and replace, in PyTorch's figures.
local torch, C = require 'torch', require 'libmoontorch'
local nn = require 'nn'
local assertClose = require('spec.support.close').assertClose
local figures = require 'spec.nn.hooks_figures'

local function series(sizes, rate)
  local x = torch.DoubleTensor(torch.LongStorage(sizes))
  local flat = x:view(-1)
  for i = 1, flat:size(1) do flat[i] = math.sin(i * rate + 0.5) end
  return x
end

-- A net with the hooks of a figure, and the table of what they see. `kind` is the class of the outer module.
local function hooked(figure, kind)
  local row = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2))
  local net = row
  if kind == 'plain' then
    net = nn.TableModule {
      { 'first', row:get(1) }, { 'second', row:get(2) }, { 'third', row:get(3) },
      forward = function(self, x) return self.third(self.second(self.first(x))) end,
    }
  end
  net:double()
  for i, parameter in ipairs(net:parameters()) do parameter:copy(series(parameter:size():totable(), 0.7 + 0.1 * (i - 1))) end
  local seen, options = {}, figure.options
  local function note(name, x)
    x = x:detach()
    seen[name] = (seen[name] or 0) + torch.cmul(x, series(x:size():totable(), 0.8)):sum()
  end
  local layer = figure.at == 0 and net or row:get(figure.at)
  local handles = {
    layer:registerForwardPreHook(function(module, input)
      assert.equal(layer, module)
      note('pre', input)
      if options.pre then return torch.cmul(input, input) end
    end),
    layer:registerForwardHook(function(_, input, output)
      note('input', input)
      note('output', output)
      if options.post then return torch.exp(output) end
      if options.inplace then output:mul(5) end
    end),
  }
  if not options.silent then
    handles[3] = layer:registerFullBackwardHook(function(_, gradInput, gradOutput)
      if gradInput then note('gradInput', gradInput) end
      note('gradOutput', gradOutput)
      if options.backward then return gradInput * 3 end
    end)
  end
  return net, seen, handles, layer
end

local function nameOf(figure)
  local names = {}
  for name in pairs(figure.options) do names[#names + 1] = name end
  table.sort(names)
  return ('%s of layer %d'):format(#names > 0 and table.concat(names, ', ') or 'nothing', figure.at)
end

local function agrees(figure, seen, output, gradients)
  for name, value in pairs(figure.seen) do assertClose(value, seen[name], 1e-12) end
  for name in pairs(seen) do assert.is_truthy(figure.seen[name], name) end
  assertClose(figure.output, output:detach():view(-1), 1e-12)
  for i, gradient in ipairs(gradients) do assertClose(figure.gradients[i], gradient:contiguous():view(-1), 1e-12) end
end

describe('Hooks that replace', function()
  for _, figure in ipairs(figures) do
    for _, kind in ipairs { 'container', 'plain' } do
      it(nameOf(figure) .. " are PyTorch's in a " .. kind .. ", by Torch7's protocol", function()
        local net, seen = hooked(figure, kind)
        local x = series({ 5, 3 }, 0.3)
        local output = net:forward(x)
        assert.equal(output, net.output)
        assert.is_false(C.tracked(output))
        local gradInput = net:backward(x, series({ 5, 2 }, 0.9))
        local _, gradients = net:parameters()
        agrees(figure, seen, output, { gradInput, unpack(gradients) })
      end)

      it(nameOf(figure) .. " are PyTorch's in a " .. kind .. ', on the tape', function()
        local net, seen = hooked(figure, kind)
        net:requiresGrad()
        local x = series({ 5, 3 }, 0.3):requiresGrad()
        local y = net(x)
        torch.sum(torch.cmul(y, series({ 5, 2 }, 0.9))):backward()
        local gradients = { x.grad }
        for _, parameter in ipairs(net:parameters()) do gradients[#gradients + 1] = parameter.grad end
        agrees(figure, seen, y, gradients)
      end)
    end
  end
end)

describe('A hook', function()
  local x = torch.DoubleTensor { 1, -2, 3 }

  it('is called once for a module that defines Torch7\'s methods, on the tape, too', function()
    local Old, parent = torch.class('HooksOld', 'nn.Module')
    function Old:__init() parent.__init(self) end
    function Old:updateOutput(input)
      self.output = input * 2
      return self.output
    end
    function Old:updateGradInput(_, gradOutput)
      self.gradInput = gradOutput * 2
      return self.gradInput
    end
    local old, calls = Old(), {}
    for _, name in ipairs { 'registerForwardPreHook', 'registerForwardHook', 'registerFullBackwardHook' } do
      old[name](old, function() calls[#calls + 1] = name end)
    end
    local order = { 'registerForwardPreHook', 'registerForwardHook', 'registerFullBackwardHook' }
    old:forward(x)
    old:backward(x, x)
    assert.same(order, calls)
    calls = {}
    local tracked = x:clone():requiresGrad()
    torch.sum(old(tracked)):backward()
    assert.same(order, calls)
    assertClose({ 2, 2, 2 }, tracked.grad)
    calls = {}
    old:forward(x)
    old:updateGradInput(x, x)
    old:accGradParameters(x, x)
    assert.same(order, calls)
  end)

  it('ends with its handle, in any order, and leaves no trace', function()
    local net, seen = nn.Linear(3, 2):double(), {}
    local before = {}
    for key, value in pairs(net) do before[key] = value end
    local first = net:registerForwardHook(function() seen[#seen + 1] = 1 end)
    local second = net:registerForwardHook(function() seen[#seen + 1] = 2 end)
    local third
    third = net:registerForwardHook(function()
      seen[#seen + 1] = 3
      third:remove()
    end)
    net:forward(x)
    assert.same({ 1, 2, 3 }, seen)
    seen = {}
    first:remove()
    first:remove()
    net:forward(x)
    assert.same({ 2 }, seen)
    second:remove()
    for key in pairs(net) do assert.is_true(before[key] ~= nil or key == 'addBuffer' or key == '_record', key) end
    assert.is_nil(rawget(net, 'updateOutput'))
    second:remove()
  end)

  it("keeps a module's own methods in its fields", function()
    local net = nn.Linear(3, 2):double()
    local function own(self, input) return nn.Linear.updateOutput(self, input):mul(2) end
    net.updateOutput = own
    local plain = net:forward(x):clone()
    local handle = net:registerForwardHook(function(_, _, output) return output + 1 end)
    assertClose(plain + 1, net:forward(x))
    handle:remove()
    assert.equal(own, rawget(net, 'updateOutput'))
  end)

  it('is neither copied nor saved', function()
    local net, calls = nn.Sequential():add(nn.Linear(3, 2)):double(), 0
    net:get(1):registerForwardHook(function() calls = calls + 1 end)
    local copy = net:clone()
    copy:forward(x)
    assert.equal(0, calls)
    net:float():forward(x:float())
    assert.equal(1, calls)
    assert.is_nil(rawget(copy:get(1), 'updateOutput'))
  end)

  it('gets tables of several inputs and results', function()
    local net = nn.TableModule { forward = function(_, a, b) return a + b, torch.cmul(a, b) end }
    net:registerForwardPreHook(function(_, input) return { input[1] * 10, input[2] } end)
    net:registerForwardHook(function(_, _, output) return { output[1], output[2] + 1 } end)
    local gradients
    net:registerFullBackwardHook(function(_, gradInput, gradOutput) gradients = { gradInput, gradOutput } end)
    local a, b = torch.DoubleTensor { 1, 2 }, torch.DoubleTensor { 3, 4 }
    local sum, product = net(a, b)
    assertClose({ 13, 24 }, sum)
    assertClose({ 31, 81 }, product)
    local output = net:forward(a, b)
    assertClose({ 31, 81 }, output[2])
    local gradInput = net:backward({ a, b }, { torch.ones(2):double(), torch.ones(2):double() })
    assertClose({ 40, 50 }, gradInput[1])
    assertClose({ 11, 21 }, gradInput[2])
    assertClose({ 4, 5 }, gradients[1][1])
    local p, q = a:clone():requiresGrad(), b:clone():requiresGrad()
    sum, product = net(p, q)
    torch.sum(sum + product):backward()
    assertClose({ 40, 50 }, p.grad)
    assertClose({ 11, 21 }, q.grad)
    assertClose({ 4, 5 }, gradients[1][1])
    assertClose({ 1, 1 }, gradients[2][2])
  end)

  it('may change an output in place that the module needs', function()
    local net, g = nn.Tanh(), torch.ones(3):double()
    net:registerForwardHook(function(_, _, output) output:mul(3) end)
    local y = torch.tanh(x)
    assertClose(y * 3, net:forward(x))
    assertClose(torch.add(torch.mul(torch.cmul(y, y), -3), 3), net:backward(x, g), 1e-12)
  end)

  it('of backward is called once if no input is on the tape', function()
    local net, seen = nn.Linear(3, 2):double():requiresGrad(), {}
    net:registerFullBackwardHook(function(_, gradInput, gradOutput) seen[#seen + 1] = { gradInput or 'none', gradOutput:sum() } end)
    torch.sum(net(x)):backward()
    assert.same({ { 'none', 2 } }, seen)
  end)

  it('may fail, and refuses what is no function', function()
    local net = nn.Linear(3, 2):double()
    net:forward(x)
    local handle = net:registerFullBackwardHook(function() error 'no' end)
    assert.is_false((pcall(net.backward, net, x, torch.ones(2):double())))
    handle:remove()
    net:backward(x, torch.ones(2):double())
    assert.error_matches(function() net:registerForwardHook(3) end, 'nn.Linear: registerForwardHook: fn: number, expected a function')
    assert.is_nil(net._hooks)
  end)

  it('sees values without gradients under torch.noGrad', function()
    local net = nn.Tanh()
    net:registerForwardPreHook(function(_, input) return input * 2 end)
    local y = torch.noGrad(function() return net:forward(x) end)
    assertClose(torch.tanh(x * 2), y)
    assertClose(torch.tanh(x * 2), torch.noGrad(function() return net(x) end))
  end)
end)
