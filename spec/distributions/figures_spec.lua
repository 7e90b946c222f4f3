-- Log-probabilities, distribution functions, entropies, moments, gradients and divergences against PyTorch's and SciPy's figures.
local torch, D = require 'torch', require 'distributions'
local agree, figures = require 'spec.distributions.agree', require 'spec.distributions.figures'
local near = agree.near

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
        near(one.scipy.mean, d:mean(), 1e-10, 'mean')
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
