-- Creation of nodes and of networks from nodes, and errors.
local torch, nn, nngraph = require 'torch', require 'nn', require 'nngraph'
local declarations, samples = require 'spec.nn.declared', require 'spec.support.nn_samples'

local function line() return debug.getinfo(2, 'l').currentline end
local function at(number) return ('[spec/nngraph/nodes_spec.lua]:%d_'):format(number) end

local function refused(message, f, ...)
  local good, said = pcall(f, ...)
  assert.is_false(good)
  assert.is_truthy(said:find(message, 1, true), said)
end

describe('a call of a module', function()
  local x = torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }

  it('makes a node of nothing, a node, a list of nodes', function()
    local a, b = nn.Identity()(), nn.Linear(2, 3)()
    local sum = nn.CAddTable()({ a, b })
    local row = nn.Tanh()(sum)
    for _, node in ipairs { a, b, sum, row } do assert.equal('nngraph.Node', torch.type(node)) end
    assert.same({ 0, 2, 1 }, { #a.children, #sum.children, #row.children })
    assert.equal(a, sum.children[1])
    assert.equal(b.data, sum.data.mapindex[2])
    assert.is_true(a.data.reverseMap[sum])
    assert.equal(2, sum.data.mapindex[b.data])
    assert.equal('nn.Tanh', torch.type(row.data.module))
  end)

  it('makes a node of every class, also of those with a call of their own', function()
    local wrong = {}
    for _, sample in ipairs(declarations.modules) do
      local good, node = pcall(samples.moduleOf(sample), nn.Identity()())
      if torch.type(node) ~= 'nngraph.Node' then
        wrong[#wrong + 1] = ('%s: %s'):format(samples.nameOf(sample), good and torch.type(node) or node)
      end
    end
    assert.same({}, wrong)
  end)

  it('runs it on tensors and tables of tensors, as without the package', function()
    assert.equal(6, nn.Sum(2)(x)[1])
    assert.same({ 2, 4, 6 }, nn.CAddTable() { x[1], x[1] }:totable())
    local tracked = x:clone():requiresGrad()
    nn.Square()(tracked):sum():backward()
    assert.is_true(torch.equal(x * 2, tracked.grad))
    local y, gradient = nn.Square()(x, torch.ones(2, 3))
    assert.same({ 36, 12 }, { y[2][3], gradient[2][3] })
  end)

  it('of a criterion makes a node of a module of it, or the loss', function()
    local node = nn.MSECriterion() { nn.Identity()(), nn.Identity()() }
    assert.equal('nn.ModuleFromCriterion', torch.type(node.data.module))
    local scores, class = nn.Identity()(), nn.Identity()()
    local net = nn.gModule({ scores, class }, { nn.ClassNLLCriterion() { nn.LogSoftMax()(scores), class } })
    local input = { torch.Tensor { { 1, 3 }, { 2, 2 } }, torch.Tensor { 2, 1 } }
    local mean = net:forward(input)
    assert.same({ 1 }, mean:size():totable())
    assert.is_true(math.abs((math.log(1 + math.exp(-2)) + math.log(2)) / 2 - mean[1]) < 1e-12)
    assert.same({ 2, 2 }, net:backward(input, torch.ones(1))[1]:size():totable())
    local loss, gradient = nn.MSECriterion()(torch.Tensor { 1, 2 }, torch.Tensor { 0, 0 })
    assert.equal(2.5, loss)
    assert.same({ 1, 2 }, gradient:totable())
  end)

  it('is the operator -, too', function()
    local a = - nn.Identity()
    local b = a - nn.Linear(3, 2) - nn.Tanh()
    local c = { a, b } - nn.JoinTable(2)
    assert.equal('nn.JoinTable', torch.type(c.data.module))
    assert.equal(b, c.children[2])
    local net = nn.gModule({ a }, { c })
    assert.same({ 2, 5 }, net:forward(x):size():totable())
    refused('module: a number, expected a module', function() return a - 3 end)
    refused('a module before it and number behind it', function() return nn.Tanh() - 3 end)
  end)

  it('says what can be no input', function()
    local node = nn.Identity()()
    local sum = nn.CAddTable()
    refused('Use {input1, input2} to pass multiple inputs.', sum, node, node)
    refused('cannot pass an empty table of inputs. ', sum, {})
    refused('inputs[1] is nil (typo / bad index?)', sum, { nil, node })
    refused('inputs[2] is nil (typo / bad index?)', sum, { node, nil, node })
    refused('inputs[1] is nil (typo / bad index?)', sum, nil)
    refused('inputs[2] is an nn.Module, specifically a nn.Tanh, but the only valid thing to pass is an instance of nngraph.Node. ', sum,
      { node, nn.Tanh() })
    refused('inputs[1] is an nn.Module, specifically a nn.Tanh, but', sum, nn.Tanh())
    refused('inputs[2] should be an nngraph.Node but is of type number', sum, { node, 3 })
    refused("Don't pass the same input twice.", sum, { node, node })
  end)
end)

describe('a node', function()
  it('is annotated, and says where it was declared', function()
    local node, number = nn.Tanh()(), line()
    assert.equal(at(number), node.data.annotations._debugLabel)
    assert.equal(node, node:annotate { name = 'squash', description = 'between -1 and 1', graphAttributes = { color = 'blue' } })
    assert.equal('squash', node.data.annotations.name)
    assert.equal('squash\nbetween -1 and 1\nnn.Tanh', node:label())
    assert.equal(('squash (%d)'):format(node.id), node:graphNodeName())
    assert.same({ color = 'blue' }, node:graphNodeAttributes())
    assert.equal('nngraph.Node squash', tostring(node))
  end)

  it('takes the name of the variable it is in, unless it has one', function()
    local first = nn.Identity()()
    local second = nn.Tanh()(first):annotate { name = 'kept' }
    nngraph.annotateNodes()
    assert.same({ 'first', 'kept' }, { first.data.annotations.name, second.data.annotations.name })
  end)

  it('is split into the elements of its output', function()
    local x = nn.Identity()()
    local a, b = x:split(2)
    assert.same({ 1, 2 }, { a.data.selectindex, b.data.selectindex })
    assert.equal(2, a.children[1].data.nSplitOutputs)
    local difference = nn.gModule({ x }, { nn.CSubTable() { b, a } })
    assert.same({ 2, 3 }, difference:forward { torch.Tensor { 1, 2 }, torch.Tensor { 3, 5 } }:totable())
    local single = nn.Identity()()
    local net = nn.gModule({ single }, { single:split(1) })
    local given = torch.ones(2)
    assert.equal(given, net:forward { given })
    local gradient = torch.Tensor { 3, 4 }
    assert.same({ { 3, 4 } }, { net:backward({ given }, gradient)[1]:totable() })
    refused("split: count: 'a', expected a whole number, 1 or more", x.split, x, 'a')
  end)

  it('is split into as many as its output has, and no fewer', function()
    local x, declared = nn.Identity()(), line()
    local a, b = x:split(2)
    local net = nn.gModule({ x }, { nn.CAddTable() { a, b } })
    local one = torch.ones(2)
    assert.same({ 2, 2 }, net:forward { one, one }:totable())
    refused('split(2) cannot split 3 outputs', net.forward, net, { one, one, one })
    refused('split(2) cannot split 1 outputs', net.forward, net, { one })
    refused('split(2) cannot split torch.DoubleTensor', net.forward, net, one)
    local tracked = one:clone():requiresGrad()
    refused('split(2) cannot split 3 outputs', net, { tracked, tracked, tracked })
    assert.same({ at(declared) .. '-1', at(declared) .. '-2' }, { a.data.annotations._debugLabel, b.data.annotations._debugLabel })
  end)

  it('of its data has no path back to them through values of tables', function()
    local x = nn.Identity()()
    local a, b = nn.SplitTable(2)(nn.Linear(2, 2)(x)):split(2)
    local net = nn.gModule({ x }, { nn.CAddTable() { a, b }, nn.Tanh()(x) })
    net:forward(torch.ones(3, 2))
    local visits = 0
    local function traverse(value, path)
      if type(value) ~= 'table' or path[value] then return assert.is_nil(path[value]) end
      visits = visits + 1
      path[value] = true
      for _, entry in pairs(value) do traverse(entry, path) end
      path[value] = nil
    end
    for _, node in ipairs(net.forwardnodes) do
      local data = {}
      for key, value in pairs(node.data) do
        if key ~= 'module' then data[key] = value end
      end
      traverse(data, {})
    end
    assert.is_true(visits > 20)
  end)

  it('holds its input after a forward, the first and last nodes too', function()
    local x, y = nn.Identity()(), nn.Identity()()
    local sum = nn.CAddTable() { x, y }
    local a, b = nn.SplitTable(1)(sum):split(2)
    local net = nn.gModule({ x, y }, { a, nn.Tanh()(b) })
    local given = { torch.ones(2, 3), torch.ones(2, 3) * 2 }
    local output = net:forward(given)
    assert.equal(given, net.innode.data.input[1])
    assert.same({ given[1], given[2] }, sum.data.input)
    assert.same({ output[1], output[2] }, net.outnode.data.input)
    assert.equal('table', type(a.data.input[1]))
    assert.same({ 3, 3, 3 }, a.data.input[1][1]:totable())
    local one, two = torch.ones(3), torch.ones(3) * 2
    local gradInput = net:backward(given, { one, two })
    assert.same({ one, two }, net.outnode.data.gradOutput)
    assert.equal(gradInput, net.innode.data.gradOutput[1])
    assert.equal(one, a.data.gradOutput[1])
    assert.equal(one, a.children[1].data.gradOutput[1][1])
    assert.same({ 2, 3 }, sum.data.gradOutput[1]:size():totable())
    net:float()
    assert.equal('torch.FloatTensor', net.outnode.data.gradOutput[2]:type())
    assert.equal('torch.DoubleTensor', given[1]:type())
    assert.equal('torch.FloatTensor', net.innode.data.input[1][2]:type())
    assert.equal('torch.FloatTensor', net.outnode.data.input[2]:type())
    assert.same({ 2, 2, 2, 2, 2, 2 }, sum.data.input[2]:view(-1):totable())
    assert.equal('torch.FloatTensor', a.data.input[1][1]:type())
    local gradient = torch.FloatTensor(3):fill(1)
    assert.same({ 2, 3 }, net:backward(nil, { gradient, gradient })[2]:size():totable())
    net:clearState()
    for _, node in ipairs { net.innode, net.outnode, sum, a } do
      assert.same({ {}, {} }, { node.data.input, node.data.gradOutput })
    end
  end)
end)

describe('nngraph.nest', function()
  it('makes one node of nested lists of nodes', function()
    local a, b, c = nn.Identity()(), nn.Tanh()(), nn.Square()()
    assert.equal(a, nngraph.nest(a))
    local net = nn.gModule({ a, b, c }, { nngraph.nest { a, { b, { c } } } })
    local x = torch.Tensor { 1, 2 }
    local output = net:forward { x, x, x }
    assert.same({ 1, 2 }, output[1]:totable())
    assert.same({ math.tanh(1), math.tanh(2) }, output[2][1]:totable())
    assert.same({ 1, 4 }, output[2][2][1]:totable())
    local g = torch.ones(2)
    assert.same({ 2, 4 }, net:backward({ x, x, x }, { g, { g, { g } } })[3]:totable())
    refused('nngraph.nest: nodes: number, expected a node or nested lists of nodes', nngraph.nest, 3)
    refused('nngraph.nest: nodes: a table of 0', nngraph.nest, {})
    refused('nngraph.nest: nodes: nn.Tanh', nngraph.nest, { a, nn.Tanh() })
  end)
end)

describe('nn.gModule', function()
  it('says what can be no network', function()
    local x = nn.Identity()()
    local h = nn.Tanh()(x)
    refused('no inputs are not supported', nn.gModule, {}, { h })
    refused('an input should have no inputs', nn.gModule, { h }, { h })
    refused('expecting only one start', nn.gModule, { x }, { nn.CAddTable() { h, nn.Identity()() } })
    refused('nn.gModule: inputs: nngraph.Node, expected a table of nodes', nn.gModule, x, { h })
    refused('nn.gModule: outputs: number 1 is nn.Tanh, expected an nngraph.Node', nn.gModule, { x }, { nn.Tanh() })
    refused('nn.gModule: outputs: an empty table', nn.gModule, { x }, {})
    refused("Don't pass the same input twice.", nn.gModule, { x, x }, { h })
  end)

  it('names the nodes that lead to no output', function()
    local x = nn.Identity()()
    local h = nn.Tanh()(x)
    local _, number = nn.Sigmoid()(x), line()
    refused(('node declared on %s does not connect to gmodule output'):format(at(number)), nn.gModule, { x }, { h })
    local lonely, lonelyAt = nn.Identity()(), line()
    local alone = nn.Identity()()
    refused(('node declared on %s does not connect to gmodule output'):format(at(lonelyAt)), nn.gModule, { alone, lonely },
      { nn.Tanh()(alone) })
  end)

  it('names the splits that are not used up', function()
    local x, declared = nn.Identity()(), line()
    local a, b = x:split(3)
    local split = line() - 1
    refused(('1 of split(3) outputs from the node declared at %s split at %s-mnode are unused'):format(at(declared),
      at(split):sub(1, -2)), nn.gModule, { x }, { nn.CAddTable() { a, b } })
  end)

  it('may be made of nodes that another one has, too', function()
    local x = nn.Identity()()
    local half = nn.MulConstant(0.5)(x)
    local first = nn.gModule({ x }, { half })
    local second = nn.gModule({ x }, { nn.AddConstant(1)(half) })
    local given = torch.Tensor { 2, 4 }
    assert.same({ 1, 2 }, first:forward(given):totable())
    assert.same({ 2, 3 }, second:forward(given):totable())
  end)
end)
