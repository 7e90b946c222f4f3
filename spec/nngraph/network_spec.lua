-- Networks forward, backward and on the tape: against nn's containers, closed forms and differences.
local torch, nn = require 'torch', require 'nn'
require 'nngraph'
local assertClose = require('spec.support.close').within(1e-12)

-- One step of an LSTM: three inputs, a split, values that several modules read, two outputs.
local function lstm(nIn, n)
  local x, prevC, prevH = nn.Identity()(), nn.Identity()(), nn.Identity()()
  local sums = nn.Reshape(4, n)(nn.CAddTable() { nn.Linear(nIn, 4 * n)(x), nn.Linear(n, 4 * n)(prevH) })
  local a, b, c, d = nn.SplitTable(2)(sums):split(4)
  local nextC = nn.CAddTable() {
    nn.CMulTable() { nn.Sigmoid()(b), prevC }, nn.CMulTable() { nn.Sigmoid()(a), nn.Tanh()(d) },
  }
  return nn.gModule({ x, prevC, prevH }, { nextC, nn.CMulTable() { nn.Sigmoid()(c), nn.Tanh()(nextC) } })
end

local function sigmoid(x) return torch.cinv(torch.exp(-x) + 1) end

describe('a network', function()
  it('is nn.Sequential where it is a chain', function()
    local layers = { nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2), nn.LogSoftMax() }
    local row, x = nn.Sequential(), nn.Identity()()
    local node = x
    for _, layer in ipairs(layers) do
      row:add(layer:clone())
      node = layer(node)
    end
    local net, input, gradOutput = nn.gModule({ x }, { node }), torch.randn(5, 3), torch.randn(5, 2)
    assertClose(row:forward(input), net:forward(input))
    row:zeroGradParameters()
    net:zeroGradParameters()
    assertClose(row:backward(input, gradOutput, 0.5), net:backward(input, gradOutput, 0.5))
    local _, expected = row:parameters()
    local _, got = net:parameters()
    assert.equal(#expected, #got)
    for i = 1, #got do assertClose(expected[i], got[i]) end
  end)

  it('has the value of its formula', function()
    local net = lstm(4, 3)
    local x, c, h = torch.randn(2, 4), torch.randn(2, 3), torch.randn(2, 3)
    local output = net:forward { x, c, h }
    local parameters = net:parameters()
    local sums = x * parameters[1]:t() + parameters[2]:view(1, 12):expand(2, 12) + h * parameters[3]:t()
      + parameters[4]:view(1, 12):expand(2, 12)
    local function gate(k) return sums:narrow(2, 3 * k - 2, 3) end
    local nextC = torch.cmul(sigmoid(gate(2)), c) + torch.cmul(sigmoid(gate(1)), torch.tanh(gate(4)))
    assertClose(nextC, output[1])
    assertClose(torch.cmul(sigmoid(gate(3)), torch.tanh(nextC)), output[2])
  end)

  it('has the gradients that differences show', function()
    local net = lstm(2, 3)
    local input, weights = { torch.randn(2, 2), torch.randn(2, 3), torch.randn(2, 3) }, { torch.randn(2, 3), torch.randn(2, 3) }
    local function loss()
      local output = net:forward(input)
      return output[1]:dot(weights[1]) + output[2]:dot(weights[2])
    end
    loss()
    net:zeroGradParameters()
    local gradInput = net:backward(input, weights)
    local checked = { unpack(input) }
    local gradients = { gradInput[1]:clone(), gradInput[2]:clone(), gradInput[3]:clone() }
    local parameters, byParameters = net:parameters()
    for i, parameter in ipairs(parameters) do
      checked[3 + i], gradients[3 + i] = parameter, byParameters[i]:clone()
    end
    for i, tensor in ipairs(checked) do
      local flat, gradient = tensor:view(-1), gradients[i]:view(-1)
      for k = 1, flat:size(1) do
        local kept = flat[k]
        flat[k] = kept + 1e-5
        local up = loss()
        flat[k] = kept - 1e-5
        local slope = (up - loss()) / 2e-5
        flat[k] = kept
        assert.is_true(math.abs(slope - gradient[k]) < 1e-8)
      end
    end
  end)

  it('adds up what the readers of a node send back, whole and in parts', function()
    local x = nn.Identity()()
    local pair = nn.Identity()(x)
    local a, b = pair:split(2)
    local net = nn.gModule({ x }, { nn.CAddTable() { nn.CMulTable()(pair), nn.CMulTable() { nn.Identity()(a), nn.Identity()(b) }, a } })
    local p, q = torch.randn(3), torch.randn(3)
    assertClose(torch.cmul(p, q) * 2 + p, net:forward { p, q })
    local g = torch.randn(3)
    local gradInput = net:backward({ p, q }, g)
    assertClose(torch.cmul(q, g) * 2 + g, gradInput[1])
    assertClose(torch.cmul(p, g) * 2, gradInput[2])
  end)

  it('leaves what it is given as it was, and may give it back', function()
    local x = nn.Identity()()
    local net = nn.gModule({ x }, { nn.CAddTable() { nn.Identity()(x), nn.Identity()(x), nn.Identity()(x) } })
    local given, gradOutput = torch.ones(2), torch.ones(2)
    net:forward(given)
    local first = net:backward(given, gradOutput)
    assert.same({ 3, 3 }, first:totable())
    assert.same({ 1, 1 }, gradOutput:totable())
    assert.same({ 9, 9 }, net:backward(given, first):totable())
    assert.same({ 3, 3 }, net:backward(given, gradOutput):totable())
  end)

  it('takes its two halves of backward one after the other', function()
    local whole = lstm(2, 3)
    local halves = whole:clone()
    local input, gradOutput = { torch.randn(2, 2), torch.randn(2, 3), torch.randn(2, 3) }, { torch.randn(2, 3), torch.randn(2, 3) }
    for _, net in ipairs { whole, halves } do
      net:zeroGradParameters()
      net:forward(input)
    end
    whole:backward(input, gradOutput, 2)
    halves:updateGradInput(input, gradOutput)
    halves:accGradParameters(input, gradOutput, 2)
    local _, expected = whole:parameters()
    local _, got = halves:parameters()
    for i = 1, #got do assertClose(expected[i], got[i]) end
    for i = 1, 3 do assertClose(whole.gradInput[i], halves.gradInput[i]) end
    local before = whole:parameters()[1]:clone()
    whole:zeroGradParameters()
    whole:backwardUpdate(input, gradOutput, 0.1)
    assertClose(before - expected[1] * 0.05, halves:parameters()[1] - expected[1] * 0.05)
    assertClose(before - got[1] * 0.05, whole:parameters()[1])
  end)

  it('runs on the tape, with the same gradients', function()
    local net = lstm(2, 3)
    local input, weights = { torch.randn(2, 2), torch.randn(2, 3), torch.randn(2, 3) }, { torch.randn(2, 3), torch.randn(2, 3) }
    net:zeroGradParameters()
    net:forward(input)
    local gradInput = net:backward(input, weights)
    local _, byParameters = net:parameters()
    local taped = net:clone():requiresGrad()
    local leaves = {}
    for i = 1, 3 do leaves[i] = input[i]:clone():requiresGrad() end
    local output = taped(leaves)
    assertClose(net.output[2], output[2]:detach())
    local loss = torch.cmul(output[1], weights[1]):sum() + torch.cmul(output[2], weights[2]):sum()
    loss:backward()
    for i = 1, 3 do assertClose(gradInput[i], leaves[i].grad) end
    for i, parameter in ipairs(taped:parameters()) do assertClose(byParameters[i], parameter.grad) end
  end)

  it('is a module of others, to any depth', function()
    local inner = lstm(2, 2)
    local x, c, h = nn.Identity()(), nn.Identity()(), nn.Identity()()
    local nextC, nextH = inner { x, c, h } :split(2)
    local outer = nn.gModule({ x, c, h }, { nextC, nn.Linear(2, 1)(nextH) })
    local row = nn.Sequential():add(outer):add(nn.SelectTable(2))
    local input = { torch.randn(3, 2), torch.randn(3, 2), torch.randn(3, 2) }
    local output = row:forward(input):clone()
    local linear = outer:findModules 'nn.Linear'
    assert.equal(3, #linear)
    assertClose(inner:forward(input)[2] * linear[3].weight:t() + linear[3].bias:view(1, 1):expand(3, 1), output)
    row:zeroGradParameters()
    row:forward(input)
    row:backward(input, torch.ones(3, 1))
    assert.is_true(inner:parameters() and select(2, inner:parameters())[1]:norm() > 0)
    local leaf = input[1]:clone():requiresGrad()
    row { leaf, input[2], input[3] } :sum():backward()
    assertClose(outer.gradInput[1], leaf.grad)
  end)

  it('keeps apart what one module gives in two nodes', function()
    local layer = nn.Linear(2, 2)
    local x, y = nn.Identity()(), nn.Identity()()
    local net = nn.gModule({ x, y }, { nn.CMulTable() { layer(x), layer(y) } })
    local a, b, g = torch.randn(3, 2), torch.randn(3, 2), torch.randn(3, 2)
    local function apply(input) return input * layer.weight:t() + layer.bias:view(1, 2):expand(3, 2) end
    assertClose(torch.cmul(apply(a), apply(b)), net:forward { a, b })
    net:zeroGradParameters()
    net:backward({ a, b }, g)
    assertClose(torch.cmul(g, apply(b)) * layer.weight, net.gradInput[1])
    assertClose(torch.cmul(g, apply(a)) * layer.weight, net.gradInput[2])
    assertClose(torch.cmul(g, apply(b)):t() * a + torch.cmul(g, apply(a)):t() * b, layer.gradWeight)
    assert.equal(2, #net:parameters())
  end)

  it('may have a criterion inside', function()
    local x, target = nn.Identity()(), nn.Identity()()
    local net = nn.gModule({ x, target }, { nn.MulConstant(3)(nn.MSECriterion() { x, target }) })
    local a, b = torch.Tensor { 1, 2 }, torch.Tensor { 3, 5 }
    assert.same({ 3 * (4 + 9) / 2 }, net:forward { a, b }:totable())
    local gradInput = net:backward({ a, b }, torch.ones(1))
    assert.same({ { -6, -9 }, { 0, 0 } }, { gradInput[1]:totable(), gradInput[2]:totable() })
  end)

  it('gives zeros where nothing comes back', function()
    local x, y = nn.Identity()(), nn.Identity()()
    local first = nn.gModule({ x, y }, { nn.SelectTable(1)(nn.Identity() { x, y }) })
    first:forward { torch.ones(2), torch.ones(3) }
    local gradInput = first:backward({ torch.ones(2), torch.ones(3) }, torch.Tensor { 5, 6 })
    assert.same({ { 5, 6 }, { 0, 0, 0 } }, { gradInput[1]:totable(), gradInput[2]:totable() })
  end)

  it('keeps on the tape what others read, and lets the rest go', function()
    local function gradient(net)
      local leaf = torch.ones(1000):requiresGrad()
      net(leaf):sum():backward()
      return leaf.grad
    end
    local row, x = nn.Sequential():add(nn.MulConstant(2)):add(nn.AddConstant(1)):add(nn.MulConstant(3)), nn.Identity()()
    local net = nn.gModule({ x }, { nn.MulConstant(3)(nn.AddConstant(1)(nn.MulConstant(2)(x))) })
    assertClose(gradient(row), gradient(net))
    local y = nn.Identity()()
    local inner = nn.MulConstant(2)(y)
    local both = nn.gModule({ y }, { nn.MulConstant(3)(inner), inner, nn.AddConstant(1)(inner) })
    local leaf = torch.ones(3):requiresGrad()
    local output = both(leaf)
    torch.cmul(output[1], output[2]):sum():backward()
    assertClose(torch.Tensor(3):fill(24), leaf.grad)
    assertClose(torch.Tensor(3):fill(2), output[2]:detach())
  end)

  it('says what runs, when it is asked to', function()
    local output = require('spec.support.program').evaluate [[
      require 'nngraph'
      local x = nn.Identity()()
      local net = nn.gModule({ x }, { nn.Tanh()(x):annotate { name = 'squash' } })
      net.verbose = true
      net:forward(torch.ones(2))
    ]]
    assert.matches('^nn.gModule: nn.Identity, declared on .*\nnn.gModule: squash, declared on [^\n]*\n$', output)
  end)

  it('says how many inputs and gradients it wants', function()
    local net, x = lstm(2, 3), torch.randn(2, 2)
    assert.error_matches(function() net:forward(x) end, 'expecting table of 3 inputs')
    assert.error_matches(function() net:forward { x, x } end, 'Got 2 inputs instead of 3')
    net:forward { x, torch.randn(2, 3), torch.randn(2, 3) }
    assert.error_matches(function() net:backward(nil, { torch.ones(2, 3) }) end, 'Got 1 gradOutputs instead of 2')
    assert.error_matches(function() net:backward(nil, torch.ones(2, 3)) end, 'Got 1 gradOutputs instead of 2')
    assert.error_matches(function() net:backward(x) end, 'nn.gModule: gradOutput: nil')
    net:clearState()
    assert.error_matches(function() net:backward(x, x) end, 'nn.gModule: backward: no forward')
    assert.error_matches(function() net:accGradParameters(x, x) end, 'nn.gModule: backward: no forward')
    local given = nn.Identity()()
    local a, b = given:split(2)
    local sum = nn.gModule({ given }, { nn.CAddTable() { a, b } })
    assert.error_matches(function() sum:forward(x) end,
      'split%(2%) cannot split torch.DoubleTensor of the node declared at .*, expected a table of 2')
    assert.error_matches(function() sum:forward { x } end, 'split%(2%) cannot split 1 outputs of the node declared at .*, expected a table')
    assert.error_matches(function() sum { x:clone():requiresGrad() } end, 'split%(2%) cannot split 1 outputs')
  end)

  it('names the node that went wrong', function()
    local x = nn.Identity()()
    local number = debug.getinfo(1, 'l').currentline + 1
    local net = nn.gModule({ x }, { nn.Sequential():add(nn.Linear(3, 2))(nn.Tanh()(x)):annotate { name = 'last' } })
    local good, message = pcall(net.forward, net, torch.ones(2, 5))
    assert.is_false(good)
    assert.is_truthy(message:find '^\nIn 3 module of nn.gModule:\nIn 1 module of nn.Sequential:\nnn.Linear: .*size mismatch', message)
    local other = nn.Identity()()
    local plain = nn.gModule({ other }, { nn.Linear(3, 2)(other):annotate { name = 'first' } })
    local _, told = pcall(plain.forward, plain, torch.ones(2, 5))
    assert.is_truthy(told:find('\nIn 2 module of nn.gModule:\nfirst, declared on [spec/nngraph/network_spec.lua]:' .. number + 5, 1, true),
      told)
  end)
end)
