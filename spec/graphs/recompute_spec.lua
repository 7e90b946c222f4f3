-- graph:recompute and graph:peakMemory: less memory, the same bits.
local torch, nn = require 'torch', require 'nn'
require 'autograd'

local function count(g, ops)
  local found = 0
  for _, op in ipairs(g:info().ops) do found = found + (ops[op] and 1 or 0) end
  return found
end

local products = { linear = true, mm = true, matmul = true, bmm = true, conv2d = true, addmm = true }

-- The gradients of a network by all its parameters.
local function gradients(net, criterion, x, y)
  local g = torch.graph.capture(function(input, target) return criterion:forward(net:forward(input), target) end, { x, y })
  return torch.graph.gradient(g, g:info().constants)
end

local function layers(activation, depth)
  local net = nn.Sequential()
  for _ = 1, depth do net:add(nn.Linear(16, 16)):add(activation()) end
  return gradients(net, nn.MSECriterion(), torch.randn(128, 16), torch.randn(128, 16))
end

local networks = {
  ['layers with tanh'] = function() return layers(nn.Tanh, 8) end,
  ['layers with GELU'] = function() return layers(nn.GELU, 8) end,
  ['layers with normalisations and softmax'] = function()
    local net = nn.Sequential()
    for _ = 1, 4 do net:add(nn.Linear(16, 16)):add(nn.LayerNormalization(16)):add(nn.SoftPlus()):add(nn.SoftMax()) end
    return gradients(net, nn.MSECriterion(), torch.randn(64, 16), torch.randn(64, 16))
  end,
  ['convolutions'] = function()
    local net = nn.Sequential()
    for _ = 1, 3 do net:add(nn.SpatialConvolution(4, 4, 3, 3, 1, 1, 1, 1)):add(nn.ELU()):add(nn.SpatialMaxPooling(2, 2)) end
    return gradients(net, nn.MSECriterion(), torch.randn(2, 4, 16, 16), torch.randn(2, 4, 2, 2))
  end,
  ['attention'] = function()
    local function program(q, k, v, y)
      local shape = torch.LongStorage { 2, 32, 4, 4 }
      for _ = 1, 3 do
        local a, b, c = q:view(shape):transpose(2, 3), k:view(shape):transpose(2, 3), v:view(shape):transpose(2, 3)
        local p = torch.softmax(torch.matmul(a, b:transpose(3, 4)) * 0.5)
        q = torch.matmul(p, c):transpose(2, 3):contiguous():view(2, 32, 16)
      end
      return torch.sum(torch.pow(q - y, 2), 1)
    end
    local inputs = {}
    for i = 1, 4 do inputs[i] = torch.randn(2, 32, 16) end
    return torch.graph.gradient(torch.graph.capture(program, inputs), { 'x1', 'x2', 'x3' })
  end,
}

