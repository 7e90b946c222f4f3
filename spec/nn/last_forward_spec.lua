-- Gradients that Torch7's modules compute from fields of their last forward, which programs read, change and overwrite.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

local function make(text) return assert(loadstring('local nn, torch = ...; return nn.' .. text))(nn, torch):double() end

local function sharesStorage(a, b) return torch.pointer(a:storage()) == torch.pointer(b:storage()) end

describe('The last forward', function()
  local x, other, g = layers.input(4, 3), layers.input(4, 3):mul(0.5), layers.input(4, 3):add(0.3)

  -- text, gradient from the output y
  for _, case in ipairs {
    { 'Sigmoid()', function(y) return torch.cmul(g, torch.cmul(y, 1 - y)) end },
    { 'Tanh()', function(y) return torch.cmul(g, 1 - torch.cmul(y, y)) end }, { 'Exp()', function(y) return torch.cmul(g, y) end },
    { 'Sqrt()', function(y) return torch.cdiv(g, y) / 2 end },
    { 'ELU(0.7)', function(y) return torch.cmul(g, torch.cmin(y, 0):add(torch.le(y, 0):double() * 0.7):add(torch.gt(y, 0):double())) end },
    { 'SoftMax()', function(y) return torch.cmul(y, g - torch.cmul(g, y):sum(2):expand(4, 3)) end },
    { 'SoftMin()', function(y) return torch.cmul(y, torch.cmul(g, y):sum(2):expand(4, 3) - g) end },
    { 'LogSoftMax()', function(y) return g - torch.cmul(torch.exp(y), g:sum(2):expand(4, 3)) end },
  } do
    it('of ' .. case[1] .. ' leaves the output, by which the gradient goes', function()
      local net = make(case[1])
      local y = net:forward(torch.abs(x)):clone()
      assertClose(case[2](y), net:updateGradInput(other, g), 1e-14)
      net.output = torch.abs(y):mul(0.9)
      assertClose(case[2](net.output), net:updateGradInput(torch.abs(x), g), 1e-14)
      assertClose(case[2](net.output), net:updateGradInput(x, g:view(2, 6)), 1e-14)
    end)
  end

  for _, text in ipairs { 'Dropout(0.5)', 'SpatialDropout(0.5)', 'VolumetricDropout(0.5)', 'RReLU()' } do
    it('of ' .. text .. ' leaves the noise, by which the gradient goes', function()
      local net, planes = make(text), torch.ones(2, 3, 2, 2):double()
      net:forward(planes)
      net.noise:fill(3)
      assertClose(planes * 3, net:backward(planes, planes))
    end)
  end

  for _, text in ipairs { 'Dropout(0.5)', 'SpatialDropout(0.5)', 'RReLU()', 'SpatialMaxPooling(2, 2)', 'TemporalMaxPooling(2)' } do
    it('of ' .. text .. ' is what its backward goes by, with calls on the tape between', function()
      local net, tracked = make(text), torch.randn(2, 8, 4, 4):double():requiresGrad(true)
      local input = torch.randn(2, 8, 4, 4):double()
      if text:find 'Temporal' then input, tracked = input[1][1], tracked:detach()[1][1]:clone():requiresGrad(true) end
      local gradOutput = torch.randn(net:forward(input):size()):double()
      local expected = net:backward(input, gradOutput):clone()
      local first = net(tracked)
      net(tracked)
      assert.same(expected:totable(), net:backward(input, gradOutput):totable())
      assert.same(expected:totable(), net:backward(input, gradOutput):totable())
      first:sum():backward()
      assert.same(expected:totable(), net:backward(input, gradOutput):totable())
    end)
  end

  it('may be a call without gradients', function()
    local net, planes = make 'Dropout(0.5)', torch.ones(4, 5):double()
    local y = torch.noGrad(function() return net(planes) and net(planes) end)
    assert.same(y:totable(), net:backward(planes, planes):totable())
  end)

  it('may be that of a subclass', function()
    local Fixed = torch.class('nn.SpecFixedDropout', 'nn.Dropout')
    function Fixed:updateOutput(input)
      self.noise:resizeAs(input):fill(2)
      self.output:resizeAs(input):copy(input):cmul(self.noise)
      return self.output
    end
    local net = nn.SpecFixedDropout(0.5):double()
    net:forward(x)
    assertClose(g * 2, net:backward(x, g))
  end)

  for _, text in ipairs { 'ReLU()', 'SoftSign()', 'CReLU(1)', 'LeakyReLU()', 'HardTanh()', 'Square()', 'Abs()', 'CDivTable()' } do
    it('of ' .. text .. ' may have its output written over', function()
      local net, input = make(text), text:find 'Table' and { x, torch.add(other, 3) } or x
      local gradOutput = net:forward(input):clone()
      local expected = net:backward(input, gradOutput)
      expected = torch.type(expected) == 'table' and torch.cat(expected, 1) or expected:clone()
      net:forward(input):fill(77)
      local found = net:backward(input, gradOutput)
      assertClose(expected, torch.type(found) == 'table' and torch.cat(found, 1) or found, 1e-14)
    end)
  end

  it('of a branch may be written over by a sum in place', function()
    local branch = nn.Sequential():add(nn.Linear(3, 3)):add(nn.ReLU())
    local function net(inplace)
      return nn.Sequential():add(nn.ConcatTable():add(branch):add(nn.Identity())):add(nn.CAddTable(inplace)):double()
    end
    local plain, inplace = net(false), net(true)
    plain:forward(x)
    local expected = plain:backward(x, g):clone()
    inplace:forward(x)
    assertClose(expected, inplace:backward(x, g:clone()), 1e-14)
  end)
end)

