-- Log-probabilities, distribution functions, entropies, moments, gradients and divergences against PyTorch's and SciPy's figures.
local torch, D = require 'torch', require 'distributions'
local agree, figures = require 'spec.distributions.agree', require 'spec.distributions.figures'
local near = agree.near
local probabilities = torch.DoubleTensor { 1e-6, 0.1, 0.5, 0.77, 0.999 }

local function valueOf(one) return torch.DoubleTensor(type(one.value) == 'table' and one.value or { one.value }) end

for number, one in ipairs(figures.cases) do
  describe(('%s, case %d'):format(one.name, number), function()
    local function build(leaves) return agree.build(D, one.name, one.args, one.options, leaves, one.integers) end

    it('has the log-probabilities, sizes and moments', function()
      local d, x = build(), valueOf(one)
      assert.same(one.batch, d.batchShape)
      assert.same(one.event, d.eventShape)
      for _, name in ipairs { 'entropy', 'mean', 'variance', 'mode' } do
        if one[name] then near(one[name], d[name](d), 1e-11, name) end
      end
      if one.logProb then near(one.logProb, d:logProb(x), 1e-11, 'logProb') end
      if one.cdf then near(one.cdf, d:cdf(x), 1e-11, 'cdf') end
    end)

    if one.scipy then
      it("has SciPy's figures", function()
        local d, x = build(), valueOf(one)
        near(one.scipy.logProb, d:logProb(x), 1e-10, 'logProb')
        near(one.scipy.cdf, d:cdf(x), 1e-11, 'cdf')
        if one.scipy.icdf then near(one.scipy.icdf, d:icdf(probabilities), 1e-9, 'icdf') end
        if one.scipy.mean then near(one.scipy.mean, d:mean(), 1e-10, 'mean') end
        if one.scipy.variance then near(one.scipy.variance, d:variance(), 1e-10, 'variance') end
        if one.scipy.entropy then near(one.scipy.entropy, d:entropy(), 1e-9, 'entropy') end
      end)
    end

    if one.gradients then
      it('has the gradients', function()
        local leaves, x = {}, valueOf(one)
        local d = build(leaves)
        if one.slope then x:requiresGrad() end
        agree.gradients(one.gradients, leaves, d:logProb(x), 1e-9, 'logProb')
        if one.slope then near(one.slope, x.grad, 1e-10, 'slope') end
        local fresh = {}
        if one.entropyGradients then agree.gradients(one.entropyGradients, fresh, build(fresh):entropy(), 1e-9, 'entropy') end
      end)
    end
  end)
end

for number, one in ipairs(figures.divergences) do
  it(('kl of %s from %s, case %d'):format(one.q, one.p, number), function()
    local function pair(leaves)
      return agree.build(D, one.p, one.pArgs, one.pOptions, leaves), agree.build(D, one.q, one.qArgs, one.qOptions, leaves)
    end
    near(one.kl, D.kl(pair()), 1e-11, 'kl')
    if one.gradients then
      local leaves = {}
      agree.gradients(one.gradients, leaves, D.kl(pair(leaves)), 1e-9, 'kl')
    end
  end)
end

for number, one in ipairs(figures.hypergeometric) do
  it(("Hypergeometric, case %d, has SciPy's figures"):format(number), function()
    local d, x = D.Hypergeometric(unpack(one.args)), torch.DoubleTensor(one.value)
    near(one.logProb, d:logProb(x), 1e-8, 'logProb')
    near(one.cdf, d:cdf(x), 1e-8, 'cdf')
    near(one.icdf, d:icdf(probabilities), 0, 'icdf')
    for _, name in ipairs { 'mean', 'variance', 'entropy' } do near(one[name], d[name](d), 1e-8, name) end
    local sum = 0
    for k = d:_low()[1], math.min(d:_high()[1], 3000) do sum = sum + math.exp(d:logProb(k)[1]) end
    near(1, torch.Tensor { sum }, 1e-11, 'sum of probabilities')
    assert.is_true(d:logProb(d:mode())[1] >= d:logProb(math.max(d:mode()[1] - 1, d:_low()[1]))[1])
    assert.is_true(d:logProb(d:mode())[1] >= d:logProb(math.min(d:mode()[1] + 1, d:_high()[1]))[1])
  end)
end

