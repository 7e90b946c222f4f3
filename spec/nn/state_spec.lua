-- States by PyTorch's names: its names, order, sizes and results; loading; paths of modules.
local torch, C = require 'torch', require 'libmoontorch'
local nn = require 'nn'
local assertClose = require('spec.support.close').assertClose
local figures = require 'spec.nn.state_figures'

local function series(sizes, rate)
  local x = torch.DoubleTensor(torch.LongStorage(sizes))
  local flat = x:view(-1)
  for i = 1, flat:size(1) do flat[i] = math.sin(i * rate + 0.5) end
  return x
end

local nets = {
  mlp = function() return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)) end,
  nested = function() return nn.Sequential(nn.Sequential(nn.Linear(3, 4, false), nn.ReLU()), nn.Linear(4, 2)) end,
  norm = function()
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNormalization(4), nn.BatchNormalization(4, nil, nil, false))
  end,
  pictures = function()
    return nn.Sequential(nn.SpatialConvolution(2, 3, 3, 2), nn.SpatialBatchNormalization(3), nn.PReLU(3))
  end,
  matrix = function() return nn.Sequential(nn.SpatialConvolutionMM(2, 3, 3, 2)) end,
  up = function() return nn.Sequential(nn.SpatialFullConvolution(2, 3, 3, 2)) end,
  volumes = function() return nn.Sequential(nn.VolumetricConvolution(2, 3, 2, 1, 3), nn.VolumetricBatchNormalization(3)) end,
  frames = function() return nn.TemporalConvolution(2, 3, 4) end,
  lstm = function() return nn.LSTM(3, 4, { layers = 2, bidirectional = true }) end,
  gru = function() return nn.GRU(3, 4) end,
  rnn = function() return nn.RNN(3, 4, { bias = false }) end,
  cell = function() return nn.GRUCell(3, 4) end,
  attention = function() return nn.MultiheadAttention(4, 2) end,
  layerNorm = function() return nn.Sequential(nn.LayerNorm(3), nn.Linear(3, 2)) end,
}

-- Returns the names and sizes of a state, in order.
local function listed(state)
  local list = {}
  for i, name in ipairs(torch.pt.keys(state)) do list[i] = { name, unpack(state[name]:size():totable()) } end
  return list
end

describe('a state', function()
  for _, figure in ipairs(figures) do
    it("has PyTorch's names, order and sizes, and its values give PyTorch's results: " .. figure.name, function()
      local net = nets[figure.name]():double()
      net:evaluate()
      assert.same(figure.state, listed(net:stateDict()))
      local state = {}
      for i, entry in ipairs(figure.state) do
        local value = series({ unpack(entry, 2) }, 0.7 + 0.1 * (i - 1))
        state[entry[1]] = entry[1]:find 'running_var$' and value:abs() or value
      end
      assert.same({ {}, {} }, { net:loadStateDict(state) })
      local x = series(figure.input, 0.3)
      local y = figure.name == 'frames' and net:forward(x:transpose(2, 3):contiguous()):transpose(2, 3) or net:forward(x)
      assertClose(figure.projection, torch.cmul(y, series(y:size():totable(), 0.9)):sum(), 1e-12)
      for name, value in pairs(net:stateDict()) do assertClose(state[name], value, 0) end
    end)
  end

  it('shares memory with the module, also after getParameters, and is not tracked', function()
    local net = nets.matrix()
    net:requiresGrad()
    local flat = net:getParameters()
    local weight = net:stateDict()['0.weight']
    flat:fill(3)
    assert.equal(3, weight:max())
    weight:fill(5)
    assert.equal(5, net:get(1).weight:detach():max())
    assert.is_false(C.tracked(weight))
  end)

  it('has frozen and shared parameters, and those of a class with its own parameters()', function()
    local shared = nn.Linear(2, 2, false)
    shared.gradWeight = nil
    local own = nn.Identity()
    own.scale, own.gradScale = torch.ones(3), torch.zeros(3)
    function own:parameters() return { self.scale }, { self.gradScale } end
    local net = nn.Sequential(shared, shared, own)
    assert.same({ { '0.weight', 2, 2 }, { '1.weight', 2, 2 }, { '2.scale', 3 } }, listed(net:stateDict()))
  end)

  it('survives a file of PyTorch', function()
    local name, net, other = os.tmpname(), nets.norm(), nets.norm()
    net:forward(torch.randn(6, 3))
    torch.pt.save(name, net:stateDict())
    local state = torch.pt.load(name)
    os.remove(name)
    assert.same(listed(net:stateDict()), listed(state))
    other:loadStateDict(state)
    for key, value in pairs(net:stateDict()) do assert.is_true(torch.equal(value, other:stateDict()[key])) end
  end)
end)