describe('A module in place', function()
  for _, text in ipairs { 'ReLU(true)', 'ReLU6(true)', 'Threshold(0.5, 0.1, true)', 'HardTanh(-1, 1, true)', 'LeakyReLU(0.1, true)',
    'ELU(1, true)', 'RReLU(0.1, 0.2, true)', 'Dropout(0.5, false, true)', 'MulConstant(3, true)', 'AddConstant(3, true)' } do
    it('writes its gradient over gradOutput: ' .. text, function()
      local net, plain = make(text), make((text:gsub(',? ?true%)', ')')))
      local x, g = layers.input(4, 3), layers.input(4, 3):add(0.3)
      torch.manualSeed(2)
      plain:forward(x)
      local expected = plain:backward(x, g)
      torch.manualSeed(2)
      local given, gradOutput = x:clone(), g:clone()
      assert.is_true(sharesStorage(given, net:forward(given)))
      local gradInput = net:backward(given, gradOutput)
      assert.is_true(sharesStorage(gradOutput, gradInput))
      assertClose(expected, gradInput, 1e-14)
    end)
  end

  it('gives gradOutput for each gradient: CAddTable(true)', function()
    local net, a, b, g = make 'CAddTable(true)', layers.input(3), layers.input(3), layers.input(3)
    net:forward { a, b }
    local gradInput = net:backward({ a, b }, g)
    assert.equal(2, #gradInput)
    for i = 1, 2 do assert.is_true(sharesStorage(g, gradInput[i])) end
  end)
end)

describe('Fields that subclasses and programs use', function()
  it('are there after a forward', function()
    local linear, x = nn.Linear(3, 2):double(), layers.input(5, 3)
    linear:forward(x)
    assertClose({ 1, 1, 1, 1, 1 }, linear.addBuffer)
    assert.is_nil(linear:clone().addBuffer)                       -- scratch memory is not written
    assert.equal(0, linear:clearState().addBuffer:nElement())
    local criterion, target = nn.CrossEntropyCriterion():double(), torch.LongTensor { 1, 3, 2, 1, 1 }
    local loss = criterion:forward(x, target)
    assertClose(nn.LogSoftMax():forward(x), criterion.lsm.output)
    local likelihood = nn.ClassNLLCriterion():double()
    assert.equal(loss, (likelihood:forward(criterion.lsm.output, target)))
    assert.equal(loss, likelihood.output_tensor[1])
  end)
end)

describe('Positions of the largest', function()
  it('are those of the last draw, of whatever tensor and in a copy', function()
    for _, case in ipairs { { 'SpatialFractionalMaxPooling(2, 2, 3, 3)', { 2, 3, 8, 8 } },
      { 'VolumetricFractionalMaxPooling(2, 2, 2, 2, 2, 2)', { 2, 2, 5, 5, 5 } } } do
      local net, x = make(case[1]), layers.input(unpack(case[2]))
      local g = net:forward(x):clone()
      local expected = net:backward(x, g):clone()
      assertClose(expected, net:backward(x:clone(), g))
      assertClose(expected, net:clone():backward(x, g))
    end
  end)

  it('say where gradients go', function()
    for _, case in ipairs {
      { 'SpatialMaxPooling(2, 2)', { 2, 4, 6 } }, { 'SpatialMaxPooling(3, 3, 1, 1)', { 2, 2, 5, 5 } },
      { 'SpatialDilatedMaxPooling(2, 2, 1, 1, 0, 0, 2, 2)', { 2, 5, 6 } }, { 'TemporalMaxPooling(2, 1)', { 6, 3 } },
      { 'TemporalMaxPooling(3, 2)', { 2, 7, 3 } }, { 'Max(1)', { 4, 3 } },
    } do
      local net, x = make(case[1]), layers.input(unpack(case[2]))
      local g = net:forward(x):clone()
      local expected = net:backward(x, g):clone()
      assertClose(expected, net:backward(x, g:view(g:nElement())), 1e-14, case[1])
      local field = net.keeps and net.keeps[1]
      if field then
        assertClose(expected, net:updateGradInput(x * 0, g), 1e-14, case[1])           -- of the last forward, for any argument
        net[field]:fill(1)
        assert.is_true(math.abs(net:updateGradInput(x, g):sum() - expected:sum()) < 1e-12)
        assert.is_false(net.gradInput:equal(expected))
      end
    end
  end)
end)

describe('A gradient in another shape', function()
  it('shows gradOutput itself', function()
    for _, case in ipairs {
      { 'View(6)', { 2, 3 } }, { 'Reshape(3, 2)', { 4, 6 } }, { 'Squeeze()', { 2, 1, 3 } }, { 'Unsqueeze(1)', { 2, 3 } },
      { 'Collapse(2)', { 2, 3, 2 } }, { 'Contiguous()', { 2, 3 } },
    } do
      local net, x = make(case[1]), layers.input(unpack(case[2]))
      local g = net:forward(x):clone()
      assert.is_true(sharesStorage(g, net:backward(x, g)), case[1])
      assertClose(x, net.gradInput)
    end
  end)
end)

describe('nn.L1Penalty', function()
  it('gives its input itself, and needs no gradOutput where it passes none on', function()
    local net, x = nn.L1Penalty(0.5, false, false):double(), torch.DoubleTensor { -1, 2 }
    assert.is_true(rawequal(x, net:forward(x)))
    assert.near(1.5, net.loss, 1e-15)
    assertClose({ -0.5, 0.5 }, net:backward(x))
    assert.is_true(rawequal(net, net:clearState()))
    assertClose({ -1, 2 }, x)
    assertClose({ 0.5, 1.5 }, nn.L1Penalty(0.5):double():backward(x, torch.ones(2):double()))
  end)
end)

describe("A criterion's parts", function()
  it('have their losses', function()
    local x, y, classes = layers.input(3, 4), layers.input(3, 4):mul(2), torch.LongTensor { 1, 4, 2 }
    local cross = nn.CrossEntropyCriterion():double()
    assert.equal((cross:forward(x, classes)), cross.nll.output)
    local first, second = nn.MSECriterion():double(), nn.AbsCriterion():double()
    local loss = nn.MultiCriterion():add(first):add(second, 0.5):double():forward(x, y)
    assert.near(loss, first.output + 0.5 * second.output, 1e-14)
  end)
end)

describe('A tensor that serves again', function()
  local x, other, target, g = layers.input(4, 2), layers.input(4, 2):mul(0.3):add(1), layers.input(4, 3):mul(2), layers.input(4, 3)

  it('is a new input to a criterion: the output of another forward', function()
    local net, criterion = nn.Linear(2, 3):double(), nn.MSECriterion():double()
    criterion:forward(net:forward(x), target)
    local output = net:forward(other)                             -- the same object, other elements
    assertClose((output - target) * 2 / 12, criterion:backward(output, target), 1e-14)
    local cross, classes = nn.CrossEntropyCriterion():double(), torch.LongTensor { 1, 2, 3, 1 }
    local fresh = cross:clone():backward(output, classes):clone()
    cross:forward(net:forward(x), classes)
    assertClose(fresh, cross:backward(net:forward(other), classes), 1e-14)
    cross:forward(output, classes)
    cross(net:forward(x):clone():requiresGrad(), classes)         -- on the tape, between
    net:forward(other)
    assertClose(fresh, cross:backward(output, classes), 1e-14)
  end)

  it('is a new target', function()
    local criterion, input, classes = nn.CrossEntropyCriterion():double(), layers.input(3, 4), torch.LongTensor { 1, 2, 3 }
    criterion:forward(input, classes)
    classes:fill(4)
    assertClose(nn.CrossEntropyCriterion():double():backward(input:clone(), classes:clone()), criterion:backward(input, classes))
  end)

  it('is a new input to a module', function()
    local buffer, first, second = x:clone(), nn.Linear(2, 3):double(), nn.Linear(2, 3):double()
    for _, text in ipairs { 'HardTanh(-0.2, 0.2)', 'Normalize(2)', 'Euclidean(2, 3)', 'Linear(2, 3)' } do
      local net = make(text)
      local gradOutput = net:forward(buffer:copy(x)):clone()
      local fresh = net:clone()
      fresh:clearState():forward(other)
      fresh:zeroGradParameters()
      net:zeroGradParameters()
      assertClose(fresh:backward(other, gradOutput), net:backward(buffer:copy(other), gradOutput), 1e-14, text)
      if net.gradWeight then assertClose(fresh.gradWeight, net.gradWeight, 1e-14, text) end
    end
    local product = nn.CMulTable():double()
    product:forward { first:forward(x), second:forward(x) }
    local gradInput = product:backward({ first:forward(other), second:forward(other) }, g)
    assertClose(torch.cmul(g, second.output), gradInput[1])
  end)
end)