describe('quantiles', function()
  -- Gradients of icdf by differences.
  local list = {
    { 'Gamma', 2.5, 0.5 }, { 'InverseGamma', 3.5, 2 }, { 'Beta', 2, 3.5 }, { 'StudentT', 5, 0.5, 2 }, { 'FisherSnedecor', 3, 7 },
  }
  for _, one in ipairs(list) do
    it('of ' .. one[1] .. ' have the gradients of differences', function()
      local p = torch.DoubleTensor { 0.01, 0.4, 0.5, 0.9 }
      local values = { unpack(one, 2) }
      values[#values + 1] = p
      local function quantile(list_) return D[one[1]](unpack(list_, 1, #list_ - 1)):icdf(list_[#list_]) end
      for i, value in ipairs(values) do
        local leaf = (torch.isTensor(value) and value or torch.DoubleTensor { value }):clone():requiresGrad()
        local changed = { unpack(values) }
        changed[i] = leaf
        torch.sum(quantile(changed)):backward()
        local step = 1e-5
        changed[i] = value + step
        local after = quantile(changed)
        changed[i] = value - step
        local slopes = (after - quantile(changed)) / (2 * step)
        near(torch.isTensor(value) and slopes:totable() or { torch.sum(slopes) }, leaf.grad, 1e-6, 'argument ' .. i)
      end
    end)
  end

  it('of discrete distributions are the least values with enough probability', function()
    local d = D.Poisson(torch.DoubleTensor { 0, 0.3, 7, 1e6 })
    for _, p in ipairs { 0, 1e-9, 0.2, 0.5, 0.99 } do
      local k = d:icdf(p)
      assert.equal(1, torch.ge(d:cdf(k), p):min())
      local before = torch.clamp(k - 1, 0, math.huge)
      assert.equal(1, (torch.lt(d:cdf(before), p) + torch.eq(k, 0)):gt(0):min())
    end
    assert.same({ math.huge, math.huge, math.huge, math.huge }, d:icdf(1):totable())
    assert.same({ 0, 7 }, D.Binomial(7, torch.DoubleTensor { 0, 0.3 }):icdf(torch.DoubleTensor { 0.3, 1 }):totable())
    assert.same({ 0, 0, 1, 1 }, D.Bernoulli(0.25):icdf(torch.DoubleTensor { 0, 0.75, 0.7500001, 1 }):totable())
    local c = D.Categorical(torch.DoubleTensor { 0.1, 0.2, 0.7 })
    near({ 0.1, 0.3, 1 }, c:cdf(torch.DoubleTensor { 1, 2, 3 }), 1e-15, 'cdf')
    assert.same({ 1, 2, 3, 3 }, c:icdf(torch.DoubleTensor { 0.05, 0.2, 0.31, 1 }):totable())
    -- A quantile of a value's own probability is this value.
    local n = D.Geometric(0.3)
    local k = torch.range(0, 40)
    assert.same(k:totable(), n:icdf(n:cdf(k)):totable())
  end)

  it('of floats are near those of doubles', function()
    for _, one in ipairs(list) do
      local p = torch.DoubleTensor { 0.01, 0.4, 0.9 }
      local wide = D[one[1]](unpack(one, 2)):icdf(p)
      local values = {}
      for i = 2, #one do values[i - 1] = torch.FloatTensor { one[i] } end
      local narrow = D[one[1]](unpack(values)):icdf(p:float())
      assert.equal('torch.FloatTensor', narrow:type())
      near(wide:totable(), narrow:double(), 1e-5, one[1])
    end
  end)

  it('of RelaxedBernoulli invert its distribution function', function()
    local d, p = D.RelaxedBernoulli(0.7, 0.3), torch.DoubleTensor { 0.01, 0.4, 0.9 }
    near(p:totable(), d:cdf(d:icdf(p)), 1e-13, 'cdf')
    local x, step = torch.DoubleTensor { 0.2, 0.6 }, 1e-5
    near(((d:cdf(x + step) - d:cdf(x - step)) / (2 * step)):totable(), torch.exp(d:logProb(x)), 1e-8, 'density')
  end)
end)

describe('kl of general classes:', function()
  it('transformed distributions have that of their bases', function()
    local function shifted(loc, scale)
      return D.TransformedDistribution(D.Normal(loc, 1), { D.AffineTransform(1, scale), D.ExpTransform() })
    end
    near(D.kl(D.Normal(0, 1), D.Normal(2, 1)):totable(), D.kl(shifted(0, 2), shifted(2, 2)), 1e-15, 'kl')
    assert.equal(D.kl, D.klDivergence)
    local other = D.TransformedDistribution(D.Normal(0, 1), { D.AffineTransform(1, 2), D.identityTransform })
    assert.error_matches(function() D.kl(shifted(0, 2), other) end, 'kl: q: other transforms')
    assert.error_matches(function() D.kl(shifted(0, 2), shifted(2, 3)) end, 'kl: q: other transforms')
    local p, q = D.LogisticNormal(torch.zeros(2), 1), D.LogisticNormal(torch.ones(2), 2)
    near(D.kl(D.Normal(torch.zeros(2), 1), D.Normal(torch.ones(2), 2)):sum(), D.kl(p, q), 1e-14, 'kl')
  end)

  it('exponential families have it, and an entropy, by their natural parameters', function()
    local Family = torch.class('specs.Exponential', 'distributions.ExponentialFamily', {})
    function Family:__init(rate) self:_declare({ { 'rate', D.constraints.positive } }, { rate }) end
    function Family:_naturalParams() return { -self.rate } end
    function Family._logNormalizer(_, eta) return -torch.log(-eta) end
    function Family._meanCarrierMeasure() return 0 end
    local make = torch.factory 'specs.Exponential'
    local function build(rate)
      local d = make()
      Family.__init(d, rate)
      return d
    end
    local rate = torch.DoubleTensor { 2 }:requiresGrad()
    local other = torch.DoubleTensor { 2 }:requiresGrad()
    local p, q = build(rate), build(5)
    near(D.kl(D.Exponential(2), D.Exponential(5)):totable(), D.kl(p, q):detach(), 1e-14, 'kl')
    near(D.Exponential(2):entropy():totable(), p:entropy():detach(), 1e-14, 'entropy')
    D.kl(p, q):backward()
    D.kl(D.Exponential(other), D.Exponential(5)):backward()
    near(other.grad:totable(), rate.grad, 1e-13, 'gradient')
    assert.error_matches(function() D.kl(p, D.Beta(1, 1)) end, 'expected a class for which a divergence from specs.Exponential')
  end)
end)

it('constructors have the defaults of PyTorch', function()
  near(D.StudentT(3, 0, 1):logProb(0.5):totable(), D.StudentT(3):logProb(0.5), 0, 'StudentT')
  near(D.StudentT(3, 0, 2):logProb(0.5):totable(), D.StudentT(3, { scale = 2 }):logProb(0.5), 0, 'StudentT')
  near(D.StudentT(3, 1, 2):logProb(0.5):totable(), D.StudentT(3, 1, { scale = 2 }):logProb(0.5), 0, 'StudentT')
  assert.equal(1, D.Binomial(nil, 0.3).totalCount[1])
  assert.equal(1, D.Binomial({ probs = 0.3 }).totalCount[1])
  assert.equal(4, D.Binomial({ probs = 0.3, totalCount = 4 }).totalCount[1])
  assert.equal(1, D.Multinomial({ probs = torch.ones(2) }).totalCount)
  assert.equal(4, D.Multinomial({ probs = torch.ones(2), totalCount = 4 }).totalCount)
  assert.equal(1, D.LKJCholesky(3).concentration[1])
end)

it('variances do not exist, or are infinite, from small degrees of freedom on', function()
  local student = D.StudentT(torch.Tensor { 1, 1.5, 2, 4 }, 0, 1):variance()
  assert.is_true(student[1] ~= student[1])
  assert.same({ math.huge, math.huge, 2 }, student:narrow(1, 2, 3):totable())
  local snedecor = D.FisherSnedecor(3, torch.Tensor { 4, 5 }):variance()
  assert.is_true(snedecor[1] ~= snedecor[1])
  assert.is_true(math.abs(snedecor[2] - 2 * 25 * 6 / (3 * 9)) < 1e-12)
end)

it('kl is infinite where q lacks values of p', function()
  local p = D.Beta(2, 3)
  for _, q in ipairs { D.Uniform(0.1, 1), D.Uniform(0, 0.9) } do assert.equal(math.huge, D.kl(p, q)[1]) end
  near(-p:entropy()[1], D.kl(p, D.Uniform(0, 1)), 1e-12, 'kl')
end)
