-- Transforms: inverses, Jacobian determinants against the tape's Jacobians, and transformed distributions against known ones.
local torch, D, autograd = require 'torch', require 'distributions', require 'autograd'
local constraints = D.constraints

local function near(a, b, tolerance) return torch.abs(a - b):max() <= (tolerance or 1e-10) end

-- Transform, and values of one event (a number's maps get several numbers).
local cases = {
  exp = { D.ExpTransform(), torch.Tensor { -2, 0.5, 3 } },
  power = { D.PowerTransform(-1.5), torch.Tensor { 0.2, 1, 3 } },
  sigmoid = { D.SigmoidTransform(), torch.Tensor { -2, 0.5, 3 } },
  tanh = { D.TanhTransform(), torch.Tensor { -2, 0.5, 3 } },
  softplus = { D.SoftplusTransform(), torch.Tensor { -2, 0.5, 3 } },
  affine = { D.AffineTransform(1, torch.Tensor { -2, 0.5, 3 }), torch.Tensor { -2, 0.5, 3 } },
  affineEvent = { D.AffineTransform(torch.Tensor { 1, 2, 3 }, -2, 1), torch.Tensor { -2, 0.5, 3 } },
  stick = { D.StickBreakingTransform(), torch.Tensor { -2, 0.5, 3 } },
  corr = { D.CorrCholeskyTransform(), torch.Tensor { -0.7, 0.5, 0.9, 0.1, -0.2, 0.3 } },
  reshape = { D.ReshapeTransform({ 4 }, { 2, 2 }), torch.Tensor { 1, 2, 3, 4 } },
  compose = { D.ComposeTransform { D.AffineTransform(0, 0.5), D.ExpTransform(), D.PowerTransform(2) }, torch.Tensor { -2, 0.5, 3 } },
  composeEvent = { D.ComposeTransform { D.AffineTransform(0, 0.5), D.StickBreakingTransform() }, torch.Tensor { -2, 0.5, 3 } },
  independent = { D.IndependentTransform(D.ExpTransform(), 1), torch.Tensor { -2, 0.5, 3 } },
  cdf = { D.CumulativeDistributionTransform(D.Normal(0, 1)), torch.Tensor { -2, 0.5, 1 } },
  cat = { D.CatTransform({ D.ExpTransform(), D.AffineTransform(0, 2) }, 1, { 1, 2 }), torch.Tensor { -2, 0.5, 3 } },
  stack = { D.StackTransform({ D.ExpTransform(), D.TanhTransform() }, 1), torch.Tensor { 0.5, 1 } },
  inverse = { D.ExpTransform():inv(), torch.Tensor { 0.5, 1 } },
}

-- log |det| of the square part of a Jacobian: of results with as many rows as values, those that determine the others.
local rows = {
  stick = { 1, 2, 3 }, composeEvent = { 1, 2, 3 }, corr = { 5, 9, 10, 13, 14, 15 },
}

for name, case in pairs(cases) do
  it(name .. ' has an inverse and the determinant', function()
    local t, x = case[1], case[2]
    local y = t:forward(x)
    assert.is_true(torch.all(t.codomain:check(y)))
    assert.is_true(near(t:inv():forward(y), x))
    assert.same(t:forwardShape(x:size():totable()), y:size():totable())
    assert.same(x:size():totable(), t:inverseShape(y:size():totable()))
    local jacobian = autograd.jacobian(function(v) return t:forward(v):contiguous():view(-1) end, x):view(y:nElement(), x:nElement())
    if rows[name] then jacobian = jacobian:index(1, torch.LongTensor(rows[name])) end
    local det = t:logAbsDetJacobian(x)
    local expected = math.log(math.abs(torch.det and torch.det(jacobian) or 0))
    assert.is_true(math.abs(det:sum() - expected) < 1e-9, ('%g, expected %g'):format(det:sum(), expected))
    assert.is_true(near(t:inv():logAbsDetJacobian(y), -det, 1e-9))
    local pair = torch.stack({ x, x }, 1)
    if name ~= 'cat' and name ~= 'stack' then
      assert.is_true(near(t:forward(pair):select(1, 2), y))
      assert.is_true(near(t:logAbsDetJacobian(pair):select(1, 2), det))
    end
  end)
end

it('maps of matrices and maps that are not bijective return values of their codomain', function()
  local x = torch.randn(2, 3, 3)
  for _, name in ipairs { 'LowerCholeskyTransform', 'PositiveDefiniteTransform' } do
    local t = D[name]()
    local y = t:forward(x)
    assert.is_true(torch.all(t.codomain:check(y)))
    assert.is_true(near(t:forward(t:inv():forward(y)), y))
  end
  local soft = D.SoftmaxTransform()
  assert.is_true(near(soft:forward(soft:inv():forward(soft:forward(x))), soft:forward(x)))
  assert.is_false(soft.bijective)
  assert.is_true(near(D.AbsTransform():forward(x), torch.abs(x)))
  assert.is_false((pcall(soft.logAbsDetJacobian, soft, x)))
end)

describe('TransformedDistribution', function()
  it('equals known distributions', function()
    local x = torch.Tensor { 0.3, 1, 4 }
    local pairsOf = {
      { D.TransformedDistribution(D.Normal(0.5, 0.8), { D.ExpTransform() }), D.LogNormal(0.5, 0.8) },
      { D.TransformedDistribution(D.Uniform(0, 1), { D.PowerTransform(-0.5) }), D.Pareto(1, 2), torch.Tensor { 1.5, 2, 7 } },
      { D.TransformedDistribution(D.Normal(0, 1), D.AffineTransform(1, -2)), D.Normal(1, 2) },
      { D.TransformedDistribution(D.Exponential(1), { D.PowerTransform(1 / 1.5), D.AffineTransform(0, 2) }), D.Weibull(2, 1.5) },
    }
    for _, pair in ipairs(pairsOf) do
      local d, known, values = pair[1], pair[2], pair[3] or x
      assert.is_true(near(d:logProb(values), known:logProb(values)))
      assert.is_true(near(d:cdf(values), known:cdf(values)))
      local p = torch.Tensor { 0.1, 0.8 }
      assert.is_true(near(d:icdf(p), known:icdf(p)))
      assert.same({ 5 }, d:sample(5):size():totable())
    end
  end)

  it('of vectors has the density by the determinant', function()
    local loc, scale = torch.Tensor { 0.5, -1 }, torch.Tensor { 1, 2 }
    local d = D.LogisticNormal(loc, scale)
    assert.same({ 3 }, d.eventShape)
    assert.same({}, d.batchShape)
    local y = torch.Tensor { 0.2, 0.3, 0.5 }
    local t = D.StickBreakingTransform()
    local x = t:inv():forward(y)
    local expected = D.Normal(loc, scale):logProb(x):sum() - t:logAbsDetJacobian(x)[1]
    assert.is_true(math.abs(d:logProb(y)[1] - expected) < 1e-12)
    local samples = d:sample(7)
    assert.same({ 7, 3 }, samples:size():totable())
    assert.is_true(torch.all(constraints.simplex:check(samples)))
    assert.same({ 4, 3 }, D.LogisticNormal(torch.zeros(4, 2), 1):sample():size():totable())
    assert.same({ 4 }, d:expand(4).batchShape)
  end)

  it('increases if two of its maps decrease', function()
    local d = D.TransformedDistribution(D.Normal(0, 1), { D.AffineTransform(0, -1), D.AffineTransform(1, -2) })
    local x = torch.Tensor { -1, 0.5, 4 }
    assert.is_true(near(d:cdf(x), D.Normal(1, 2):cdf(x)))
  end)

  it('has the sizes of maps from vectors to matrices', function()
    local d = D.TransformedDistribution(D.Normal(torch.zeros(2, 3), 1), { D.AffineTransform(0, 0.5), D.CorrCholeskyTransform() })
    assert.same({ 2 }, d.batchShape)
    assert.same({ 3, 3 }, d.eventShape)
    assert.same({ 4, 2 }, d:logProb(d:sample(4)):size():totable())
    assert.same({}, D.TransformedDistribution(D.Normal(torch.zeros(3), 1), D.CorrCholeskyTransform()).batchShape)
  end)

  it('has samples with gradients', function()
    local loc = torch.zeros(1):requiresGrad()
    torch.sum(D.TransformedDistribution(D.Normal(loc, 1), { D.ExpTransform() }):rsample(3)):backward()
    assert.is_true(loc.grad[1] > 0)
  end)
end)

it('ComposeTransform counts the dimensions of values and results', function()
  local function dims(parts)
    local t = D.ComposeTransform(parts)
    return { t.domain.eventDim, t.codomain.eventDim }
  end
  assert.same({ 1, 2 }, dims { D.AffineTransform(0, 2), D.CorrCholeskyTransform() })
  assert.same({ 1, 2 }, dims { D.ReshapeTransform({ 4 }, { 2, 2 }), D.ExpTransform() })
  assert.same({ 2, 1 }, dims { D.ReshapeTransform({ 2, 2 }, { 4 }), D.StickBreakingTransform() })
  assert.same({ 2, 2 }, dims { D.StickBreakingTransform(), D.AffineTransform(0, 1, 2) })
end)

it('CatTransform and StackTransform count dimensions from the end', function()
  local x = torch.Tensor { { 0.5, 1 }, { 2, 3 } }
  local parts = { D.ExpTransform(), D.TanhTransform() }
  local expected = torch.cat(torch.exp(x:narrow(2, 1, 1)), torch.tanh(x:narrow(2, 2, 1)), 2)
  assert.is_true(near(D.CatTransform(parts, -1):forward(x), expected))
  assert.is_true(near(D.StackTransform(parts, -1):forward(x), expected))
  assert.is_true(near(D.StackTransform(parts, -2):forward(x), torch.cat(torch.exp(x:narrow(1, 1, 1)), torch.tanh(x:narrow(1, 2, 1)), 1)))
end)

it('sets contain the bounds that they include', function()
  local function at(set) return { set:check(torch.Tensor { 1 })[1], set:check(torch.Tensor { 3 })[1] } end
  assert.same({ 0, 1 }, at(constraints.greaterThan(1)))
  assert.same({ 1, 1 }, at(constraints.greaterThanEq(1)))
  assert.same({ 1, 0 }, at(constraints.lessThan(3)))
  assert.same({ 1, 1 }, at(constraints.interval(1, 3)))
  assert.same({ 1, 0 }, at(constraints.halfOpenInterval(1, 3)))
  assert.same({ 1, 1 }, at(constraints.integerInterval(1, 3)))
end)

it('bijectTo and transformTo reach the constraint', function()
  local x = torch.randn(3, 3)
  for _, set in ipairs {
    constraints.real, constraints.positive, constraints.nonnegative, constraints.unitInterval, constraints.greaterThan(2),
    constraints.lessThan(-1), constraints.interval(-1, 3), constraints.simplex, constraints.lowerCholesky, constraints.positiveDefinite,
    constraints.corrCholesky, constraints.independent(constraints.positive, 1), constraints.realVector,
  } do
    for _, to in ipairs { D.bijectTo, D.transformTo } do
      local t = to(set)
      local y = t:forward(x)
      assert.is_true(torch.all(set:check(y)), set.text)
      if t.bijective then assert.is_true(near(t:inv():forward(y), set == constraints.lowerCholesky and torch.tril(x)
        or set == constraints.positiveDefinite and torch.tril(x) or x, 1e-8), set.text) end
    end
  end
  assert.is_truthy(select(2, pcall(D.bijectTo, 3)):find('bijectTo: constraint: a number, expected a constraint', 1, true))
  assert.is_truthy(select(2, pcall(D.bijectTo, constraints.boolean)):find('expected a constraint with a transform', 1, true))
end)

it('bad arguments of transforms raise errors', function()
  local function raises(message, f, ...)
    local done, said = pcall(f, ...)
    assert.is_false(done)
    assert.is_truthy(said:find(message, 1, true), said)
  end
  raises('distributions.PowerTransform: exponent: 0', D.PowerTransform, 0)
  raises('distributions.AffineTransform: scale: 0', D.AffineTransform, 1, 0)
  raises('distributions.ComposeTransform: parts: number 1: a number', D.ComposeTransform, { 1 })
  raises('distributions.CorrCholeskyTransform: x: 2 numbers', function() D.CorrCholeskyTransform():forward(torch.zeros(2)) end)
  raises('distributions.ReshapeTransform: outShape: [3]', D.ReshapeTransform, { 2 }, { 3 })
  raises('distributions.CatTransform: x: size [3], expected 2 in dimension 1',
    function() D.CatTransform({ D.ExpTransform(), D.ExpTransform() }):forward(torch.zeros(3)) end)
  raises('distributions.ExpTransform:forward: x: a number', function() D.ExpTransform():forward(1) end)
  raises('distributions.TransformedDistribution: base: a number', D.TransformedDistribution, 1, {})
  raises('distributions.TransformedDistribution: base: size []', D.TransformedDistribution, D.Normal(0, 1), { D.StickBreakingTransform() })
  raises('distributions.Transform: a base class', D.Transform)
end)
