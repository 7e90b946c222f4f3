-- Torch7's functions of Wishart and normal-Wishart distributions: SciPy's figures, samples, divergences by samples, errors.
local torch, D = require 'torch', require 'distributions'
local near = require('spec.distributions.agree').near

local function close(wanted, got) near(wanted, torch.DoubleTensor { got }, 1e-12, 'value') end

local scale, x = torch.Tensor { { 2, 0.5 }, { 0.5, 1 } }, torch.FloatTensor { { 3, 1 }, { 1, 2.5 } }
local loc, mean = torch.Tensor { 0.5, -1 }, torch.Tensor { 1, 2 }
local other = torch.Tensor { { 1, -0.2 }, { -0.2, 0.7 } }

describe('Wishart distributions', function()
  it('have density, entropy and samples', function()
    close(-5.5872817394948724, D.wishart.logpdf(x, 4.5, scale))
    close(math.exp(-5.5872817394948724), D.wishart.pdf(x, 4.5, scale))
    close(7.4166865702516347, D.wishart.entropy(4.5, scale))
    local sum, n = torch.zeros(2, 2), 1500
    for _ = 1, n do sum:add(D.wishart.rnd(4.5, 2, scale)) end
    near((scale * 4.5):totable(), sum / n, 0.5, 'mean')
    assert.same({ 3, 3 }, D.wishart.rnd(4, 3):size():totable())
    assert.same({ 1, 1 }, D.wishart.rnd(0.5, 1):size():totable())
  end)

  it('of one dimension are gamma distributions', function()
    local one, two = torch.Tensor { { 2 } }, torch.Tensor { { 0.7 } }
    close(D.gamma.entropy { shape = 2.25, scale = 4 }, D.wishart.entropy(4.5, one))
    close(D.gamma.kl({ shape = 2.25, scale = 4 }, { shape = 1.5, scale = 1.4 }),
      D.wishart.kl({ ndof = 4.5, scale = one }, { ndof = 3, scale = two }))
  end)

  it('have a divergence', function()
    local q, p = { ndof = 4.5, scale = scale }, { ndof = 6, scale = other }
    local sum, n = 0, 1500
    for _ = 1, n do
      local s = D.wishart.rnd(4.5, 2, scale)
      sum = sum + D.wishart.logpdf(s, 4.5, scale) - D.wishart.logpdf(s, 6, other)
    end
    near(D.wishart.kl(q, p), torch.Tensor { sum / n }, 0.2, 'divergence')
    near(0, torch.Tensor { D.wishart.kl(q, q) }, 1e-12, 'itself')
    close(D.wishart.kl(q, p), D.wishart.kl(q, { ndof = 6, inverseScale = torch.inverse(other) }))
  end)
end)

describe('normal-Wishart distributions', function()
  it('have density, entropy and samples', function()
    close(-25.771292609345259, D.nw.logpdf(mean, x, loc, 1.5, scale, 4.5))
    close(math.exp(-25.771292609345259), D.nw.pdf(mean, x, loc, 1.5, scale, 4.5))
    close(8.4661339939398612, D.nw.entropy(loc, 1.5, scale, 4.5))
    local n, first, entropy, form = 1500, torch.zeros(2), 0, 0
    for _ = 1, n do
      local m, precision = D.nw.rnd(loc, 1.5, scale, 4.5)
      first:add(m)
      form = form + 1.5 * torch.dot(m - loc, precision * (m - loc))      -- chi-square with 2 degrees of freedom
      entropy = entropy - D.nw.logpdf(m, precision, loc, 1.5, scale, 4.5)
    end
    near(2, torch.Tensor { form / n }, 0.1, 'distance')
    near(loc:totable(), first / n, 0.05, 'mean')
    near(8.4661339939398612, torch.Tensor { entropy / n }, 0.2, 'entropy')
  end)

  it('have a divergence', function()
    local q = { loc = loc, beta = 1.5, scale = scale, ndof = 4.5 }
    local p = { loc = torch.Tensor { 0.3, -0.8 }, beta = 0.8, scale = other, ndof = 6 }
    local sum, n = 0, 1500
    for _ = 1, n do
      local m, precision = D.nw.rnd(q.loc, q.beta, q.scale, q.ndof)
      sum = sum + D.nw.logpdf(m, precision, q.loc, q.beta, q.scale, q.ndof) - D.nw.logpdf(m, precision, p.loc, p.beta, p.scale, p.ndof)
    end
    near(D.nw.kl(q, p), torch.Tensor { sum / n }, 0.25, 'divergence')
    near(0, torch.Tensor { D.nw.kl(q, q) }, 1e-12, 'itself')
    p.scale, p.inverseScale = nil, torch.inverse(other)
    near(D.nw.kl(q, p), torch.Tensor { sum / n }, 0.25, 'divergence')
    -- Of one dimension with nearly equal precisions: a divergence of normal distributions.
    local one = torch.Tensor { { 1e-9 } }
    local a = { loc = torch.Tensor { 1 }, beta = 2, scale = one, ndof = 1e9 }
    local b = { loc = torch.Tensor { 3 }, beta = 0.5, scale = one, ndof = 1e9 }
    near(D.mvn.kl({ mu = a.loc, sigma = torch.Tensor { { 0.5 } } }, { mu = b.loc, sigma = torch.Tensor { { 2 } } }),
      torch.Tensor { D.nw.kl(a, b) }, 1e-12, 'normal')
  end)
end)

it('other arguments are refused by name', function()
  local cases = {
    ['distributions.wishart.rnd: ndof: 1, expected a number above 1'] = function() D.wishart.rnd(1, 2) end,
    ['distributions.wishart.rnd: ndim: 0, expected'] = function() D.wishart.rnd(3, 0) end,
    ['distributions.wishart.rnd: scale: 2 rows, expected 3'] = function() D.wishart.rnd(5, 3, scale) end,
    ['distributions.wishart.entropy: scale: %[2, 3%], expected a square matrix'] = function() D.wishart.entropy(5, torch.ones(2, 3)) end,
    ['distributions.wishart.logpdf: scale: not positive definite'] = function() D.wishart.logpdf(x, 5, torch.ones(2, 2)) end,
    ['distributions.wishart.logpdf: X: not positive definite'] = function() D.wishart.logpdf(torch.ones(2, 2), 5, scale) end,
    ['distributions.wishart.pdf: X: 3 rows, expected 2'] = function() D.wishart.pdf(torch.eye(3), 5, scale) end,
    ['distributions.wishart.kl: p: 3 rows, expected 2'] = function()
      D.wishart.kl({ ndof = 5, scale = scale }, { ndof = 5, scale = torch.eye(3) })
    end,
    ['distributions.wishart.kl: q: 3, expected a table'] = function() D.wishart.kl(3) end,
    ['distributions.nw.rnd: loc: 3 elements, expected 2'] = function() D.nw.rnd(torch.ones(3), 1, scale, 5) end,
    ['distributions.nw.rnd: beta: 0, expected a number above 0'] = function() D.nw.rnd(loc, 0, scale, 5) end,
    ['distributions.nw.logpdf: mean: 1 elements, expected 2'] = function() D.nw.logpdf(torch.ones(1), x, loc, 1, scale, 5) end,
    ['distributions.nw.logpdf: precision: not positive definite'] = function() D.nw.logpdf(mean, torch.ones(2, 2), loc, 1, scale, 5) end,
    ['distributions.nw.kl: beta: nil, expected'] = function() D.nw.kl({ loc = loc, scale = scale, ndof = 4 }, {}) end,
  }
  for message, f in pairs(cases) do assert.error_matches(f, message) end
end)
