-- Networks that need less memory, with the same results.
local torch, nn, optnet = require 'torch', require 'nn', require 'optnet'
local models = require 'optnet.models'
local nested = require 'nn.nested'
local assertClose = require('spec.support.close').within(1e-12)

local function cloned(value) return nested.map(value, function(x) return x:clone() end) end

local function small()
  local net, input = models.basic()
  return net, input
end

local function withTable()
  local net = nn.Sequential():add(nn.ParallelTable():add(nn.Linear(4, 3)):add(nn.Linear(5, 3))):add(nn.CAddTable()):add(nn.Tanh())
  net:add(nn.ConcatTable():add(nn.Linear(3, 2)):add(nn.Sequential():add(nn.ReLU()):add(nn.Linear(3, 1))))
  return net, { torch.randn(2, 4), torch.randn(2, 5) }
end

local function graph()
  require 'nngraph'
  local x = nn.Identity()()
  local h = nn.ReLU()(nn.Linear(4, 5)(x))
  local y = nn.CAddTable() { nn.Linear(5, 5)(h), h }
  return nn.gModule({ x }, { nn.Sigmoid()(nn.Linear(5, 3)(nn.Tanh()(y))) }), torch.randn(2, 4)
end

-- Rectifiers that can't overwrite their input: it is the program's, that of a branch, or needed by another module's gradient.
local function forked()
  local net = nn.Sequential():add(nn.ReLU()):add(nn.Linear(4, 4)):add(nn.Tanh()):add(nn.ELU())
  net:add(nn.ConcatTable():add(nn.ReLU()):add(nn.Identity())):add(nn.CSubTable()):add(nn.Dropout(0.5)):add(nn.Linear(4, 2))
  return net, torch.randn(3, 4)
end

local nets = { basic = small, concat = models.concat, resnet = models.resnet, tables = withTable, gModule = graph, fork = forked }

