-- Samples: their distribution functions by Kolmogorov and Smirnov's test, moments, and gradients, which must move a sample as the
-- distribution function moves.
local torch, D = require 'torch', require 'distributions'

-- Distributions of numbers with a distribution function: class and parameters.
local continuous = {
  { 'Normal', 1.5, 0.5 }, { 'Uniform', -1, 3 }, { 'Exponential', 2 }, { 'Gamma', 0.3, 2 }, { 'Gamma', 2.5, 0.5 }, { 'Gamma', 300, 2 },
  { 'HalfNormal', 2 }, { 'LogNormal', 0.5, 0.8 }, { 'Cauchy', 0.5, 2 }, { 'HalfCauchy', 2 }, { 'Laplace', 0.5, 2 }, { 'Gumbel', 0.5, 2 },
  { 'Weibull', 2, 1.5 }, { 'Pareto', 1.5, 3 }, { 'GeneralizedPareto', 0.5, 2, 0.25 }, { 'GeneralizedPareto', 0.5, 2, -0.25 },
  { 'Kumaraswamy', 2, 3 }, { 'InverseGamma', 3.5, 2 }, { 'Chi2', 3 }, { 'Beta', 2, 3.5 }, { 'Beta', 0.4, 0.3 }, { 'Beta', 300, 500 },
  { 'StudentT', 5, 0.5, 2 }, { 'StudentT', 0.8, 0, 1 }, { 'FisherSnedecor', 3, 7 },
  { 'VonMises', 0, 2 }, { 'VonMises', 0, 0.01 }, { 'VonMises', 0, 300 }, { 'ContinuousBernoulli', 0.2 },
  { 'ContinuousBernoulli', 0.4999 },
}

local function titleOf(one) return ('%s(%s)'):format(one[1], table.concat(one, ', ', 2)) end