-- Inputs of the dtypes and sizes that the text declares.
local function inputsOf(g)
  local inputs = {}
  for line in tostring(g):match('%((.-)%) {'):gmatch 'float64%[(.-)%]' do
    local sizes = {}
    for size in line:gmatch '%d+' do sizes[#sizes + 1] = tonumber(size) end
    inputs[#inputs + 1] = torch.randn(torch.LongStorage(sizes))
  end
  return inputs
end

local function expectSame(a, b, inputs)
  local expected, actual = { a:run(unpack(inputs)) }, { b:run(unpack(inputs)) }
  assert.are.equal(#expected, #actual)
  for i = 1, #expected do assert.is_true(torch.equal(expected[i], actual[i])) end
end

local function leastOf(g)
  local done, message = pcall(g.recompute, g, 0)
  assert.is_false(done)
  return tonumber(message:match '^.*graph.*recompute: bytes: 0, expected at least (%d+), the lowest peak that was reached$'
    or message:match 'recompute: bytes: 0, expected at least (%d+), the lowest peak that was reached$')
end

local matrix = 64 * 64 * 8

describe('graph:peakMemory', function()
  local x = torch.zeros(64, 64)

  it('counts the results that are needed at one step', function()
    local function peak(f) return torch.graph.capture(f, { x }):peakMemory() end
    local vector = torch.zeros(64)
    assert.are.equal(matrix, peak(function(a) return torch.mm(a, a) end))
    assert.are.equal(3 * matrix, peak(function(a) a = torch.mm(a, a) return torch.mm(torch.mm(a, a), a:t()) end))
    assert.are.equal(2 * matrix, peak(function(a)
      for _ = 1, 5 do a = torch.mm(a, a) end
      return a
    end))
    assert.are.equal(3 * matrix, peak(function(a)
      local kept = torch.mm(a, a)
      return kept, torch.mm(torch.mm(a, a:t()), a)
    end))
    assert.are.equal(512 + 64, peak(function(a) return torch.sum(torch.mv(a, vector):narrow(1, 1, 1), 1) end))
  end)

  it('counts no views, inputs and constants, and nothing inside of fused loops', function()
    local function peak(f) return torch.graph.capture(f, { x }):peakMemory() end
    local constant = torch.zeros(8)
    assert.are.equal(0, peak(function(a) return a:t(), constant:view(2, 4), constant end))
    assert.are.equal(matrix, peak(function(a) return torch.tanh(torch.exp(torch.add(a, 1))):view(64, 8, 8):transpose(1, 2) end))
    assert.are.equal(0, torch.graph.parse('graph(x: float64[2, 3]) { return x }'):peakMemory())
  end)

  it('is what a prepared run needs, without its inputs', function()
    local g = torch.graph.capture(function(a)
      local b = torch.mm(a, a)
      return torch.mm(torch.mm(torch.mm(b, a), b), b), torch.mm(b, b)
    end, { x })
    assert.are.equal(g:prepare():info().neededBytes, g:peakMemory() + matrix)
  end)

  it('contains what the body of a loop needs', function()
    local g = torch.graph.capture(function(a)
      return (torch.graph.scan(function(state, row)
        state = torch.mm(torch.mm(state, state), state)
        return state, row
      end, { a }, { a }))
    end, { x })
    assert.are.equal(4 * matrix, g:peakMemory())      -- the results, and two matrices of the body
  end)

  it('refuses graphs whose sizes are unknown', function()
    local function refused(text, message)
      assert.has_error(function() torch.graph.parse(text):peakMemory() end, message)
    end
    refused('graph(x: tensor) { return tanh(x) }', 'peakMemory: x: an input without a type, expected a dtype and sizes')
    refused('graph(x: float64[2, ?]) { return tanh(x) }', 'peakMemory: x: an input of any size, expected fixed sizes')
    refused('graph(x: float64[2, 2]) { return mul(nonzero(x), 2) }',
      'peakMemory: step 1, nonzero: sizes that are unknown before a run, expected fixed sizes')
  end)
end)

describe('graph:recompute', function()
  before_each(function() torch.manualSeed(11) end)

  for name, make in pairs(networks) do
    it('keeps the bits and the limit for ' .. name, function()
      local g = make()
      local peak, least, inputs = g:peakMemory(), leastOf(g), inputsOf(g)
      assert.is_true(least < peak)
      for _, part in ipairs { 0, 0.25, 0.5, 0.75, 0.95 } do
        local limit = math.floor(least + part * (peak - least))
        local less = g:recompute(limit)
        assert.is_true(less:peakMemory() <= limit)
        expectSame(g, less, inputs)
        assert.are.equal(#less:info().ops, #torch.graph.parse(tostring(less), (function()
          local constants = {}
          for _, constant in ipairs(less:info().constants) do constants[constant] = less:constant(constant) end
          return constants
        end)()):info().ops)
      end
      assert.is_true(g:recompute(least):peakMemory() == least)
      assert.has_error(function() g:recompute(least - 64) end)
      assert.are.equal(tostring(g), tostring(g:recompute(peak)))
      assert.are.equal(tostring(g), tostring(g:recompute(math.huge)))
    end)
  end

  it('needs the memory of few layers for many', function()
    local peak, few, many = layers(nn.Tanh, 24):peakMemory(), leastOf(layers(nn.Tanh, 12)), leastOf(layers(nn.Tanh, 24))
    local weights = 17 * 16 * 8 * 12                                    -- their gradients, which are outputs
    assert.is_true(many - few < 1.5 * weights)
    assert.is_true(many < 0.35 * peak)
  end)

  it('repeats products only where cheap steps do not suffice', function()
    local g = layers(nn.GELU, 8)
    local peak, least = g:peakMemory(), leastOf(g)
    local cheap = g:recompute(0.9 * peak)
    assert.are.equal(count(g, products), count(cheap, products))
    assert.is_true(#cheap:info().ops > #g:info().ops)
    assert.is_true(count(g:recompute(least), products) > count(g, products))
  end)

  it('repeats steps of a fused loop as a fused loop', function()
    local x = torch.randn(64, 64)
    local g = torch.graph.capture(function(a)
      local gate = torch.sigmoid(torch.mul(torch.add(a, 1), 2))
      local y = torch.mm(gate, a)
      for _ = 1, 3 do y = torch.mm(torch.mm(y, a), y) end
      return torch.mm(y, gate)
    end, { x })
    assert.are.equal(3 * matrix, g:peakMemory() - matrix)
    local less = g:recompute(3 * matrix)
    assert.are.equal(3 * matrix, less:peakMemory())
    local _, loops = tostring(less):gsub('fused {', '')
    assert.are.equal(2, loops)
    assert.are.equal(2, count(less, { sigmoid = true }))
    expectSame(g, less, { x })
  end)

  it('draws no random numbers again', function()
    local net = nn.Sequential()
    for _ = 1, 5 do net:add(nn.Linear(16, 16)):add(nn.Tanh()):add(nn.Dropout(0.4)) end
    local g = gradients(net, nn.MSECriterion(), torch.randn(128, 16), torch.randn(128, 16))
    local less = g:recompute(leastOf(g))
    assert.is_true(less:peakMemory() < g:peakMemory())
    assert.are.equal(count(g, { bernoulli = true }), count(less, { bernoulli = true }))
    assert.is_true(count(g, { bernoulli = true }) > 0)
    local inputs, results = inputsOf(g), {}
    for i, each in ipairs { g, less } do
      torch.manualSeed(3)
      results[i] = { each:run(unpack(inputs)) }
      results[i][#results[i] + 1] = torch.rand(3)
    end
    for i = 1, #results[1] do assert.is_true(torch.equal(results[1][i], results[2][i])) end
  end)

  it('trains as before, with the same updates and the same table of results', function()
    local function trained(limit)
      torch.manualSeed(7)
      local net = nn.Sequential()
      for _ = 1, 6 do net:add(nn.Linear(16, 16)):add(nn.BatchNormalization(16)):add(nn.Tanh()) end
      local parameters, slopes = net:getParameters()
      local criterion = nn.MSECriterion()
      local x, y = torch.randn(200, 16), torch.randn(200, 16)
      local step = torch.graph.capture(function(input, target)
        slopes:zero()
        local loss = criterion:forward(net:forward(input), target)
        net:backward(input, criterion:backward(net.output, target))
        parameters:add(-0.1, slopes)
        return { loss = loss }
      end, { x, y })
      if limit then step = step:recompute(limit * step:peakMemory()) end
      local losses = {}
      for i = 1, 4 do losses[i] = step:run(x, y).loss:item() end
      return parameters:clone(), losses, step:peakMemory()
    end
    local parameters, losses, peak = trained()
    local others, lossesAgain, less = trained(0.7)
    assert.is_true(torch.equal(parameters, others))
    assert.are.same(losses, lossesAgain)
    assert.is_true(less <= 0.7 * peak)
  end)

  it('repeats no step before a write', function()
    local text = [[
      graph(x: float64[64, 64], w: float64[64, 64]) {
        constant a: float64[64, 64]
        constant b: float64[64, 64]
        early = sigmoid(add(%s, 1))
        y = reshape(expand(reshape(mm(early, x), {64, 1, 64}), {64, 2, 64}), {64, 128})
        %s
        z = sub(y, {1, 64, 1, 64})
        return mm(mm(contiguous(z), x), early)
      }]]
    local a, b = torch.randn(64, 64), torch.randn(64, 64)
    local before = a:clone()
    local function least(read, write, others)
      local g = torch.graph.parse(text:format(read, write), others or { a = a, b = b })
      assert.are.equal(4 * matrix, g:peakMemory())
      local x, w, results = torch.randn(64, 64), torch.randn(64, 64), {}
      for i, each in ipairs { g, g:recompute(leastOf(g)) } do
        a:copy(before)
        results[i] = each:run(x:clone(), w:clone())
      end
      assert.is_true(torch.equal(results[1], results[2]))
      return leastOf(g) / matrix
    end
    assert.are.equal(3, least('w', ''))
    assert.are.equal(4, least('w', 'sgd_step({w}, {x}, {}, 0.5) writes w'))
    assert.are.equal(4, least('w', 'sgd_step({a}, {x}, {}, 0.5) writes a'))
    assert.are.equal(3, least('a', ''))
    assert.are.equal(4, least('a', 'sgd_step({a}, {x}, {}, 0.5) writes a'))
    assert.are.equal(4, least('t(a)', 'sgd_step({a}, {x}, {}, 0.5) writes a'))
    assert.are.equal(3, least('b', 'sgd_step({a}, {x}, {}, 0.5) writes a'))
    assert.are.equal(4, least('b', 'sgd_step({a}, {x}, {}, 0.5) writes a', { a = a, b = a:t() }))
    local throughView = 'view = t(a) sgd_step({view}, {x}, {}, 0.5) writes view'
    assert.are.equal(4, least('a', throughView))
    assert.are.equal(4, least('t(a)', throughView))
    assert.are.equal(4, least('w', throughView))
    assert.are.equal(3, least('b', throughView))
    assert.are.equal(4, least('b', throughView, { a = a, b = a:t() }))
  end)

  it('keeps what a step overwrites', function()
    local function of(write)
      return torch.graph.parse(([[
        graph(x: float64[64, 64], g: float64[64, 64]) {
          w = clone(x)
          early = mm(w, x)
          %s
          y = reshape(expand(reshape(mm(early, x), {64, 1, 64}), {64, 2, 64}), {64, 128})
          z = sub(y, {1, 64, 1, 64})
          return mm(mm(contiguous(z), x), w)
        }]]):format(write))
    end
    local plain, writing = of '', of 'sgd_step({w}, {g}, {}, 0.5) writes w'
    assert.are.equal(4 * matrix, plain:peakMemory())
    assert.are.equal(3 * matrix, leastOf(plain))
    assert.are.equal(4 * matrix, leastOf(writing))
  end)

  it('frees the further results of a repeated step, also those that equal an output', function()
    local g = torch.graph.parse [[
      graph(x: float64[64, 64]) {
        early, order = sort(x, 2)
        y = reshape(expand(reshape(mm(early, x), {64, 1, 64}), {64, 2, 64}), {64, 128})
        z = sub(y, {1, 64, 1, 64})
        return mm(mm(contiguous(z), x), early), order
      }]]
    assert.are.equal(5 * matrix, g:peakMemory())
    assert.are.equal(4 * matrix, leastOf(g))
    local less = g:recompute(4 * matrix)
    assert.are.equal(2, count(less, { sort = true }))
    expectSame(g, less, { torch.randn(64, 64) })
  end)

  it('reads what the step before which it repeats others reads anyway', function()
    local g = torch.graph.parse [[
      graph(x: float64[64, 64], g: float64[64, 64]) {
        w = clone(x)
        sgd_step({w}, {g}, {}, 0.5) writes w
        early = cmul(w, tanh(x))
        y = reshape(expand(reshape(mm(early, x), {64, 1, 64}), {64, 2, 64}), {64, 128})
        z = sub(y, {1, 64, 1, 64})
        return mm(mm(contiguous(z), x), mm(early, w))
      }]]
    assert.are.equal(5 * matrix, g:peakMemory())
    assert.are.equal(4 * matrix, leastOf(g))
    local less = g:recompute(4 * matrix)
    assert.are.same({ 2, 2, 1 }, { count(less, { tanh = true }), count(less, { cmul = true }), count(less, { clone = true }) })
    expectSame(g, less, { torch.randn(64, 64), torch.randn(64, 64) })
  end)

  it('refuses other limits and unknown sizes', function()
    local g = torch.graph.capture(torch.tanh, { torch.zeros(8) })
    for shown, limit in pairs { ['-1'] = -1, ["'x'"] = 'x', nan = 0 / 0 } do
      local done, message = pcall(g.recompute, g, limit)
      assert.is_false(done)
      assert.is_not_nil(message:find('graph.recompute: bytes: ', 1, true), shown)
    end
    assert.has_error(function() g:recompute(63) end, 'recompute: bytes: 63, expected at least 64, the lowest peak that was reached')
    assert.has_error(function() torch.graph.parse('graph(x: tensor) { return tanh(x) }'):recompute(1) end,
      'recompute: x: an input without a type, expected a dtype and sizes')
  end)
end)
