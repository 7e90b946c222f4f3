-- Uses of modules in programs for Torch7's nn, besides calls.
local torch = require 'torch'
local nn = require 'nn'
local nested = require 'nn.nested'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

-- A module as in an old file: an instance without a call of the constructor.
local function old(name, fields)
  local module = torch.factory('nn.' .. name)()
  for key, value in pairs(fields) do module[key] = value end
  module.output, module.gradInput = torch.DoubleTensor(), torch.DoubleTensor()
  return torch.deserialize(torch.serialize(module))
end

describe('A program', function()
  it('counts a row by #', function()
    local net = nn.Sequential():add(nn.Tanh()):add(nn.Identity()):add(nn.ReLU())
    assert.equal(3, #net)
    net:insert(nn.Exp(), 1)
    net:remove()
    assert.equal(3, #net)
    table.insert(net.modules, nn.Tanh())
    net:forward(torch.ones(2))
    assert.equal(4, #net)
    assert.equal(4, #net:clone())
    for i = 1, #net do assert.is_truthy(net:get(i)) end
    assert.equal(0, #nn.Sequential())
    net[5] = 'own'
    net:forward(torch.ones(2))
    assert.equal('own', net[5])
  end)

  it('overrides two methods of a stock module, whose third draws nothing then', function()
    local net, draws = nn.Dropout(0.5), 0
    function net:updateOutput(input)
      self.noise = torch.DoubleTensor():resizeAs(input):fill(2)
      self.output = torch.cmul(input, self.noise)
      return self.output
    end
    function net:updateGradInput(_, gradOutput)
      self.gradInput = torch.cmul(gradOutput, self.noise)
      return self.gradInput
    end
    local compute = net.compute
    function net:compute(input)
      draws = draws + 1
      return compute(self, input)
    end
    local x = torch.DoubleTensor { 1, 2, 3 }
    net:forward(x)
    assertClose({ 2, 2, 2 }, net:backward(x, torch.ones(3):double()))
    assertClose({ 2, 2, 2 }, net.noise)
    assert.equal(0, draws)
  end)

  it('clones a module without copying what is shared, and keeps the original when that fails', function()
    local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Linear(2, 2)):double()
    net:get(2).weight = net:get(2).bias:view(2, 1):expand(2, 2):clone()
    local copy = net:clone('weight', 'gradWeight')
    copy:get(1).weight:fill(7)
    assertClose({ { 7, 7, 7 }, { 7, 7, 7 } }, net:get(1).weight)
    copy:get(1).bias:fill(9)
    assert.is_true(net:get(1).bias[1] ~= 9)

    net.own = coroutine.create(function() end)                -- can't be written
    local weight = net:get(1).weight
    assert.has_error(function() net:clone('weight') end)
    assert.is_true(rawequal(weight, net:get(1).weight))
    assert.equal(6, weight:nElement())
  end)

  it('cuts and joins many steps, some of which have no gradient, in tensors that serve again', function()
    local split, join, count = nn.SplitTable(1):double(), nn.JoinTable(1):double(), 40
    local x = torch.randn(count, 30, 10):double()
    local steps = split:forward(x)
    assertClose(x, split:backward(x, steps))
    assert.is_true(rawequal(split.gradInput, split:backward(x, { [7] = steps[7] })))
    assertClose(steps[7], split.gradInput[7])
    assertClose(x[1]:clone():zero(), split.gradInput[8])

    assertClose(x:view(count * 30, 10), join:forward(steps))
    local gradInput = join:backward(steps, x:view(count * 30, 10))
    assertClose(steps[count], gradInput[count])
    local kept = gradInput[1]
    assert.is_true(rawequal(kept, join:backward(steps, x:view(count * 30, 10))[1]))
    assertClose({ 1, 2 }, nn.JoinTable(-1):forward { torch.DoubleTensor { 1 }, torch.DoubleTensor { 2 } })
  end)

  it('reads modules of old files that lack fields', function()
    local x = torch.DoubleTensor { { 3, 4 }, { 0, 2 } }
    assertClose({ 3, 6 }, old('Sum', { dimension = 1 }):forward(x))
    assertClose({ { 0.6, 0.8 }, { 0, 1 } }, old('Normalize', { p = 2 }):forward(x), 1e-10)
  end)

  -- text, input, fields that were added later
  for _, case in ipairs {
    { 'Mean(1)', { 3, 4 }, 'nInputDims sizeAverage squeeze' }, { 'Max(1)', { 3, 4 }, 'dimension nInputDims _indices' },
    { 'Replicate(3)', { 2, 3 }, 'dim ndim' }, { 'Padding(1, 2)', { 2, 3 }, 'index value nInputDim outputSize' },
    { 'PReLU()', { 2, 3 }, 'nOutputPlane' }, { 'SoftPlus()', { 2, 3 }, 'beta threshold' },
    { 'SpatialCrossMapLRN(3)', { 4, 2, 2 }, 'k scale' }, { 'GradientReversal()', { 3 }, 'lambda' },
    { 'SpatialConvolutionMM(2, 3, 3, 3)', { 2, 5, 5 }, 'padW padH finput fgradInput parameterNames' },
    { 'SpatialMaxPooling(2, 2)', { 2, 5, 5 }, 'padW padH ceil_mode indices' },
    { 'SpatialAveragePooling(2, 2)', { 2, 5, 5 }, 'padW padH ceil_mode count_include_pad divide' },
    { 'Dropout(0)', { 2, 3 }, 'v2 inplace stochasticInference train' }, { 'ReLU()', { 2, 3 }, 'inplace threshold val' },
    { 'Linear(3, 2)', { 2, 3 }, '_type parameterNames' }, { 'HardTanh()', { 2, 3 }, 'inplace min_val max_val' },
    { 'Reshape(6)', { 2, 3 }, 'batchMode' }, { 'View(-1)', { 2, 3 }, 'numInputDims' }, { 'SplitTable(1)', { 2, 3 }, 'nInputDims' },
    { 'SpatialFullConvolution(2, 3, 3, 3)', { 2, 5, 5 }, 'adjW adjH padW padH parameterNames' },
  } do
    it('reads ' .. case[1] .. ' of old files without ' .. case[3], function()
      local net = assert(loadstring('return nn.' .. case[1]))():double()
      local x = layers.input(unpack(case[2]))
      local expected = nested.map(net:forward(x), function(y) return y:clone() end)
      for field in case[3]:gmatch '%S+' do net[field] = nil end
      local read = torch.deserialize(torch.serialize(net))
      local output = read:forward(x)
      for i, y in ipairs(nested.flatten(expected, {})) do assertClose(y, nested.flatten(output, {})[i]) end
      read:backward(x, output)
      assert.is_true(rawequal(read, read:clearState():float()))
    end)
  end
end)

describe('nn.IndexLinear', function()
  for _, normalize in ipairs { false, true } do
    it('has the gradients of nn.Linear on the tape' .. (normalize and ', its input divided by the largest' or ''), function()
      local net = nn.IndexLinear(6, 2, true, nil, nil, nil, normalize):double()
      net:reset()
      local weight = net.weight:narrow(2, net.normalize + 1, 2)
      local keys, values = torch.LongTensor { 1, 3, 5 }, torch.DoubleTensor { 0.5, -2, 4 }
      local factors = normalize and torch.DoubleTensor { 2, 0.5, 0.25 } or torch.ones(3):double()
      local dense = torch.zeros(6):double()
      for i = 1, 3 do dense[keys[i]] = values[i] * factors[i] end
      local gradOutput = torch.DoubleTensor { 2, -3 }
      local linear = nn.Linear(6, 2):double()
      linear.weight:copy(weight:t())
      linear.bias:copy(net.bias)
      linear:zeroGradParameters()
      local expected = linear:forward(dense)
      local byDense = linear:backward(dense, gradOutput)

      net:requiresGrad()
      values:requiresGrad()
      local y = net { keys, values }
      assertClose(expected, y:detach(), 1e-14)
      torch.sum(torch.cmul(y, gradOutput)):backward()
      assertClose(linear.gradWeight:t(), net.weight.grad:narrow(2, net.normalize + 1, 2), 1e-14)
      assertClose(linear.gradBias, net.bias.grad, 1e-14)
      assertClose(torch.cmul(byDense:index(1, keys), factors), values.grad, 1e-14)
      local batch = net { { keys, keys }, { values, values } }
      assertClose(torch.cat(expected:view(1, 2), expected:view(1, 2), 1), batch:detach(), 1e-14)
    end)
  end
end)
