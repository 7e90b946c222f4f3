-- nn.init by PyTorch's names. Truth: moments in closed form, and PyTorch's documentation.
local torch, nn = require 'torch', require 'nn'

local function near(expected, actual, tolerance) assert.near(expected, actual, tolerance) end

describe('nn.init', function()
  it("accepts Kaiming's options by PyTorch's names, and in its order", function()
    local w = torch.DoubleTensor(200, 50, 2)
    local function std(...) return nn.init.kaimingNormal(w, ...):std() end
    local fanIn, fanOut = 100, 400
    near(math.sqrt(2 / fanIn), std(), 0.005)
    near(math.sqrt(2 / fanIn), std { mode = 'fan_in', nonlinearity = 'relu' }, 0.005)
    near(math.sqrt(2 / fanOut), std { mode = 'fan_out' }, 0.003)
    near(math.sqrt(2 / fanOut), std { mode = 'out' }, 0.003)
    near(math.sqrt(2 / (1 + 9) / fanIn), std { a = 3 }, 0.003)
    near(math.sqrt(2 / (1 + 9) / fanOut), std(3, 'fan_out', 'leaky_relu'), 0.0015)
    near(5 / 3 / math.sqrt(fanIn), std(0, 'fan_in', 'tanh'), 0.005)
    near(math.sqrt(2 / fanIn), std(0), 0.005)
    local bound = math.sqrt(3) * math.sqrt(2 / (1 + 4) / fanOut)
    nn.init.kaimingUniform_(w, 2, 'fan_out')
    assert.is_true(w:max() <= bound and w:max() > 0.98 * bound and w:min() >= -bound)
    assert.error_matches(function() nn.init.kaimingNormal(w, { mode = 'fan' }) end,
      "nn.init.kaimingNormal: mode: 'fan', expected fan_in or fan_out")
  end)

  it('has gains by their names in PyTorch', function()
    for name, gain in pairs {
      linear = 1, conv1d = 1, conv3d = 1, conv_transpose2d = 1, sigmoid = 1, tanh = 5 / 3, relu = math.sqrt(2), selu = 0.75,
      leaky_relu = math.sqrt(2 / (1 + 0.0001)),
    } do
      near(gain, nn.init.calculateGain(name), 1e-12)
    end
    near(math.sqrt(2 / 1.25), nn.init.calculateGain('leaky_relu', 0.5), 1e-12)
    assert.error_matches(function() nn.init.calculateGain 'swish' end, "name: 'swish', expected linear")
  end)

  it('truncates a normal distribution at any bounds', function()
    local w = nn.init.truncNormal(torch.DoubleTensor(100000), 1, 2, 0, 2)
    assert.is_true(w:min() >= 0 and w:max() <= 2)
    near(1, w:mean(), 0.01)
    -- The variance of a standard normal between -c and c is 1 - 2 c phi(c) / (2 Phi(c) - 1).
    local c = 0.5
    local phi, mass = math.exp(-c * c / 2) / math.sqrt(2 * math.pi), torch.erf(c / math.sqrt(2))
    near(2 * math.sqrt(1 - 2 * c * phi / mass), w:std(), 0.005)
    local float = nn.init.truncNormal_(torch.FloatTensor(10000), 0, 1, -0.1, 0.3)
    assert.is_true(float:min() >= torch.FloatTensor { -0.1 }[1] and float:max() <= torch.FloatTensor { 0.3 }[1])
    assert.is_true(nn.init.truncNormal(torch.DoubleTensor(1000)):max() <= 2)
    assert.error_matches(function() nn.init.truncNormal(w, 0, 1, 2, 1) end, 'nn.init.truncNormal: b: 1, expected a number, 2 or more')
    assert.error_matches(function() nn.init.truncNormal(w, 0, 0) end, 'nn.init.truncNormal: std: 0, expected a positive number')
  end)

  it('makes convolutions that preserve their channels', function()
    local conv, x = nn.SpatialConvolution(2, 3, 3, 5, 1, 1, 1, 2):double(), torch.DoubleTensor(1, 2, 6, 7):normal()
    nn.init.dirac(conv.weight)
    conv.bias:zero()
    local y = conv:forward(x)
    assert.is_true(torch.equal(x, y:narrow(2, 1, 2):contiguous()))
    assert.equal(0, torch.abs(y:select(2, 3)):max())
    local w = nn.init.dirac_(torch.DoubleTensor(4, 2, 3), 2)
    assert.same({ 1, 1, 1, 1 }, { w[1][1][2], w[2][2][2], w[3][1][2], w[4][2][2] })
    assert.equal(4, w:sum())
    assert.equal(1, nn.init.dirac(torch.DoubleTensor(1, 1, 3, 5, 3))[1][1][2][3][2])
    assert.error_matches(function() nn.init.dirac(torch.ones(4, 2)) end, 'nn.init.dirac: tensor: %[4, 2%], expected 3 to 5 dimensions')
    assert.error_matches(function() nn.init.dirac(torch.ones(4, 2, 3), 3) end, 'of which 3 divides the first')
  end)

  it('has all names with an underscore at the end', function()
    for _, name in ipairs { 'uniform', 'normal', 'constant', 'zeros', 'ones', 'eye', 'dirac', 'xavierUniform', 'xavierNormal',
      'kaimingUniform', 'kaimingNormal', 'orthogonal', 'sparse', 'truncNormal' } do
      assert.equal(nn.init[name], nn.init[name .. '_'])
      assert.is_function(nn.init[name])
    end
    assert.is_nil(nn.init.kaiming)
    assert.is_nil(nn.init[3])
  end)
end)
