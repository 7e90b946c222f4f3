-- Bad arguments of distributions: errors that name class, argument, actual and expected value.
local torch, D = require 'torch', require 'distributions'

local function raises(message, f, ...)
  local done, said = pcall(f, ...)
  assert.is_false(done)
  assert.is_truthy(said:find(message, 1, true), said)
end

describe('arguments', function()
  it('are parameters in their domain', function()
    raises('distributions.Normal: scale: -1, expected numbers above 0', D.Normal, 0, -1)
    raises('distributions.Normal: scale: -3, expected numbers above 0', D.Normal, 0, torch.Tensor { 1, -3 })
    raises('distributions.Normal: loc: nan, expected real numbers', D.Normal, 0 / 0, 1)
    raises('distributions.Gamma: rate: 0, expected numbers above 0', D.Gamma, 1, 0)
    raises('distributions.Uniform: high: 1, expected numbers above 1', D.Uniform, 1, 1)
    raises('distributions.Normal: loc: nil, expected a number or a tensor', D.Normal)
    raises("distributions.Normal: loc: a string, expected a number or a tensor", D.Normal, 'x', 1)
    raises('distributions.Normal: scale: a torch.LongTensor, expected a tensor of floats', D.Normal, 0, torch.LongTensor { 1 })
    raises('distributions.Normal: scale: size [3], expected one that broadcasts with [2]', D.Normal, torch.zeros(2), torch.ones(3))
    raises('distributions.Normal: options: check, expected one of validateArgs', D.Normal, 0, 1, { check = false })
    raises('distributions.Hypergeometric: drawCount: 6, expected whole numbers from 0 to 5', D.Hypergeometric, 5, 2, 6)
    raises('distributions.Hypergeometric: population: -1, expected whole numbers, 0 or more', D.Hypergeometric, -1, 2, 6)
    raises('distributions.StudentT: options: rate, expected one of', D.StudentT, 3, { rate = 1 })
    raises('distributions.StudentT: scale: -1, expected numbers above 0', D.StudentT, 3, { scale = -1 })
    raises('distributions.Multinomial: totalCount: -1, expected a whole number', D.Multinomial, -1, torch.ones(2))
    raises('distributions.Distribution: a base class', D.Distribution)
  end)

  it('are values of the support', function()
    raises('distributions.Exponential:logProb: value: -1, expected numbers, 0 or more', function() D.Exponential(1):logProb(-1) end)
    raises('distributions.Uniform:cdf: value: 3, expected numbers from the lower bound to the upper bound',
      function() D.Uniform(0, torch.Tensor { 1, 2 }):cdf(torch.Tensor { 0, 3 }) end)
    raises('distributions.Normal:logProb: value: size [3], expected one that broadcasts with [2]',
      function() D.Normal(torch.zeros(2), 1):logProb(torch.zeros(3)) end)
    raises('distributions.Normal:logProb: value: nil, expected a number or a tensor', function() D.Normal(0, 1):logProb() end)
    raises('distributions.Normal:icdf: value: 2, expected numbers from 0 to 1', function() D.Normal(0, 1):icdf(2) end)
    raises('distributions.VonMises:icdf: no formula is known', function() D.VonMises(1, 1):icdf(0.5) end)
  end)

  it('are sizes', function()
    raises('distributions.Normal:sample: sizes: -1, expected a whole number, 0 or more', function() D.Normal(0, 1):sample(-1) end)
    raises("distributions.Normal:sample: sizes: 'x', expected a whole number", function() D.Normal(0, 1):sample('x') end)
    raises('distributions.Normal:sample: sizes: 1.5, expected a whole number', function() D.Normal(0, 1):sample { 1.5 } end)
    raises('distributions.Normal:expand: sizes: [3], expected sizes to which [2] broadcasts',
      function() D.Normal(torch.zeros(2), 1):expand(3) end)
  end)

  it('are components with the batch of the mixture', function()
    raises('distributions.MixtureSameFamily: component: batchShape [2, 3], expected [3]',
      function() D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.zeros(2, 3), 1)) end)
    raises('distributions.MixtureSameFamily: component: batchShape [2], expected [3]',
      function() D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.zeros(2), 1)) end)
  end)

  it('are not checked if a program says so', function()
    local d = D.Exponential(1, { validateArgs = false })
    assert.equal(1, d:logProb(-1)[1])
    assert.is_true(torch.isnan(D.Normal(0, -1, { validateArgs = false }):entropy())[1] == 1)
  end)

  it('are distributions for kl, and classes for registerKl', function()
    raises('kl: q: a number, expected a distribution', D.kl, D.Normal(0, 1), 3)
    raises('kl: q: distributions.Cauchy, expected a class for which a divergence from distributions.Normal is registered', D.kl,
      D.Normal(0, 1), D.Cauchy(1, 1))
    raises('registerKl: p: a number, expected a class', D.registerKl, 1, 2, print)
    raises('registerKl: formula: nil, expected a function', D.registerKl, D.Normal, D.Normal)
  end)

  it('of registerKl serve subclasses', function()
    local Shifted = torch.class('specs.Shifted', 'distributions.Exponential', {})
    local calls = 0
    D.registerKl(Shifted, D.Gamma, function(p) calls = calls + 1; return p.rate end)
    D.kl(torch.factory 'specs.Shifted'(), D.Gamma(1, 1))
    assert.equal(1, calls)
    D.kl(D.Exponential(1), D.Gamma(1, 1))      -- the formula of the parent stays
    assert.equal(1, calls)
  end)
end)