describe('optnet.optimizeMemory', function()
  it('sets no global', function() assert.is_nil(rawget(_G, 'optnet')) end)

  for name, make in pairs(nets) do
    it('keeps the outputs of ' .. name .. ' and its input, and empties the rest', function()
      local net, input = make()
      net:evaluate()
      local kept, expected = cloned(input), cloned(net:forward(input))
      local before = optnet.countUsedMemory(net)
      optnet.optimizeMemory(net, input)
      assertClose(expected, net:forward(input))
      assertClose(expected, net:forward(input))
      assertClose(kept, input)
      local after = optnet.countUsedMemory(net)
      assert.is_true(after.outputs < before.outputs)
      local result = 0
      for _, x in ipairs(nested.flatten(expected, {})) do result = result + x:nElement() * 8 end
      local inputs = 0
      for _, x in ipairs(nested.flatten(input, {})) do inputs = inputs + x:nElement() * 8 end
      assert.is_true(after.outputs <= result + inputs)             -- nn.Identity's output is its input
      assertClose(cloned(torch.noGrad(function() return net(input) end)), expected)
    end)

    it('keeps the outputs and gradients of ' .. name .. ' in training', function()
      local net, input = make()
      net:forward(input)
      optnet.optimizeMemory(net, input, { mode = 'training' })
      assert.equal('training', net.__memoryOptimized)
      local random = torch.getRNGState()
      local function pass(of)
        torch.setRNGState(random)
        of:zeroGradParameters()
        local output = cloned(of:forward(input))
        local gradInput = cloned(of:backward(input, output))
        local _, gradients = of:parameters()
        return output, gradInput, cloned(gradients)
      end
      local kept = cloned(input)
      local output, gradInput, gradients = pass(net)
      assertClose(kept, input)
      local outputs = optnet.countUsedMemory(net)
      optnet.removeOptimization(net)
      for _, module in ipairs(net:listModules()) do
        if module.inplace then module.inplace = false end
      end
      local expectedOutput, expectedGradInput, expectedGradients = pass(net)
      assertClose(expectedOutput, output)
      assertClose(expectedGradInput, gradInput)
      assertClose(expectedGradients, gradients)
      local plain = optnet.countUsedMemory(net)
      assert.is_true(outputs.outputs <= plain.outputs)
      assert.is_true(outputs.gradInputs < plain.gradInputs)
    end)
  end

  it('takes other batch sizes afterwards', function()
    local net, input = models.resnet()
    net:evaluate()
    optnet.optimizeMemory(net, input)
    for _, batch in ipairs { 5, 1, 3 } do
      local other = torch.randn(batch, 3, 16, 16)
      local output = cloned(net:forward(other))
      local plain = net:clone()
      optnet.removeOptimization(plain)
      assertClose(plain:forward(other), output)
    end
  end)

  it('frees a module\'s output while the pass is under way', function()
    local most, seen
    local net = nn.Sequential()
    for _ = 1, 8 do net:add(nn.Linear(6, 6)):add(nn.Tanh()) end
    local probe = nn.Identity()
    local update = probe.updateOutput
    probe.updateOutput = function(self, input)
      local full = 0
      for _, module in ipairs(net.modules) do
        if module ~= self and module.output:nElement() > 0 then full = full + 1 end
      end
      most, seen = math.max(most or 0, full), true
      return update(self, input)
    end
    net:add(probe):add(nn.Linear(6, 6))
    local input = torch.randn(3, 6)
    local expected = net:forward(input):clone()
    optnet.optimizeMemory(net, input, { inplace = false })
    most, seen = nil, nil
    assertClose(expected, net:forward(input))
    assert.is_true(seen)
    assert.is_true(most <= 2)
    optnet.removeOptimization(net)
    assert.equal(expected:sum(), net:forward(input):sum())         -- the module's own method is back
    assert.truthy(rawget(probe, 'updateOutput'))
  end)

  it('refuses backward and getParameters while it holds, and gives them back', function()
    local net, input = small()
    local flat, flatGradients = net:getParameters()
    local count = flatGradients:nElement()
    optnet.optimizeMemory(net, input)
    local output = net:forward(input)
    assert.error_matches(function() net:backward(input, output) end, 'Backward pass disabled!')
    assert.error_matches(function() net:get(2):updateGradInput(input, output) end, 'Backward pass disabled!')
    assert.error_matches(function() net:getParameters() end, 'getParameters was disabled by optnet')
    local _, gradients = net:parameters()
    for _, gradient in ipairs(gradients) do assert.equal(0, gradient:nElement()) end
    optnet.removeOptimization(net)
    assert.is_nil(net.__memoryOptimized)
    _, gradients = net:parameters()
    local total = 0
    for _, gradient in ipairs(gradients) do
      total = total + gradient:nElement()
      assert.equal(torch.pointer(gradients[1]:storage()), torch.pointer(gradient:storage()))
    end
    assert.equal(count, total)
    local again, againGradients = net:getParameters()
    assert.equal(flat:nElement(), again:nElement())
    net:zeroGradParameters()
    net:backward(input, net:forward(input))
    assert.is_true(againGradients:abs():sum() > 0)
  end)

  it('keeps gradients where that is wanted', function()
    local net, input = small()
    optnet.optimizeMemory(net, input, { removeGradParams = false })
    local _, gradients = net:parameters()
    assert.equal(8 * 3 * 3 * 3, gradients[1]:nElement())
    assert.equal(1, #{ net:getParameters():size(1) })
  end)

  it('turns inplace on where that changes nothing', function()
    local net, input = small()
    optnet.optimizeMemory(net, input)
    assert.is_true(net:get(2).inplace)
    assert.is_true(net:get(5).inplace)
    optnet.removeOptimization(net)
    assert.is_true(net:get(2).inplace)
    net, input = forked()
    optnet.optimizeMemory(net, input)
    assert.is_false(net:get(1).inplace)                            -- the program's input
    net, input = forked()
    optnet.optimizeMemory(net, input, { mode = 'training' })
    assert.is_false(net:get(4).inplace)                            -- nn.Tanh's gradient is made of its output
    net, input = small()
    optnet.optimizeMemory(net, input, { inplace = false })
    assert.is_false(net:get(2).inplace)
    net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Threshold())
    optnet.optimizeMemory(net, torch.randn(1, 2))
    assert.is_false(net:get(2).inplace)
  end)

  it('empties what modules keep for a backward, unless an unpooling reads it', function()
    local net, input = small()
    optnet.optimizeMemory(net, input)
    net:forward(input)
    assert.equal(0, net:get(3).indices:nElement())
    local pool = nn.SpatialMaxPooling(2, 2)
    net = nn.Sequential():add(nn.SpatialConvolution(3, 3, 1, 1)):add(pool):add(nn.SpatialMaxUnpooling(pool))
    local expected = net:forward(input):clone()
    optnet.optimizeMemory(net, input)
    assertClose(expected, net:forward(input))
    net, input = small()
    optnet.optimizeMemory(net, input, { reuseBuffers = false })
    net:forward(input)
    assert.is_true(net:get(3).indices:nElement() > 0)
  end)

  it('leaves random numbers as they were', function()
    local net, input = forked()
    local state = torch.getRNGState()
    optnet.optimizeMemory(net, input, { mode = 'training' })
    assert.is_true(torch.equal(state, torch.getRNGState()))
  end)

  it('says that a second call is skipped, and that there is nothing to remove', function()
    local net, input = small()
    local printed, kept = {}, print
    rawset(_G, 'print', function(text) printed[#printed + 1] = text end)
    local done, message = pcall(function()
      optnet.removeOptimization(net)
      optnet.optimizeMemory(net, input)
      optnet.optimizeMemory(net, input, { mode = 'training' })
    end)
    rawset(_G, 'print', kept)
    assert(done, message)
    assert.equal(2, #printed)
    assert.truthy(printed[1]:find 'was not optimized')
    assert.equal('Skipping memory optimization. Network is already optimized for inference mode.', printed[2])
  end)

  it('goes through files and clones', function()
    local net, input = models.resnet()
    net:evaluate()
    local expected = net:forward(input):clone()
    optnet.optimizeMemory(net, input)
    local copy = net:clone()
    assertClose(expected, copy:forward(input))
    assert.is_true(optnet.countUsedMemory(copy).outputs <= expected:nElement() * 8)
    optnet.removeOptimization(copy)
    copy:zeroGradParameters()
    copy:backward(input, copy:forward(input))
    assertClose(expected, net:forward(input))
    net:float()
    assert.is_true((net:forward(input:float()):double() - expected):abs():max() < 1e-3)
  end)

  it('names what it refuses', function()
    assert.error_matches(function() optnet.optimizeMemory({}, 1) end, 'optnet.optimizeMemory: net: a table, expected a module')
    local net, input = small()
    assert.error_matches(function() optnet.optimizeMemory(net, input, { mode = 'x' }) end, "opts.mode: x, expected 'inference'")
    assert.error_matches(function() optnet.optimizeMemory(net, input, 3) end, 'opts: a number, expected a table')
    assert.error_matches(function() optnet.optimizeMemory(net, torch.randn(2)) end, '')
    assert.is_nil(net.__memoryOptimized)
    assert.is_nil(rawget(net, 'updateOutput'))
  end)
end)

describe('optnet.countUsedMemory', function()
  it('counts each storage once a kind', function()
    local net = nn.Sequential():add(nn.Linear(4, 3)):add(nn.View(3)):add(nn.Tanh())
    local input = torch.randn(2, 4)
    net:backward(input, net:forward(input))
    local counted = optnet.countUsedMemory(net)
    assert.equal(2 * (2 * 3) * 8, counted.outputs)                 -- nn.View shows nn.Linear's
    assert.equal((4 * 3 + 3) * 2 * 8, counted.params)
    assert.is_true(counted.gradInputs >= (2 * 4 + 2 * 3) * 8)
    assert.equal(counted.outputs + counted.gradInputs + counted.buffers + counted.params, counted.total_size)
  end)
end)

describe('optnet.graphgen', function()
  it('draws up who reads from whom', function()
    local graphgen = require 'optnet.graphgen'
    local net, input = models.resnet { blocks = 1 }
    local made = graphgen(net, input)
    assert.equal('graph.Graph', torch.type(made))
    local names, edges = {}, {}
    for _, node in ipairs(made.nodes) do names[node.data] = (names[node.data] or 0) + 1 end
    for _, edge in ipairs(made.edges) do edges[edge.from.data .. ' ' .. edge.to.data] = true end
    assert.same({ Input = 1, Output = 1, ['nn.SpatialConvolution'] = 3, ['nn.SpatialBatchNormalization'] = 3, ['nn.ReLU'] = 3,
      ['nn.Identity'] = 1, ['nn.CAddTable'] = 1, ['nn.SpatialAdaptiveAveragePooling'] = 1, ['nn.View'] = 1, ['nn.Linear'] = 1 }, names)
    for _, edge in ipairs { 'Input nn.SpatialConvolution', 'nn.SpatialBatchNormalization nn.CAddTable', 'nn.Identity nn.CAddTable',
      'nn.Linear Output' } do
      assert.is_true(edges[edge], edge)
    end
    assert.is_false(made:hasCycle())
    local concat, picture = models.concat()
    local found
    for _, node in ipairs(graphgen(concat, picture).nodes) do found = found or node.data == 'nn.Concat' end
    assert.is_true(found)
  end)
end)

describe('optnet.models', function()
  it('has networks that take their inputs', function()
    for _, name in ipairs { 'basic', 'concat', 'resnet' } do
      local net, input = models[name] { batchSize = 3 }
      assert.equal(3, net:forward(input):size(1))
    end
  end)
end)
