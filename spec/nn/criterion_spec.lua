-- Criteria: closed forms, weights and ignored classes, gradients, both worlds.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'spec.support.layers'
local assertClose = require('spec.support.close').assertClose

describe('nn.MSECriterion', function()
  it('averages squares, or sums them', function()
    local x, y = torch.DoubleTensor { 1, 2, 4 }, torch.DoubleTensor { 1, 0, 1 }
    assert.near(13 / 3, nn.MSECriterion():double():forward(x, y), 1e-15)
    assert.equal(13, nn.MSECriterion(false):double():forward(x, y))
    assertClose({ 0, 4 / 3, 2 }, nn.MSECriterion():double():backward(x, y), 1e-15)
  end)

  it('has the gradients that differences show, in both worlds', function()
    layers.checkCriterion(nn.MSECriterion():double(), layers.input(3, 4), layers.input(4, 3):mul(2):view(3, 4))
    layers.checkCriterion(nn.MSECriterion(false):double(), layers.input(3, 4), layers.input(12))
  end)
end)

describe('nn.ClassNLLCriterion', function()
  local x = torch.DoubleTensor { { -1, -2 }, { -3, -4 }, { -5, -6 } }

  it('takes the mean of the log probabilities of the classes', function()
    local criterion = nn.ClassNLLCriterion():double()
    local loss, total = criterion:forward(x, torch.LongTensor { 1, 2, 1 })
    assert.near((1 + 4 + 5) / 3, loss, 1e-15)
    assert.equal(3, total)
    assert.equal(loss, criterion.output)
    assertClose({ { -1 / 3, 0 }, { 0, -1 / 3 }, { -1 / 3, 0 } }, criterion:backward(x, torch.LongTensor { 1, 2, 1 }), 1e-15)
  end)

  it('takes one sample with a class number', function()
    assert.equal(2, (nn.ClassNLLCriterion():double():forward(torch.DoubleTensor { -1, -2 }, 2)))
    assert.equal(2, (nn.ClassNLLCriterion():double():forward(torch.DoubleTensor { -1, -2 }, torch.DoubleTensor { 2 })))
  end)

  it('weighs classes, and divides by the sum of the weights', function()
    local criterion = nn.ClassNLLCriterion(torch.Tensor { 1, 3 }):double()
    local loss, total = criterion:forward(x, torch.LongTensor { 1, 2, 1 })
    assert.near((1 + 3 * 4 + 5) / 5, loss, 1e-15)
    assert.equal(5, total)
    assert.near(18, (nn.ClassNLLCriterion(torch.Tensor { 1, 3 }, false):double():forward(x, torch.LongTensor { 1, 2, 1 })), 1e-14)
  end)

  it('leaves out the class to ignore', function()
    local criterion = nn.ClassNLLCriterion(nil, true, 2):double()
    assert.near((1 + 5) / 2, (criterion:forward(x, torch.LongTensor { 1, 2, 1 })), 1e-15)
    assertClose({ { -0.5, 0 }, { 0, 0 }, { -0.5, 0 } }, criterion:backward(x, torch.LongTensor { 1, 2, 1 }))
    assert.near((1 + 5) / 2, (nn.ClassNLLCriterion():double():forward(x, torch.LongTensor { 1, -100, 1 })), 1e-15)
  end)

  it('has the gradients that differences show, in both worlds', function()
    local target = torch.LongTensor { 3, 1, 2, 3 }
    layers.checkCriterion(nn.ClassNLLCriterion():double(), layers.input(4, 3), target)
    layers.checkCriterion(nn.ClassNLLCriterion(torch.Tensor { 1, 2, 3 }):double(), layers.input(4, 3), target)
    layers.checkCriterion(nn.ClassNLLCriterion(nil, false):double(), layers.input(3), 2)
  end)

  it('says which class there is not', function()
    local function forward(...) return nn.ClassNLLCriterion():double():forward(x, torch.LongTensor { ... }) end
    assert.error_matches(function() forward(1, 3, 1) end, 'target: 3 at place 2')
    assert.error_matches(function() forward(0, 1, 1) end, 'target: 0 at place 1')
    assert.error_matches(function() forward(1, 1) end, 'target: ')
  end)
end)