describe('loadStateDict', function()
  local function refused(message, change, options)
    local net = nets.norm()
    local before, state = net:clone():stateDict(), {}
    for name, value in pairs(net:stateDict()) do state[name] = value + 1 end
    change(state)
    local done, said = pcall(net.loadStateDict, net, state, options)
    assert.is_false(done)
    assert.truthy(said:find(message, 1, true), said)
    for name, value in pairs(net:stateDict()) do assert.is_true(torch.equal(before[name], value)) end
  end

  it('names wrong keys, values and sizes, and changes nothing then', function()
    refused('nn.Sequential: loadStateDict: state: missing: 0.bias; unexpected: 3, x, expected the names of stateDict()', function(state)
      state['0.bias'], state.x, state[3] = nil, torch.ones(1), 7
    end)
    refused('nn.Sequential: loadStateDict: 2.running_var: a tensor of size [5], expected [4]', function(state)
      state['2.running_var'] = torch.ones(5)
    end, { strict = false })
    refused('nn.Sequential: loadStateDict: 1.bias: number, expected a tensor', function(state) state['1.bias'] = 2 end)
    refused('nn.Sequential: loadStateDict: options: strct', function() end, { strct = false })
    assert.error_matches(function() nets.mlp():loadStateDict(3) end, 'nn.Sequential: loadStateDict: state: 3, expected a table')
  end)

  it('copies what fits without strict, and returns the other names', function()
    local net = nets.mlp()
    local weight = net:get(1).weight
    local missing, unexpected = net:loadStateDict({ ['0.weight'] = torch.IntTensor(4, 3):fill(2), more = 1 }, { strict = false })
    assert.same({ '0.bias', '2.weight', '2.bias' }, missing)
    assert.same({ 'more' }, unexpected)
    assert.equal(weight, net:get(1).weight)
    assert.equal(24, weight:sum())
  end)

  it("accepts PyTorch's counter of batches for batch normalisation alone", function()
    local net = nets.norm()
    local state = net:stateDict()
    state['1.num_batches_tracked'] = torch.LongTensor { 5 }
    assert.same({ {}, {} }, { net:loadStateDict(state) })
    state['0.num_batches_tracked'] = torch.LongTensor { 5 }
    assert.same({ {}, { '0.num_batches_tracked' } }, { net:loadStateDict(state, { strict = false }) })
  end)

  it('loads tensors of the module itself, such as those of two layers that change places', function()
    local net = nn.Sequential():add(nn.Linear(3, 3)):add(nn.Linear(3, 3))
    local values = net:stateDict()
    local first, second = values['0.weight']:clone(), values['1.weight']:clone()
    values['0.weight'], values['1.weight'] = values['1.weight'], values['0.weight']
    net:loadStateDict(values)
    assert.is_true(torch.equal(second, net:get(1).weight) and torch.equal(first, net:get(2).weight))
  end)

  it('loads into tracked parameters', function()
    local net = nets.mlp():requiresGrad()
    net:loadStateDict(nets.mlp():stateDict())
    assert.is_true(C.tracked(net:get(1).weight))
  end)
end)

describe('names of modules', function()
  it('are positions from 0 and fields, each module once, parents first', function()
    local inner = nn.Linear(2, 2)
    local net = nn.Sequential(nn.Sequential(inner), inner)
    net.head, net._private, net.alias = nn.Tanh(), nn.ReLU(), net:get(1)
    net.self = net
    local names = {}
    for name, module in net:namedModules() do names[#names + 1] = name .. ' ' .. torch.type(module) end
    assert.same({ ' nn.Sequential', '0 nn.Sequential', '0.0 nn.Linear', 'head nn.Tanh' }, names)
    local children = {}
    for name, module in net:namedChildren() do children[#children + 1] = name .. ' ' .. torch.type(module) end
    assert.same({ '0 nn.Sequential', '1 nn.Linear', 'head nn.Tanh', 'self nn.Sequential' }, children)
  end)

  it('are those of buffers, which are not copies', function()
    local net, names = nets.norm(), {}
    for name, buffer in net:namedBuffers() do
      names[#names + 1] = name
      buffer:fill(7)
    end
    assert.same({ '1.running_mean', '1.running_var', '2.running_mean', '2.running_var' }, names)
    assert.equal(28, net:get(3).running_var:sum())
  end)
end)

describe('registerBuffer', function()
  local function names(net)
    local list = {}
    for name in net:namedBuffers() do list[#list + 1] = name end
    return list
  end

  it('adds to the state, for this module alone, its copies and its types', function()
    local net = nn.Sequential(nn.BatchNormalization(2), nn.BatchNormalization(2))
    local mean = torch.FloatTensor { 4, 5 }
    assert.equal(net:get(1), net:get(1):registerBuffer('mean', mean))
    net:get(1):registerBuffer('passing', torch.ones(1), { persistent = false })
    local copy = net:clone():double()
    local expected = { '0.running_mean', '0.running_var', '0.mean', '0.passing', '1.running_mean', '1.running_var' }
    assert.same(expected, names(copy))
    assert.equal('torch.DoubleTensor', copy:get(1).mean:type())
    assertClose({ 4, 5 }, copy:stateDict()['0.mean'])
    assert.is_nil(copy:stateDict()['0.passing'])
    net:get(1).mean:zero()
    assert.same({ {}, {} }, { net:loadStateDict(copy:stateDict()) })
    assertClose({ 4, 5 }, mean)
    net:get(1):registerBuffer('passing', torch.zeros(3))
    assert.same(expected, names(net))
    assert.equal(3, net:stateDict()['0.passing']:nElement())
  end)

  it('refuses names of fields and methods, and values that are no tensors', function()
    local net = nn.Linear(2, 2)
    for _, name in ipairs { 'weight', 'forward', 'a.b', '', '_x', '1' } do
      assert.error_matches(function() net:registerBuffer(name, torch.ones(1)) end, 'nn.Linear: registerBuffer: name: .*, expected a letter')
    end
    assert.error_matches(function() net:registerBuffer('x', 3) end, 'nn.Linear: registerBuffer: tensor: number, expected a tensor')
    assert.error_matches(function() net:registerBuffer('x', torch.ones(1), { keep = 1 }) end, 'registerBuffer: options: keep')
    assert.same({}, names(net))
    assert.is_nil(net.x)
  end)
end)