for _, one in ipairs(continuous) do
  describe(titleOf(one), function()
    it('draws values with its distribution function', function()
      -- The statistic exceeds 2.8 with a probability of 2 exp(-2 * 2.8^2) = 3e-7.
      local n, d = 20000, D[one[1]](unpack(one, 2))
      local p = torch.sort(d:cdf(d:sample(n)))
      local steps = torch.range(1, n) / n
      local largest = math.max(torch.abs(p - steps):max(), torch.abs(p - steps + 1 / n):max())
      assert.is_true(largest * math.sqrt(n) < 2.8, ('statistic %g'):format(largest * math.sqrt(n)))
    end)

    if D[one[1]](unpack(one, 2)).hasRsample then
      it('has samples whose gradients move them with the distribution function', function()
        -- F(z(a), a) is constant, so dz/da = -(dF/da) / density.
        for k = 2, #one do
          local leaf = torch.Tensor(64):fill(one[k]):requiresGrad()
          local values = { unpack(one, 2) }
          values[k - 1] = leaf
          local z = D[one[1]](unpack(values)):rsample()
          torch.sum(z):backward()
          z = z:detach()
          local function cdfAt(value)
            values[k - 1] = value
            return D[one[1]](unpack(values, 1, #one - 1)):cdf(z)
          end
          local h = 1e-4 * (one[k] == 0 and 0.1 or math.abs(one[k]))
          local slope = (cdfAt(one[k] - 2 * h) - cdfAt(one[k] + 2 * h) + (cdfAt(one[k] + h) - cdfAt(one[k] - h)) * 8) / (12 * h)
          local density = torch.exp(D[one[1]](unpack(one, 2)):logProb(z))
          local off = torch.cmul(leaf.grad, density) + slope
          assert.is_true(torch.abs(off):max() < 1e-8 * math.max(1, torch.abs(slope):max()), ('parameter %d: off by %g of %g'):format(k - 1,
            torch.abs(off):max(), torch.abs(slope):max()))
        end
      end)
    end

    if D[one[1]]._icdf then
      it('inverts its distribution function', function()
        local d = D[one[1]](unpack(one, 2))
        local p = torch.Tensor { 1e-6, 0.1, 0.5, 0.77, 0.999 }
        local x = d:icdf(p)
        local rounding = torch.exp(d:logProb(x)):cmul(torch.abs(x)) * 2 ^ -52      -- the density may be infinite
        assert.is_true((torch.abs(d:cdf(x) - p) - rounding):max() < 1e-12)
      end)
    end
  end)
end

-- Discrete distributions: class, parameters, and the largest value of the comparison.
local discrete = {
  { 'Poisson', 3.5, most = 12 }, { 'Poisson', 0.01, most = 2 }, { 'Poisson', 400, most = 480 }, { 'Poisson', 14, most = 30 },
  { 'Bernoulli', 0.3, most = 1 },
  { 'Geometric', 0.3, most = 20 }, { 'Binomial', 7, 0.3, most = 7 }, { 'Binomial', 1000, 0.9, most = 940 },
  { 'Binomial', 90, 0.4, most = 60 }, { 'Hypergeometric', 20, 7, 12, most = 7 }, { 'Hypergeometric', 9000, 1000, 300, most = 60 },
  { 'NegativeBinomial', 4.5, 0.3, most = 12 }, { 'NegativeBinomial', 60, 0.7, most = 220 },
}

for _, one in ipairs(discrete) do
  it(titleOf(one) .. ' draws values with its probabilities', function()
    -- Each count of n draws is binomial: within 6 standard deviations and 6 of its mean except with a probability below 1e-7.
    local n, d = 20000, D[one[1]](unpack(one, 2))
    local x = d:sample(n)
    local values = torch.range(0, one.most)
    local p = torch.exp(d:logProb(values))
    local total = 0
    for i = 1, values:size(1) do
      local count = torch.eq(x, values[i]):sum()
      total = total + count
      local wanted = n * p[i]
      assert.is_true(math.abs(count - wanted) <= 6 * math.sqrt(wanted * (1 - p[i])) + 6, ('%d: %d of %g'):format(values[i], count, wanted))
    end
    local c = d:cdf(values)
    assert.is_true(torch.abs(c - torch.cumsum(p)):max() < 1e-10)
    assert.is_true(math.abs(total - n * c[-1]) <= 6 * math.sqrt(n * c[-1] * (1 - c[-1])) + 6)
    assert.is_true(math.abs(x:mean() - d:mean()[1]) <= 6 * d:stddev()[1] / math.sqrt(n))
  end)
end

describe('Categorical', function()
  it('draws classes from 1 with their probabilities', function()
    local n, p = 20000, torch.Tensor { { 1, 2, 1 }, { 0, 1, 9 } }
    local d = D.Categorical(p)
    local x = d:sample(n)
    assert.equal('torch.LongTensor', x:type())
    assert.same({ n, 2 }, x:size():totable())
    for row = 1, 2 do
      for class = 1, 3 do
        local share = d.probs[row][class]
        local count = torch.eq(x:select(2, row), class):sum()
        assert.is_true(math.abs(count - n * share) <= 6 * math.sqrt(n * share * (1 - share)))
      end
    end
    assert.same({ 3, 2 }, d:enumerateSupport():size():totable())
    assert.same({ 0, 2 }, d:sample(0):size():totable())
  end)
end)

-- Multivariate distributions, whose means and variances samples must have.
local function matrix() return torch.Tensor { { 2, 0.5, 0.1 }, { 0.5, 1, -0.2 }, { 0.1, -0.2, 0.7 } } end
local vectors = {
  Dirichlet = function() return D.Dirichlet(torch.Tensor { { 0.5, 2, 3.5 }, { 1, 1, 10 } }) end,
  MultivariateNormal = function() return D.MultivariateNormal(torch.Tensor { 1, 2, 3 }, matrix()) end,
  LowRankMultivariateNormal = function()
    return D.LowRankMultivariateNormal(torch.zeros(3), torch.Tensor { { 1, 0.2 }, { 0.5, -1 }, { 0, 2 } }, torch.Tensor { 0.5, 1, 2 })
  end,
  Wishart = function() return D.Wishart(torch.Tensor { 5.5, 7 }, matrix()) end,
  OneHotCategorical = function() return D.OneHotCategorical(torch.Tensor { { 1, 2, 7 }, { 1, 0, 1 } }) end,
  Multinomial = function() return D.Multinomial(40, torch.Tensor { { 1, 2, 7 }, { 1, 0, 1 } }) end,
  Independent = function() return D.Independent(D.Gamma(torch.Tensor { { 1, 2 }, { 3, 4 } }, 2), 1) end,
  MixtureSameFamily = function()
    return D.MixtureSameFamily(D.Categorical(torch.Tensor { 0.3, 0.7 }), D.Normal(torch.Tensor { -2, 3 }, torch.Tensor { 0.5, 1 }))
  end,
  ['MixtureSameFamily of vectors'] = function()
    local parts = D.MultivariateNormal(torch.Tensor { { 1, 2, 3 }, { -1, 0, 0 } }, matrix())
    return D.MixtureSameFamily(D.Categorical(torch.Tensor { 0.3, 0.7 }), parts)
  end,
}
for name, build in pairs(vectors) do
  it(name .. ' draws values of its support with its means and variances', function()
    -- Means lie within 6 of their standard deviations; variances within a tenth, as fourth moments are moderate.
    local n, d = 20000, build()
    local x = d:sample(n)
    assert.same(d.batchShape, { unpack(x:size():totable(), 2, 1 + #d.batchShape) })
    assert.is_true(torch.all(d:support():check(x:narrow(1, 1, 50))))
    local mean, variance = torch.mean(x, 1):squeeze(1), torch.var(x, 1):squeeze(1)
    if not torch.isTensor(mean) then mean, variance = torch.Tensor { mean }, torch.Tensor { variance } end
    local off = torch.abs(mean - d:mean())
    assert.is_true(torch.all(torch.le(off, torch.sqrt(d:variance() / n) * 6 + 1e-12)))
    assert.is_true(torch.all(torch.le(torch.abs(variance - d:variance()), d:variance() * 0.1 + 1e-12)))
    assert.same(d:logProb(x:narrow(1, 1, 4)):size():totable(), { 4, unpack(d.batchShape) })
  end)
end

describe('multivariate distributions', function()
  it('have samples with gradients', function()
    local a = torch.Tensor { 0.5, 2, 3.5 }:requiresGrad()
    torch.manualSeed(5)
    local n = 40000
    torch.mean(D.Dirichlet(a):rsample(n):select(2, 1)):backward()
    -- The mean is a1 / sum(a).
    local expected = torch.Tensor { 5.5 / 36, -0.5 / 36, -0.5 / 36 }
    assert.is_true(torch.abs(a.grad - expected):max() < 3e-3)
    local scale = matrix():requiresGrad()
    torch.sum(D.Wishart(5, scale):rsample()):backward()
    assert.is_true(scale.grad:norm() > 0)
    local logits = torch.zeros(3):requiresGrad()
    local x = D.OneHotCategoricalStraightThrough { logits = logits }:rsample(4)
    torch.sum(torch.cmul(x, torch.Tensor { 1, 2, 3 })):backward()
    assert.is_true(logits.grad:norm() > 0)
  end)

  it('LKJCholesky draws factors of correlation matrices with its mean', function()
    -- For two rows the correlation has the distribution of 2 Beta(c, c) - 1 with variance 1 / (2 c + 1).
    local d = D.LKJCholesky(2, torch.Tensor { 0.5, 2 })
    local r = d:sample(20000):select(4, 1):select(3, 2)
    assert.is_true(torch.all(d:support():check(d:sample(50))))
    local variance = torch.var(r, 1):view(-1)
    assert.is_true(torch.abs(variance - torch.Tensor { 0.5, 0.2 }):max() < 0.01)
    local wide = D.LKJCholesky(4):sample(20000)
    local correlations = torch.matmul(wide, wide:transpose(2, 3))
    assert.is_true(torch.abs(torch.mean(correlations, 1):squeeze(1) - torch.eye(4)):max() < 0.02)
    -- Each correlation has the distribution of 2 Beta(2, 2) - 1.
    assert.is_true(torch.abs(torch.var(correlations, 1):squeeze(1) - (1 - torch.eye(4)) * 0.2):max() < 0.01)
  end)

  it('relaxed samples approach discrete ones', function()
    local x = D.RelaxedBernoulli(0.01, 0.3):sample(20000)
    assert.is_true(math.abs(torch.gt(x, 0.5):double():mean() - 0.3) < 0.02)
    local y = D.RelaxedOneHotCategorical(0.01, torch.Tensor { 0.1, 0.2, 0.7 }):sample(20000)
    assert.is_true(torch.abs(torch.mean(torch.round(y), 1):view(-1) - torch.Tensor { 0.1, 0.2, 0.7 }):max() < 0.02)
    local temperature = torch.Tensor { 0.7 }:requiresGrad()
    torch.sum(D.RelaxedBernoulli(temperature, 0.3):rsample(3)):backward()
    assert.is_true(temperature.grad[1] ~= 0)
  end)

  it('mixtures sum densities and distribution functions', function()
    local parts = D.Normal(torch.Tensor { -2, 3 }, torch.Tensor { 0.5, 1 })
    local d = D.MixtureSameFamily(D.Categorical(torch.Tensor { 0.3, 0.7 }), parts)
    local p = torch.exp(D.Normal(-2, 0.5):logProb(1)) * 0.3 + torch.exp(D.Normal(3, 1):logProb(1)) * 0.7
    assert.is_true(math.abs(torch.exp(d:logProb(1))[1] - p[1]) < 1e-14)
    local c = D.Normal(-2, 0.5):cdf(1) * 0.3 + D.Normal(3, 1):cdf(1) * 0.7
    assert.is_true(math.abs(d:cdf(1)[1] - c[1]) < 1e-14)
  end)
end)

it('VonMises has log-probabilities and entropies with gradients', function()
  local gradcheck = require('autograd').gradcheck
  local k, loc, x = torch.Tensor { 0.5, 3 }, torch.Tensor { 0.1, 0.2 }, torch.Tensor { 0.3, 1 }
  assert.is_true(gradcheck(function(a, l) return torch.sum(D.VonMises(l, a):logProb(x)) end, { k, loc }))
  assert.is_true(gradcheck(function(a) return torch.sum(D.VonMises(0, a):entropy()) end, { k }))
end)

describe('samples', function()
  it('are drawn by sizes, batch and event', function()
    local d = D.Normal(torch.zeros(3), torch.ones(2, 1))
    assert.same({ 2, 3 }, d.batchShape)
    assert.same({ 4, 5, 2, 3 }, d:sample(4, 5):size():totable())
    assert.same({ 2, 3 }, d:sample():size():totable())
    assert.same({ 0, 2, 3 }, d:rsample { 0 }:size():totable())
    assert.same({ 1 }, D.Normal(0, 1):sample():size():totable())
    assert.same({ 4, 2, 3 }, d:expand(4, 2, 3):sample():size():totable())
    assert.equal('torch.FloatTensor', D.Gamma(torch.ones(2):float(), 3):sample():type())
  end)

  it('of probabilities are never 0 or 1', function()
    torch.manualSeed(5)
    for _, kind in ipairs { 'double', 'float' } do
      local small = torch.ones(1)[kind](torch.ones(1)) * 1e-3
      for _, d in ipairs { D.Beta(small, small), D.RelaxedBernoulli(small, 0.5) } do
        local x = d:sample(500)
        assert.is_true(torch.all(torch.gt(x, 0)) and torch.all(torch.lt(x, 1)))
        assert.is_true(torch.any(torch.lt(x, 1e-30)) and torch.any(torch.gt(x, 1 - 1e-6)))
      end
    end
  end)

  it('of angles lie between -pi and pi', function()
    torch.manualSeed(6)
    local x = D.VonMises(torch.Tensor { -3, 3, 20 }, 1):sample(500)
    assert.is_true(x:min() >= -math.pi and x:max() <= math.pi)
  end)

  it('of gamma have logarithms where values underflow', function()
    local gamma = D.Gamma(1e-3, 1):sample(1000)
    assert.is_true(torch.all(torch.ge(gamma, 0)) and torch.any(torch.eq(gamma, 0)))
  end)

  it('end for parameters that are not checked, or infinite', function()
    local unchecked = { validateArgs = false }
    for _, a in ipairs { -1, 0, 0 / 0, math.huge } do
      for _, name in ipairs { 'Gamma', 'Beta', 'Binomial', 'NegativeBinomial', 'InverseGamma' } do
        assert.equal(2, D[name](a, 0.5, unchecked):sample(2):size(1))
      end
      assert.equal(2, D.Poisson(a, unchecked):sample(2):size(1))
    end
    assert.equal(math.huge, D.Gamma(math.huge, 1):sample()[1])
  end)

  it('follow the seed', function()
    torch.manualSeed(3)
    local first = D.Gamma(0.5, 1):sample(9)
    torch.manualSeed(3)
    assert.is_true(torch.equal(first, D.Gamma(0.5, 1):sample(9)))
  end)

  it('have no gradients unless reparameterised', function()
    local scale = torch.ones(2):requiresGrad()
    assert.is_false(D.Normal(0, scale):sample():isTracked())
    assert.is_true(D.Normal(0, scale):rsample():isTracked())
  end)
end)
