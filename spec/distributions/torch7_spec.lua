-- Torch7's functions of distributions: SciPy's and PyTorch's figures, forms of calls, samples, errors.
local torch, D = require 'torch', require 'distributions'
local near = require('spec.distributions.agree').near

local function close(wanted, got) near(wanted, torch.DoubleTensor { got }, 1e-12, 'value') end

describe('functions of numbers', function()
  for _, row in ipairs(require 'spec.distributions.torch7_figures') do
    it(('%s at %g'):format(row[1], row[2][1]), function()
      local family = D[row[1]]
      close(row[3], family.pdf(unpack(row[2])))
      close(row[4], family.logpdf(unpack(row[2])))
      close(row[5], family.cdf(unpack(row[2])))
      local wide = { unpack(row[2]) }
      wide[1] = torch.FloatTensor { { row[2][1] }, { row[2][1] } }
      assert.same({ 2, 1 }, family.cdf(unpack(wide)):size():totable())
      near({ { row[5] }, { row[5] } }, family.cdf(unpack(wide)), 1e-6, 'cdf')
    end)
  end

  it('invert the normal distribution, and name bad arguments', function()
    close(4.919927969080108, D.norm.qtl(0.975, 1, 2))
    assert.error_matches(function() D.norm.pdf(1, 'x', 2) end, 'distributions.norm.pdf: mu: a string, expected a number or a tensor')
    assert.error_matches(function() D.poisson.pdf(1) end, 'distributions.poisson.pdf: lambda: nil, expected')
  end)

  it('of gamma distributions take tables', function()
    close(2.423095090065, D.gamma.entropy { shape = 2.5, scale = 2 })
    close(2.423095090065, D.gamma.entropy { shape = 2.5, rate = 0.5 })
    close(5.7182499908572435, D.gamma.kl({ shape = 2.5, scale = 2 }, { shape = 1.5, rate = 2 }))
    assert.error_matches(function() D.gamma.entropy { shape = 1 } end, 'expected one of both')
  end)
end)

it('Dirichlet distributions have density, entropy, divergence and samples', function()
  local alpha = torch.Tensor { 0.5, 2, 3.5 }
  close(1.6643204717263629, D.dir.logpdf(torch.Tensor { 0.1, 0.2, 0.7 }, alpha))
  close(math.exp(1.6643204717263629), D.dir.pdf(torch.Tensor { 0.1, 0.2, 0.7 }, alpha))
  close(-2.0582311419371573, D.dir.entropy(alpha))
  close(0.8694327004956592, D.dir.kl({ alpha = alpha }, { alpha = torch.Tensor { 1, 1, 2 } }))
  close(1, D.dir.rnd({ 1, 2, 3 }):sum())
  assert.error_matches(function() D.dir.rnd(torch.ones(2, 2)) end, 'distributions.dir.rnd: alpha: 2 dimensions, expected 1')
end)

describe('multivariate normal distributions', function()
  local mu, sigma = torch.Tensor { 0.5, -1 }, torch.Tensor { { 2, 0.5 }, { 0.5, 1 } }

  it('have density, entropy and divergence', function()
    close(-6.903399246091342, D.mvn.logpdf(torch.Tensor { 1, 2 }, mu, sigma))
    near({ { -6.903399246091342 }, { -2.9033992460913423 } }, D.mvn.logpdf(torch.Tensor { { 1, 2 }, { 0, 0 } }, mu, sigma), 1e-12, 'rows')
    local upper = torch.cholesky(sigma):t()
    close(-6.903399246091342, D.mvn.logpdf(torch.Tensor { 1, 2 }, mu, upper, { cholesky = true }))
    close(math.exp(-6.903399246091342), D.mvn.pdf(torch.Tensor { 1, 2 }, mu, sigma))
    close(D.norm.logpdf(1, 0.5, 2) + D.norm.logpdf(2, -1, 3), D.mvn.logpdf(torch.Tensor { 1, 2 }, mu, torch.Tensor { 4, 9 }))
    close(D.norm.logpdf(1, 0.5, 2) + D.norm.logpdf(2, -1, 3),
      D.mvn.logpdf(torch.Tensor { 1, 2 }, mu, torch.Tensor { 2, 3 }, { cholesky = true }))
    close(3.1176849603770567, D.mvn.entropy(sigma))
    local p = { mu = torch.Tensor { 0, 1 }, sigma = torch.Tensor { { 1, 0.2 }, { 0.2, 3 } } }
    close(1.2813678212813546, D.mvn.kl({ mu = mu, sigma = sigma }, p))
    close(1.2813678212813546, D.mvn.kl({ mu = mu, sigma = sigma }, { mu = p.mu, lambda = torch.inverse(p.sigma) }))
    assert.error_matches(function() D.mvn.logpdf(mu, mu, torch.ones(2, 2)) end, 'sigma: not positive definite')
    assert.error_matches(function() D.mvn.logpdf(torch.ones(3), mu, sigma) end, 'inconsistent sizes')
  end)

  it('draw vectors', function()
    torch.manualSeed(3)
    local x = D.mvn.rnd(20000, mu, sigma)
    near(mu:totable(), torch.mean(x, 1):view(2), 0.05, 'mean')
    near(sigma:totable(), torch.mm((x - mu:view(1, 2):expandAs(x)):t(), x - mu:view(1, 2):expandAs(x)) / 20000, 0.06, 'covariance')
    assert.same({ 2 }, D.mvn.rnd(mu, sigma):size():totable())
    assert.same({ 1, 2 }, D.mvn.rnd(1, mu, sigma):size():totable())
    local result = torch.FloatTensor(5, 2)
    assert.equal(result, D.mvn.rnd(result, mu, torch.Tensor { 1, 4 }))
    local flat = D.mvn.rnd(50, torch.zeros(2), torch.ones(2, 2))      -- singular
    assert.is_true(torch.abs(flat:select(2, 1) - flat:select(2, 2)):max() < 1e-7)
    torch.manualSeed(3)
    local many = D.mvn.rnd(3, torch.zeros(3, 2), torch.Tensor { { { 1, 0 }, { 0, 1 } }, { { 4, 0 }, { 0, 4 } }, { { 9, 0 }, { 0, 9 } } })
    torch.manualSeed(3)
    local plain = torch.DoubleTensor(3, 2):normal()
    for i = 1, 3 do near((plain[i] * i):totable(), many[i], 1e-12, 'row') end
    assert.error_matches(function() D.mvn.rnd(4, torch.zeros(3, 2), sigma) end, 'inconsistent sizes for mu and sigma')
    assert.error_matches(function() D.mvn.rnd(-1, mu, sigma) end, 'distributions.mvn.rnd: n: %-1')
  end)
end)

