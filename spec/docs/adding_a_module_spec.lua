-- docs/adding-a-module.md: declares and uses its classes unchanged, and runs the sweep for them.
local torch, nn = require 'torch', require 'nn'
local blocks = require 'spec.support.blocks'
local samples, sweep = require 'spec.support.nn_samples', require 'spec.support.nn_sweep'
local assertClose = require('spec.support.close').assertClose

local path = 'docs/adding-a-module.md'

local function run(mark, environment) return blocks.run(path, mark, environment) end

describe('the page on adding a module', function()
  for _, mark in ipairs { 'module', 'several', 'criterion' } do run(mark) end

  it('prints what it says', function()
    local shown = {}
    run('use', { nn = nn, torch = torch, print = function(...) shown[#shown + 1] = { ... } end })
    assert.equal('nn.SoftClip(2, 10)', tostring(shown[1][1]))
    assertClose({ 0, 0 }, shown[2][1], 1e-12)      -- the module's own output, after the last forward
    assertClose({ 10, 0 }, shown[3][1], 1e-12)
    assertClose({ 0, 0 }, shown[4][1], 1e-12)
    assert.matches('nn%.SoftClip: size: 0, expected a whole number, 1 or more$', shown[5][2])
  end)

  for _, name in ipairs { 'SoftClip', 'Polynomial', 'LogCoshCriterion' } do
    it('declares nn.' .. name .. ', which passes the sweep', function() sweep.class(nn[name]) end)
  end

  it('declares classes with the values of their formulas', function()
    local x = torch.DoubleTensor { { 0.3, -2 } }
    local clip = nn.SoftClip(2, 3):double()
    clip.gain:copy(torch.Tensor { 0.5, 2 })
    clip.centre:copy(torch.Tensor { 1, 0 })
    assertClose({ { 3 * math.tanh(0.5 * -0.7), 3 * math.tanh(-4) } }, clip:forward(x), 1e-15)
    local polynomial = nn.Polynomial(2):double()
    assertClose(x, polynomial:forward(x))
    polynomial.coefficients:copy(torch.Tensor { 1, 2, 3 })
    assertClose({ { 1 + 0.6 + 0.27, 1 - 4 + 12 } }, polynomial:forward(x), 1e-14)
    local loss = nn.LogCoshCriterion(2):double():forward(x, torch.DoubleTensor { { 0.3, 0 } })
    assert.is_true(math.abs(loss - math.log(math.cosh(2))) < 1e-14)
  end)

  it('refuses what nn.SoftClip does not take', function()
    assert.error_matches(function() nn.SoftClip(2):forward(torch.ones(3)) end, 'nn.SoftClip: input: the last of 1 or 2 .* size 2')
  end)

  it('declares classes whose faults the sweep finds', function()
    nn.declare { name = 'nn.SpecFaultyGradient', formula = 'tanh(input)', gradient = 'mul(g, 2)', samples = { { 'X()', { 4, 3 } } } }
    nn.declare {
      name = 'nn.SpecForgetful', samples = { { 'X(3)', { 4, 3 } } },
      options = { { 'size', 'int' } }, parameters = { { 'weight', function(options) return options.size end } },
      compute = function(self, input) return torch.cmul(input, self.weight:detach()) end,
    }
    nn.declare { name = 'nn.SpecRowless', formula = 'softmax(input, 1)', samples = { { 'X()', { 4, 3 }, rows = true } } }
    for name, fault in pairs {
      SpecFaultyGradient = 'gradInput by differences', SpecForgetful = 'gradient of parameter 1', SpecRowless = 'row 1',
    } do
      assert.error_matches(function() sweep.class(nn[name]) end, fault)
    end
  end)

  it('names files that exist', function()
    for name in blocks.text(path):gmatch '`([%w_]+/[%w_/-]+%.%a+)`' do
      local file = io.open(name)
      assert.truthy(file, name)
      file:close()
    end
  end)

  it('has samples that are run by the specs of nn, too', function()
    assert.equal(2, #samples.of(nn.SoftClip))
    assert.is_true(samples.isCriterion(nn.LogCoshCriterion))
  end)
end)
