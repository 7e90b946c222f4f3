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

-- Figures of mpmath with 50 digits, by the recurrences.
it('polynomials beyond the range of numbers are infinite with their sign', function()
  local huge = math.huge
  for _, case in ipairs {
    { 'chebyshevPolynomialT', 2, 99999, huge }, { 'chebyshevPolynomialU', -2, 1e6, huge }, { 'chebyshevPolynomialV', -2, 99999, -huge },
    { 'chebyshevPolynomialW', 1e200, 3, huge }, { 'chebyshevPolynomialT', -huge, 7, -huge },
    { 'hermitePolynomialH', 1, 4000, huge }, { 'hermitePolynomialH', 1, 4002, -huge }, { 'hermitePolynomialH', -0.7, 4001, huge },
    { 'hermitePolynomialHe', 1, 4001, huge }, { 'hermitePolynomialHe', 1, 4003, -huge }, { 'hermitePolynomialHe', 1e300, 9, huge },
    { 'laguerrePolynomialL', 30000, 3000, huge }, { 'laguerrePolynomialL', 30000, 3001, -huge },
    { 'laguerrePolynomialL', huge, 5, -huge }, { 'laguerrePolynomialL', -huge, 5, huge },
    { 'legendrePolynomialP', -1.5, 4001, -huge }, { 'legendrePolynomialP', -1.5, 1e6, huge },
  } do
    local name, x, n, expected = unpack(case)
    assert.equal(expected, torch[name](torch.Tensor { x }, n)[1], ('%s(%g, %d)'):format(name, x, n))
  end
  for _, case in ipairs {
    { 'legendrePolynomialP', 1.25, 700, 1.2951396150693209555e209 }, { 'laguerrePolynomialL', -12, 9000, 1.1417207605371698491e281 },
  } do
    local name, x, n, expected = unpack(case)
    assert.near(1, torch[name](torch.DoubleTensor { x }, n)[1] / expected, 1e-12)
  end
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