describe('nn.CrossEntropyCriterion', function()
  it('is the negative log of the softmax', function()
    local x = torch.DoubleTensor { { 0, 0 }, { 1000, 1001 } }
    local e = math.exp(1)
    assert.near((math.log(2) + math.log(1 + e) - 1) / 2, nn.CrossEntropyCriterion():double():forward(x, torch.LongTensor { 1, 2 }), 1e-14)
  end)

  it('does not mind dimensions of size 1', function()
    local criterion = nn.CrossEntropyCriterion():double()
    local x = layers.input(1, 3)
    assert.near(criterion:forward(layers.input(3), 2), criterion:forward(x, torch.LongTensor { 2 }), 1e-15)
    assert.same({ 1, 3 }, criterion:backward(x, torch.LongTensor { 2 }):size():totable())
  end)

  it('has the gradients that differences show, in both worlds', function()
    layers.checkCriterion(nn.CrossEntropyCriterion():double(), layers.input(4, 3), torch.LongTensor { 3, 1, 2, 3 })
    layers.checkCriterion(nn.CrossEntropyCriterion(torch.Tensor { 1, 2, 3 }):double(), layers.input(4, 3), torch.LongTensor { 3, 1, 2, 3 })
  end)
end)

describe('nn.Criterion', function()
  it('gives loss and gradient when called without a tape, and the bare loss under noGrad', function()
    local criterion, x, y = nn.MSECriterion():double(), torch.DoubleTensor { 3 }, torch.DoubleTensor { 1 }
    local loss, gradInput = criterion(x, y)
    assert.equal(4, loss)
    assertClose({ 4 }, gradInput)
    assert.equal(4, torch.noGrad(function() return criterion(x, y) end))
  end)

  it('converts and clones', function()
    local criterion = nn.ClassNLLCriterion(torch.Tensor { 1, 2 })
    assert.equal('torch.FloatTensor', criterion:float().weights:type())
    local copy = criterion:clone()
    copy.weights:fill(9)
    assert.equal(1, criterion.weights[1])
    assert.error_matches(function() criterion:type() end, 'must provide a type')
  end)
end)

describe('a criterion', function()
  for _, name in ipairs { 'CrossEntropyCriterion', 'MSECriterion', 'AbsCriterion', 'BCECriterion', 'SmoothL1Criterion' } do
    it('names a target that is no tensor: nn.' .. name, function()
      assert.error_matches(function() nn[name]():forward(torch.ones(2), { 1, 2 }) end,
        'nn.' .. name .. ': target: table, expected a tensor')
    end)
  end

  it('of classes says nothing of weights where the target is wrong', function()
    local function message(weights, target)
      return select(2, pcall(function() nn.ClassNLLCriterion(weights):forward(torch.ones(2, 2), target) end))
    end
    assert.is_nil(message(nil, { 1, 2 }):find('weight tensor', 1, true))
    assert.matches('weight tensor should be defined either for all 2 classes', message(torch.ones(3), torch.LongTensor { 1, 2 }))
  end)

  it('says nothing of the formula that another one took last', function()
    local weighted = nn.BCECriterion(torch.ones(2))
    weighted.updateOutput = nn.Criterion.updateOutput                -- the general way, which knows the formula
    weighted:forward(torch.zeros(2), torch.zeros(2))
    local done, message = pcall(function() nn.BCECriterion():forward(torch.zeros(2)) end)
    assert.is_false(done)
    assert.matches('target: nil, expected a tensor', message)
    assert.is_nil(message:find('formula', 1, true))
  end)
end)

describe('weights of classes that are all 0', function()
  it('are an error, as the loss would be 0 whatever the net does', function()
    local x, target = torch.randn(4, 3), torch.LongTensor { 1, 2, 3, 1 }
    local weights = torch.zeros(3)
    for _, criterion in ipairs { nn.ClassNLLCriterion(weights), nn.CrossEntropyCriterion(weights) } do
      assert.error_matches(function() criterion:forward(x, target) end, 'nn.ClassNLLCriterion: weights: all are 0, expected one')
      assert.error_matches(function() criterion(x:clone():requiresGrad(), target) end, 'weights: all are 0, expected one at least')
    end
    assert.error_matches(function()
      nn.SpatialClassNLLCriterion(weights):forward(torch.randn(1, 3, 2, 2), torch.LongTensor(1, 2, 2):fill(1))
    end, 'weights: all are 0')
    local criterion = nn.CrossEntropyCriterion(weights)
    weights[2] = 1                                                  -- they may be filled in later
    assert.is_true(criterion:forward(x, target) > 0)
    assert.equal(0, criterion:forward(x, torch.LongTensor { 1, 3, 3, 1 }))
    weights:zero()
    assert.is_false((pcall(criterion.forward, criterion, x, target)))
  end)
end)
