-- Special functions of small and large arguments against figures with more digits, and the names of torch.special.
local torch = require 'torch'
local agree = require('spec.support.rows_of_figures').agree

it('special functions of doubles have 15 digits', function()
  agree('DoubleTensor', require 'spec.torch.special_figures', { 1e-15 })
end)

it('at the ends they have their limits', function()
  local inf, x = math.huge, torch.DoubleTensor { 0, math.huge, -math.huge }
  assert.same({ 1, 0, 0 }, torch.besselJ0(x):totable())
  assert.same({ 0, 0, 0 }, torch.besselJ1(x):totable())
  assert.same({ 1, inf, inf }, torch.i0(x):totable())
  assert.same({ 0, inf, -inf }, torch.i1(x):totable())
  assert.same({ 1, 0, 0 }, torch.i0e(x):totable())
  assert.same({ 1, 0, inf }, torch.erfcx(x):totable())
  assert.same({ 1, 0, 0 }, torch.sphericalBesselJ0(x):totable())
  for _, name in ipairs { 'besselY0', 'besselY1', 'modifiedBesselK0', 'modifiedBesselK1', 'scaledModifiedBesselK0' } do
    local y = torch[name](x):totable()
    assert.equal(name:find 'Y' and -inf or inf, y[1])
    assert.equal(0, y[2])
    assert.is_true(y[3] ~= y[3], name)
  end
  for _, name in ipairs { 'besselJ0', 'besselJ1', 'i0', 'i1', 'i0e', 'erfcx', 'logNdtr', 'ndtri', 'besselY0', 'sphericalBesselJ0' } do
    assert.equal(1, torch.isnan(torch[name](torch.DoubleTensor { 0 / 0 }))[1], name)
  end
  assert.equal(1, torch.isnan(torch.zeta(torch.DoubleTensor { 0 / 0 }, 2))[1])
end)

it('gradients at 0 are those of the series', function()
  for name, slope in pairs { besselJ1 = 0.5, i1 = 0.5, i1e = 0.5, sphericalBesselJ0 = 0, besselJ0 = 0, i0 = 0 } do
    local x = torch.zeros(1):requiresGrad()
    torch.sum(torch[name](x)):backward()
    assert.equal(slope, x.grad[1], name)
  end
end)

it('polynomials of any degree end, and have the values at 1', function()
  local one = torch.ones(1)
  assert.equal(1, torch.chebyshevPolynomialT(one, 1e6)[1])
  assert.equal(1, torch.legendrePolynomialP(one, 1000)[1])
  for _, degree in ipairs { 1e7, 1e300, math.huge, 0 / 0 } do
    assert.equal(1, torch.isnan(torch.chebyshevPolynomialT(one, degree))[1])
  end
  assert.equal(0, torch.chebyshevPolynomialT(one, -math.huge)[1])
end)

it('torch.special has them by two names', function()
  local names = { i0 = 'i0', besselJ0 = 'bessel_j0', sigmoid = 'expit', mvlgamma = 'multigammaln', logNdtr = 'log_ndtr' }
  for here, there in pairs(names) do
    assert.equal(torch[here], torch.special[there])
  end
  assert.equal(torch.special.log_ndtr, torch.special.logNdtr)
  assert.is_nil(torch.special.add)
  assert.is_nil(torch.special[1])
end)
