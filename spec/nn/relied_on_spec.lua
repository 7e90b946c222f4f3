-- Behaviour that programs rely on beyond values: messages of containers, the tables and tensors that a module returns, and a program's
-- fields.
local torch = require 'torch'
local nn = require 'nn'
local assertClose = require('spec.support.close').assertClose

describe('A container', function()
  it('takes nil for no module, and goes on', function()
    for _, container in ipairs { nn.Container(), nn.Concat(1), nn.ParallelTable(), nn.ConcatTable() } do
      assert.is_true(rawequal(container, container:add(nil)))
      assert.equal(0, container:size())
    end
  end)

  it('has a line for each container in its message, from the outside in', function()
    local inner = nn.Parallel(1, 1):add(nn.Linear(3, 2))
    local net = nn.Sequential():add(nn.Identity()):add(nn.Concat(1):add(inner))
    local _, message = pcall(net.forward, net, torch.ones(1, 4))
    local place = '\nIn 2 module of nn.Sequential:\nIn 1 module of nn.Concat:\nIn 1 module of nn.Parallel:\nnn.Linear: '
    assert.equal(place, message:sub(1, #place))
    local criterion = nn.MultiCriterion():add(nn.ParallelCriterion():add(nn.MSECriterion()))
    _, message = pcall(criterion.forward, criterion, { torch.ones(2) }, { torch.ones(3) })
    place = '\nIn 1 criterion of nn.MultiCriterion:\nIn 1 criterion of nn.ParallelCriterion:\nnn.MSECriterion: '
    assert.equal(place, message:sub(1, #place))
  end)

  it('keeps a child whose own method type returns nothing', function()
    local Silent = torch.class('nn.SpecSilentType', 'nn.Module')
    function Silent:type(kind) self.asked = kind end
    local child = nn.SpecSilentType()
    local net = nn.Sequential():add(child):float()
    assert.is_true(rawequal(child, net:get(1)))
    assert.equal('torch.FloatTensor', child.asked)
  end)
end)

describe('nn.Parallel', function()
  it('leaves children beyond the last slice alone', function()
    local net, x = nn.Parallel(1, 1):add(nn.MulConstant(2)):add(nn.MulConstant(3)):add(nn.Linear(7, 7)), torch.ones(2, 3)
    assertClose({ 2, 2, 2, 3, 3, 3 }, net:forward(x))
    assertClose({ { 2, 2, 2 }, { 3, 3, 3 } }, net:backward(x, torch.ones(6)))
    net:accGradParameters(x, torch.ones(6))
    assert.error_matches(function() net:forward(torch.ones(4, 3)) end, 'nn.Parallel: input: 4 slices, expected 3, one for each module')
  end)

  it('holds modules together without dimensions, which the first forward asks for', function()
    local net = nn.Parallel():add(nn.Linear(3, 2)):add(nn.Linear(2, 1))
    assert.equal(4, #net:parameters())
    assert.equal(11, net:getParameters():nElement())
    assert.error_matches(function() net:forward(torch.ones(2, 3)) end, 'nn.Parallel: inputDimension: nil')
  end)
end)

describe('nn.ClassNLLCriterion', function()
  local logs = torch.Tensor { { -1, -2, -3 }, { -4, -5, -6 } }

  it('compares ignoreIndex with the target as the program numbers it', function()
    local criterion = nn.ClassNLLCriterion(nil, nil, -1)
    local loss, total = criterion:forward(logs, torch.Tensor { -1, 2 })
    assert.same({ 5, 1 }, { loss, total })
    assertClose({ { 0, 0, 0 }, { 0, -1, 0 } }, criterion:backward(logs, torch.Tensor { -1, 2 }))
    local weighted = nn.ClassNLLCriterion(torch.Tensor { 1, 2, 4 }, nil, 3)
    loss, total = weighted:forward(logs, torch.Tensor { 3, 2 })
    assert.same({ 5, 2 }, { loss, total })
  end)

  it('gives 0 for a single sample that is ignored', function()
    for _, target in ipairs { -1, torch.Tensor { -1 }, torch.LongTensor { -1 } } do
      local criterion = nn.ClassNLLCriterion(nil, nil, -1)
      assert.equal(0, (criterion:forward(logs[1], target)))
      assertClose({ 0, 0, 0 }, criterion:backward(logs[1], target))
    end
  end)

  it('takes the first of more targets than a vector of classes has', function()
    local criterion, target = nn.ClassNLLCriterion(), torch.Tensor { 2, 1 }
    assert.equal(2, (criterion:forward(logs[1], target)))
    assertClose({ 0, -1, 0 }, criterion:backward(logs[1], target))
    local scores = torch.log(torch.Tensor { 0.25, 0.25, 0.5 })
    assertClose({ 0.25, -0.75, 0.5 }, nn.CrossEntropyCriterion():backward(scores, target), 1e-12)
  end)
end)

describe('nn.CrossEntropyCriterion', function()
  it('hands sizeAverage to its nll only where it was changed', function()
    local criterion, x, y = nn.CrossEntropyCriterion(), torch.zeros(2, 4), torch.Tensor { 1, 2 }
    local single = math.log(4)
    criterion.nll.sizeAverage = false
    assertClose({ 2 * single }, torch.Tensor { criterion:forward(x, y) }, 1e-12)
    assertClose({ -0.75, 0.25, 0.25, 0.25 }, criterion:backward(x, y)[1], 1e-12)
    assert.is_false(criterion.nll.sizeAverage)
    criterion.nll.sizeAverage = true
    assertClose({ single }, torch.Tensor { criterion:forward(x, y) }, 1e-12)
    criterion.sizeAverage = false
    assertClose({ 2 * single }, torch.Tensor { criterion:forward(x, y) }, 1e-12)
    assert.is_false(criterion.nll.sizeAverage)
  end)
end)

describe('nn.FlattenTable', function()
  it('hands out the very tensors, in tables that stay while the input is the same', function()
    local m, a, b, c = nn.FlattenTable(), torch.ones(2), torch.ones(3), torch.ones(4)
    local input = { a, { b, { c } } }
    local output, map = m:forward(input), m.input_map
    assert.is_true(rawequal(output[1], a) and rawequal(output[2], b) and rawequal(output[3], c))
    assert.same({ 1, { 2, { 3 } } }, map)
    assert.is_true(rawequal(output, m:forward { a, { b, { c } } }) and rawequal(map, m.input_map))
    local gradOutput = { a:clone(), b:clone(), c:clone() }
    local gradInput = m:backward(input, gradOutput)
    assert.is_true(rawequal(gradInput[1], gradOutput[1]) and rawequal(gradInput[2][2][1], gradOutput[3]))
    assert.is_true(rawequal(gradInput, m:backward(input, gradOutput)))
    for _, other in ipairs { { a, { b } }, { a, { b, { c } }, a }, { a, { b, { a } } }, { { a }, { b, { c } } } } do
      m:forward(input)
      local before, itsMap = m.output, m.input_map
      assert.is_false(rawequal(before, m:forward(other)))
      assert.is_false(rawequal(itsMap, m.input_map))
    end
  end)

  it('gives each place of one tensor its own gradient', function()
    local m, a = nn.FlattenTable(), torch.ones(2)
    m:forward { a, { a } }
    local gradOutput = { a:clone(), a:clone() }
    local gradInput = m:backward({ a, { a } }, gradOutput)
    assert.is_true(rawequal(gradInput[1], gradOutput[1]) and rawequal(gradInput[2][1], gradOutput[2]))
  end)
end)

describe('The gradient by', function()
  it("nn.OneHot's input is zeros of the module's type, or the number 0", function()
    local m, x = nn.OneHot(3), torch.LongTensor { 1, 3 }
    local gradInput = m:backward(x, m:forward(x))
    assert.equal('torch.DoubleTensor', gradInput:type())
    assertClose({ 0, 0 }, gradInput)
    assert.equal('torch.FloatTensor', nn.OneHot(3):float():updateGradInput(x, torch.FloatTensor(2, 3)):type())
    assert.equal(0, m:backward(2, m:forward(2)))
  end)

  for text, sizes in pairs {
    ['SpatialFullConvolution(2, 3, 3, 3, 2, 2)'] = { { 2, 4, 4 }, { 3, 9, 10 } },
    ['VolumetricFullConvolution(2, 1, 3, 3, 3, 2, 2, 2)'] = { { 2, 2, 2, 3 }, { 1, 5, 6, 7 } },
  } do
    it('what nn.' .. text .. ' only takes sizes of is one zero, expanded', function()
      local m = loadstring('return (...).' .. text)(nn)
      local x = { torch.ones(torch.LongStorage(sizes[1])), torch.ones(torch.LongStorage(sizes[2])) }
      local g = m:backward(x, m:forward(x))[2]
      assert.same(sizes[2], g:size():totable())
      assert.equal(1, g:storage():size())
      assert.equal(0, g:storage()[1])
    end)
  end
end)

describe('The old name', function()
  for _, name in ipairs {
    'SpatialAdaptiveAveragePooling(2, 2)', 'SpatialAdaptiveMaxPooling(2, 2)', 'SpatialFractionalMaxPooling(2, 2, 3, 3)',
    'SpatialMaxUnpooling(nn.SpatialMaxPooling(2, 2))', 'TemporalMaxPooling(2)', 'VolumetricAveragePooling(2, 2, 2)',
    'VolumetricFractionalMaxPooling(2, 2, 2, 2, 2, 2)', 'VolumetricMaxPooling(2, 2, 2)', 'SpatialMaxPooling(2, 2)',
    'VolumetricMaxUnpooling(nn.VolumetricMaxPooling(2, 2, 2))',
  } do
    it('empty of nn.' .. name .. ' drops the output', function()
      local m = loadstring('local nn = ... return nn.' .. name)(nn)
      m.output = torch.ones(3)
      m:empty()
      assert.equal(0, m.output:nElement())
    end)
  end

  it("of ways to a GPU are criteria's and modules'", function()
    for _, owner in ipairs { nn.MSECriterion(), nn.Linear(1, 1) } do
      for _, name in ipairs { 'cuda', 'cudaDouble', 'cudaHalf' } do
        assert.error_matches(function() owner[name](owner) end, 'torch.Cuda%w*Tensor is no type of tensor here')
      end
    end
  end)
end)

describe("Torch7's words are in the message", function()
  local x = torch.ones(3)
  for text, words in pairs {
    ['MSECriterion()'] = 'input and target have different number of elements', ['AbsCriterion()'] = 'have different number of elements',
    ['SoftMarginCriterion()'] = 'have different number of elements',
    ['DistKLDivCriterion()'] = 'input and target should have the same size',
  } do
    it('of nn.' .. text .. ' for a target that does not fit', function()
      local criterion = loadstring('return (...).' .. text)(nn)
      for _, method in ipairs { 'forward', 'backward' } do
        assert.error_matches(function() criterion[method](criterion, x, torch.ones(4)) end, words)
      end
    end)
  end

  it('of fractional pooling for windows that do not fit', function()
    for _, case in ipairs { { 2, 9, 'width %(2%)' }, { 9, 2, 'height %(2%)' } } do
      local pooling, picture = nn.SpatialFractionalMaxPooling(2, 2, 2, 2), torch.ones(1, case[2], case[1])
      assert.error_matches(function() pooling:forward(picture) end, 'too large relative to input ' .. case[3])
    end
  end)
end)

describe('nn.Jacobian', function()
  it('has the default type, whatever the input', function()
    local m, x = nn.LookupTable(3, 2), torch.IntTensor { 1, 3 }
    local identity = torch.zeros(6, 4)
    for i, k in ipairs { 1, 2, 5, 6 } do identity[k][i] = 1 end
    assertClose(identity, nn.Jacobian.backward(m, x, m.weight, m.gradWeight), 0)
    assertClose(identity, nn.Jacobian.forward(m, x, m.weight), 1e-8)
    assert.equal('torch.DoubleTensor', nn.Jacobian.forward(nn.Tanh():float(), torch.FloatTensor { 1 }):type())
  end)
end)

describe('nn.tables.random', function()
  it('gives each plane distinct inputs, and goes through all before it begins again', function()
    for _ = 1, 30 do
      local rows, met = nn.tables.random(5, 7, 2), {}
      for k = 1, 14 do
        assert.equal(math.ceil(k / 2), rows[k][2])
        local inputs = met[math.ceil(k / 4)] or {}
        assert.is_nil(inputs[rows[k][1]])                          -- two outputs, four planes, of one order of the five
        inputs[rows[k][1]], met[math.ceil(k / 4)] = true, inputs
      end
    end
  end)
end)
