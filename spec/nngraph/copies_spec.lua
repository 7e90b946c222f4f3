-- Operations on complete networks: copies, types, files, other modules in their nodes.
local torch, nn, paths = require 'torch', require 'nn', require 'paths'
require 'nngraph'
local isClose = require('spec.support.close').isClose

local function made()
  local x, y = nn.Identity()(), nn.Identity()()
  local h = nn.Tanh()(nn.Linear(3, 4)(x)):annotate { name = 'hidden' }
  local a, b = nn.SplitTable(2)(nn.Reshape(2, 2)(h)):split(2)
  return nn.gModule({ x, y }, { nn.CAddTable() { a, b, y }, h })
end

local function input(type_) return { torch.randn(5, 3):type(type_), torch.randn(5, 2):type(type_) } end
local function gradient(type_) return { torch.randn(5, 2):type(type_), torch.randn(5, 4):type(type_) } end

describe('a copy of a network', function()
  it('computes the same with parameters of its own', function()
    local net, given, gradOutput = made(), input 'torch.DoubleTensor', gradient 'torch.DoubleTensor'
    net:forward(given)
    local copy = net:clone()
    assert.is_true(isClose(net.output, copy:forward(given)))
    assert.is_true(isClose(net:backward(given, gradOutput), copy:backward(given, gradOutput)))
    copy:parameters()[1]:add(1)
    assert.is_false(isClose(net:forward(given), copy:forward(given)))
  end)

  it('takes part in the original: backward after a forward of that', function()
    local net, given, gradOutput = made(), input 'torch.DoubleTensor', gradient 'torch.DoubleTensor'
    net:forward(given)
    local copy = net:clone()
    assert.is_true(isClose(net:backward(given, gradOutput), copy:backward(given, gradOutput)))
  end)

  it('shares what it is told to share', function()
    local net = made()
    local shared = net:clone('weight', 'bias', 'gradWeight', 'gradBias')
    local mine, myGradients = net:parameters()
    local its, itsGradients = shared:parameters()
    for i = 1, #mine do
      mine[i]:fill(i)
      myGradients[i]:fill(-i)
      assert.same({ i, -i }, { its[i]:max(), itsGradients[i]:min() })
    end
    local given = input 'torch.DoubleTensor'
    assert.is_true(isClose(net:forward(given), shared:forward(given)))
    assert.are_not.equal(net.output[1], shared.output[1])
  end)

  it('is found among the modules of others', function()
    local row = nn.Sequential():add(nn.ParallelTable():add(nn.Identity()):add(nn.Identity())):add(made())
    assert.equal(1, #row:clone():findModules 'nn.Linear')
    local count = 0
    row:apply(function() count = count + 1 end)
    assert.equal(#row:listModules(), count)
    row:evaluate()
    assert.is_false(row:findModules 'nn.Tanh'[1].train)
  end)
end)

describe('the type of a network', function()
  it('is that of all its tensors', function()
    local net = made()
    net:forward(input 'torch.DoubleTensor')
    assert.equal(net, net:float())
    assert.equal('torch.FloatTensor', net:type())
    local output = net:forward(input 'torch.FloatTensor')
    assert.equal('torch.FloatTensor', output[1]:type())
    local gradInput = net:backward(nil, gradient 'torch.FloatTensor')
    assert.equal('torch.FloatTensor', gradInput[2]:type())
    for _, parameter in ipairs(net:parameters()) do assert.equal('torch.FloatTensor', parameter:type()) end
  end)

  it('leaves shared parameters shared, of a long chain too', function()
    local x = nn.Identity()()
    local shared = nn.Linear(2, 2)
    local node = x
    for _ = 1, 3000 do node = nn.Identity()(node) end
    node = shared:clone('weight', 'bias', 'gradWeight', 'gradBias')(shared(node))
    local net = nn.gModule({ x }, { node })
    local before = net:forward(torch.ones(1, 2)):clone()
    net:float()
    local linear = net:findModules 'nn.Linear'
    linear[1].weight:add(1)
    assert.is_true(torch.equal(linear[1].weight, linear[2].weight))
    linear[1].weight:add(-1)
    assert.is_true((net:forward(torch.ones(1, 2):float()):double() - before):abs():max() < 1e-6)
  end)
end)

describe('a file of a network', function()
  local name = paths.tmpname()
  after_each(function() os.remove(name) end)

  it('gives it back with its graph and names', function()
    for _, format in ipairs { 'binary', 'ascii' } do
      local net, given = made(), input 'torch.DoubleTensor'
      local output = net:forward(given)
      net:backward(given, gradient 'torch.DoubleTensor')
      torch.save(name, net, format)
      local read = torch.load(name, format)
      assert.is_true((read:forward(given)[1] - output[1]):abs():max() < 1e-12)
      assert.same({ #net.forwardnodes, #net.fg.edges, 2 }, { #read.forwardnodes, #read.bg.edges, read.nInputs })
      local found
      for _, node in ipairs(read.forwardnodes) do
        if node.data.annotations.name == 'hidden' then found = node.data.module end
      end
      assert.equal('nn.Tanh', torch.type(found))
      assert.equal(read.modules[4], read:get(4))
    end
  end)

  it('keeps what passes left only where transient tensors are wanted', function()
    local x = nn.Identity()()
    local net = nn.gModule({ x }, { nn.Tanh()(x) })
    local given = torch.randn(1000, 100)
    net:forward(given)
    local function bytes(...)
      torch.save(name, net, 'binary', ...)
      local file = io.open(name)
      local count = file:seek 'end'
      file:close()
      return count
    end
    assert.is_true(bytes() < 20000)
    assert.is_true(bytes { transient = true } > 800000)
    assert.equal(given, net.forwardnodes[2].data.input[1])
  end)

  it('of another make has less: what is missing is made', function()
    local net, given = made(), input 'torch.DoubleTensor'
    local output = net:forward(given)
    local kept = { bg = net.bg, backwardnodes = net.backwardnodes, innode = net.innode, outnode = net.outnode, modules = net.modules,
                   nInputs = net.nInputs }
    for key in pairs(kept) do net[key] = nil end
    torch.save(name, net)
    local read = torch.load(name)
    assert.is_true(isClose(output, read:forward(given)))
    assert.same({ #kept.modules, kept.nInputs }, { #read.modules, read.nInputs })
    assert.equal(read.forwardnodes[1].data, read.innode.data)
  end)
end)

describe('the modules of a network', function()
  it('are replaced', function()
    local net, given = made(), input 'torch.DoubleTensor'
    local layer = nn.Linear(3, 4)
    assert.equal(net, net:replace(function(module)
      if torch.type(module) == 'nn.Tanh' then return nn.Sigmoid() end
      return torch.type(module) == 'nn.Linear' and layer or module
    end))
    local expected = nn.Sigmoid():forward(layer:forward(given[1]))
    assert.is_true(torch.equal(expected, net:forward(given)[2]))
    assert.equal(1, #net:findModules 'nn.Sigmoid')
    assert.equal('a', net:replace(function() return 'a' end))
  end)

  it('may be put into the nodes', function()
    local net, given = made(), input 'torch.DoubleTensor'
    for _, node in ipairs(net.forwardnodes) do
      if torch.type(node.data.module) == 'nn.Tanh' then node.data.module = nn.Sigmoid() end
    end
    local expected = nn.Sigmoid():forward(net:findModules 'nn.Linear'[1]:forward(given[1]))
    assert.is_true(torch.equal(expected, net:forward(given)[2]))
  end)

  it('are met in pairs with those of another one', function()
    local net = made()
    local other, pairs_ = net:clone(), 0
    net:map(other, function(a, b)
      pairs_ = pairs_ + 1
      assert.equal(torch.type(a), torch.type(b))
      assert.are_not.equal(a, b)
    end)
    assert.equal(#net.modules, pairs_)
    assert.error_matches(function() net:map(nn.gModule({ nn.Identity()() }, {}), print) end, 'outputs: an empty table')
    local x = nn.Identity()()
    assert.error_matches(function() net:map(nn.gModule({ x }, { x }), print) end, 'a network of another make')
  end)

  it('run by another of their methods', function()
    local net, given, met = made(), input 'torch.DoubleTensor', {}
    local output = net:runForwardFunction(function(module, x)
      met[#met + 1] = torch.type(module)
      return module:updateOutput(x)
    end, given)
    assert.same(#net.modules, #met)
    assert.is_true(isClose(output, net:forward(given)))
    assert.is_true(isClose(output, net:runForwardFunction('forward', given)))
    assert.error_matches(function() net:runForwardFunction(3, given) end, 'method: number, expected a function')
    assert.error_matches(function() net:runForwardFunction('jump', given) end, 'method: nn.Identity has no jump')
  end)

  it('forget what passes left', function()
    local net = made()
    net:forward(input 'torch.DoubleTensor')
    net:backward(nil, gradient 'torch.DoubleTensor')
    assert.equal(net, net:clearState())
    assert.is_nil(net.output)
    for _, node in ipairs(net.forwardnodes) do assert.same({ {}, {} }, { node.data.input, node.data.gradOutput }) end
    assert.equal(0, net:findModules 'nn.Tanh'[1].output:nElement())
    net:forward(input 'torch.DoubleTensor')
  end)

  it('gather their parameters in one tensor', function()
    local net, given = made(), input 'torch.DoubleTensor'
    local parameters, gradients = net:getParameters()
    assert.equal(16, parameters:nElement())
    gradients:zero()
    net:forward(given)
    net:backward(given, gradient 'torch.DoubleTensor')
    assert.is_true(gradients:norm() > 0)
    parameters:zero()
    assert.equal(0, net:forward(given)[2]:norm())
  end)
end)

describe('a network without tensors left', function()
  it('is collected', function()
    local seen = setmetatable({}, { __mode = 'k' })
    for _ = 1, 3 do
      local net = made()
      net:forward(input 'torch.DoubleTensor')
      seen[net] = true
    end
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(seen))
  end)
end)
