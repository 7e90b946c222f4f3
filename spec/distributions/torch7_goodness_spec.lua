-- Torch7's tests of samples: SciPy's statistics, forms of distribution functions, errors.
local torch, D = require 'torch', require 'distributions'
local near = require('spec.distributions.agree').near

local x = torch.Tensor { { 0.1, 0.35, 0.2, 0.9 }, { 0.55, 0.61, 0.77, 0.02 } }
local y = torch.Tensor { 0.3, 0.5, 0.35, 1.2, 0.95 }

local function agree(wanted, statistic, p, d)
  near(wanted, torch.DoubleTensor { p }, 1e-6, 'probability')
  near(statistic, torch.DoubleTensor { d }, 1e-6, 'statistic')
end

local function uniform(u) return u end

it("Kolmogorov's and Smirnov's tests", function()
  agree(0.94748013153059718, 0.175, D.ksone(x, uniform))
  agree(0.94748013153059718, 0.175, D.ksone(x, function(u) return u + 0 * math.exp(u) end))      -- of numbers
  agree(0.94748013153059718, 0.175, D.ksone(1 - x, uniform))
  agree(0.58574746646837661, 0.4, D.kstwo(x, y))
  agree(0.58574746646837661, 0.4, D.kstwo(y, x))
  local p, d = D.kstwo(torch.Tensor { 1, 1, 2 }, torch.Tensor { 1, 1, 2, 1, 1, 2 })      -- ties
  assert.same({ 1, 0 }, { p, d })
  p = D.ksone(torch.DoubleTensor(2000):normal(1, 2), function(v) return D.norm.cdf(v, 1, 2) end)
  assert.is_true(p > 0.01)
  p = D.ksone(torch.DoubleTensor(2000):normal(1.3, 2), function(v) return D.norm.cdf(v, 1, 2) end)
  assert.is_true(p < 1e-3)
end)

it('tests by numbers in bins', function()
  agree(0.8012519569012009, 1, D.chi2Uniform(x:float(), 0, 1, 4))
  agree(0.8012519569012009, 1, D.chi2Uniform(x * 2 + 3, 3, 5, 4))
  agree(0.8012519569012009, 1, D.chi2Gaussian(x, 0.5, 0.4, 4))
  local parameters = { 0.5, 0.4 }
  local function cdf(mu, sigma, v) return D.norm.cdf(v, mu, sigma) end
  agree(0.8012519569012009, 1, D.chi2TestCDF(x, cdf, parameters, 4))
  assert.same({ 0.5, 0.4 }, parameters)
  agree(0.8012519569012009, 1, D.chi2TestCDF(x, function(a, v) return v ^ a end, { 1 }, 4))      -- of numbers
  assert.same({ 0, math.huge }, { D.chi2Uniform(torch.Tensor { 0.5, 1.1 }) })
  assert.same({ 0, math.huge }, { D.chi2Uniform(torch.Tensor { 0.5, -0.1 }) })
  local p, chi2 = D.chi2Uniform(torch.linspace(0, 1, 1001))      -- 1 belongs to the last of 100 bins
  assert.is_true(p > 0.999 and chi2 < 1)
  assert.is_true(D.chi2Gaussian(torch.DoubleTensor(20000):normal(2, 3), 2, 3) > 1e-3)
  assert.is_true(D.chi2Gaussian(torch.DoubleTensor(20000):normal(2, 3), 2.2, 3) < 1e-3)
end)

it('other arguments are refused by name', function()
  local cases = {
    ['distributions.ksone: x: no elements'] = function() D.ksone(torch.Tensor(), uniform) end,
    ['distributions.ksone: x: NaN'] = function() D.ksone(torch.Tensor { 0 / 0 }, uniform) end,
    ['distributions.ksone: cdf: number, expected a function'] = function() D.ksone(x, 3) end,
    ['distributions.ksone: cdf: result: a string, expected a number'] = function() D.ksone(x, function() return 'x' end) end,
    ['distributions.kstwo: x2: .*expected a tensor'] = function() D.kstwo(x, 3) end,
    ['distributions.chi2Uniform: up: 0, expected a number above 1'] = function() D.chi2Uniform(x, 1, 0) end,
    ['distributions.chi2Uniform: nBins: 1, expected'] = function() D.chi2Uniform(x, 0, 1, 1) end,
    ['distributions.chi2TestCDF: parameters: nil, expected a table'] = function() D.chi2TestCDF(x, uniform) end,
    ['distributions.chi2Gaussian: sigma: 0, expected a number above 0'] = function() D.chi2Gaussian(x, 0, 0) end,
    ['distributions.chi2Gaussian: mu: nil, expected a number'] = function() D.chi2Gaussian(x) end,
  }
  for message, f in pairs(cases) do assert.error_matches(f, message) end
end)