describe('draws of classes', function()
  local p = torch.Tensor { 1, 0, 3, 4 }

  it('have the frequencies of the weights', function()
    torch.manualSeed(4)
    for _, kind in ipairs { 'iid', 'dichotomy', 'stratified' } do
      local counts = torch.bincount(D.cat.rnd(8000, p, { type = kind }), 4)
      assert.equal(0, counts[2])
      for i = 1, 4 do assert.is_true(math.abs(counts[i] - 1000 * p[i]) <= (kind == 'stratified' and 1 or 250)) end
    end
    local sorted = D.cat.rnd(100, p, { type = 'stratified' })
    assert.same(torch.sort(sorted):totable(), sorted:totable())
    assert.equal('torch.LongTensor', sorted:type())
    assert.same({ 1, 3, 3, 3, 4, 4, 4, 4 }, D.cat.rnd(8, p, { type = 'stratified' }):totable())
    assert.equal(1, D.cat.rnd(p):nElement())
  end)

  it('fill results, and choose rows', function()
    local result = torch.FloatTensor(2, 3)
    assert.equal(result, D.cat.rnd(result, torch.Tensor { 0, 1 }))
    assert.same({ { 2, 2, 2 }, { 2, 2, 2 } }, result:totable())
    local rows = D.cat.rnd(2, torch.Tensor { 0, 1 }, { categories = torch.Tensor { { 1, 2 }, { 3, 4 } } })
    assert.same({ { 3, 4 }, { 3, 4 } }, rows:totable())
    local many = D.mvcat.rnd(3, torch.Tensor { { 0, 1 }, { 2, 0 } })
    assert.same({ { 2, 2, 2 }, { 1, 1, 1 } }, many:totable())
    assert.same({ 2, 1 }, D.mvcat.rnd(torch.ones(2, 3)):size():totable())
  end)

  it('refuse other arguments', function()
    local cases = {
      ['cannot resample with total probability mass 0'] = function() D.cat.rnd(3, torch.zeros(2)) end,
      ['negative or infinite weights'] = function() D.cat.rnd(3, torch.Tensor { 2, -1 }) end,
      ['Unknow categorical sampling type x'] = function() D.cat.rnd(3, p, { type = 'x' }) end,
      ['number of categories does not match'] = function() D.cat.rnd(3, p, { categories = torch.ones(2, 2) }) end,
      ['distributions.cat.rnd: n: %-3'] = function() D.cat.rnd(-3, p) end,
      ['distributions.mvcat.rnd: p: 1 dimensions, expected 2'] = function() D.mvcat.rnd(3, p) end,
      ['distributions.mvcat.rnd: result: expected 2 rows'] = function() D.mvcat.rnd(torch.ones(3, 2), torch.ones(2, 2)) end,
    }
    for message, f in pairs(cases) do assert.error_matches(f, message) end
  end)
end)

it('util knows positive definite matrices and their determinants', function()
  local sigma = torch.Tensor { { 2, 0.5 }, { 0.5, 1 } }
  assert.is_true(D.util.isposdef(sigma))
  assert.is_false(D.util.isposdef(torch.ones(2, 2)))
  close(0.5596157879354227, D.util.logdet(sigma))
end)
