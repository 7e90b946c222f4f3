-- unsup: clusters, components, codes and auto-encoders, against closed forms, conditions of optimality and differences.
local torch, nn = require 'torch', require 'nn'
local unsup = require 'unsup'
local sweep = require 'spec.support.nn_sweep'
local assertClose = require('spec.support.close').within(1e-10)

local function eye(n) return torch.eye(n) end

describe('unsup.kmeans', function()
  it('finds centroids that are the means of the rows nearest to them', function()
    local x = torch.randn(300, 2)
    x:narrow(1, 1, 150):add(4)
    local centroids, counts = unsup.kmeans(x, 4, 100, 37)
    assert.same({ 4, 2 }, centroids:size():totable())
    assert.equal(30000, counts:sum())
    local sums, mine = torch.zeros(4, 2), { 0, 0, 0, 0 }
    for i = 1, 300 do
      local nearest, least
      for c = 1, 4 do
        local distance = (x[i] - centroids[c]):norm()
        if not least or distance < least then nearest, least = c, distance end
      end
      sums[nearest]:add(x[i])
      mine[nearest] = mine[nearest] + 1
    end
    for c = 1, 4 do
      if mine[c] > 0 then assertClose(sums[c] / mine[c], centroids[c], 1e-9) end
    end
  end)

  it('keeps empty clusters, the type, and the sizes of samples', function()
    local x = torch.FloatTensor(50, 2, 3):fill(1)
    local centroids, counts = unsup.kmeans(x, 5, 2)
    assert.equal('torch.FloatTensor', torch.type(centroids))
    assert.same({ 5, 2, 3 }, centroids:size():totable())
    assert.equal(100, counts:sum())
    local moved = 0
    for i = 1, 5 do
      assert.is_true(counts[i] == 0 and math.abs(centroids[i]:norm() - 1) < 1e-6 or counts[i] > 0 and (centroids[i] - 1):abs():max() < 1e-6)
      if counts[i] > 0 then moved = moved + 1 end
    end
    assert.equal(1, moved)
  end)

  it('asks after each iteration whether to go on', function()
    local asked = {}
    local _, counts = unsup.kmeans(torch.randn(20, 2), 2, 10, nil, function(i, centroids, n)
      asked[#asked + 1] = i
      assert.equal(2, centroids:size(1))
      assert.equal(20 * i, n:sum())
      return i == 3
    end)
    assert.same({ 0, 1, 2, 3 }, asked)
    assert.equal(60, counts:sum())
  end)

  it('refuses invalid arguments', function()
    assert.error_matches(function() unsup.kmeans(torch.ones(2, 2)) end, 'missing argument: centroids,count = unsup.kmeans')
    assert.error_matches(function() unsup.kmeans(torch.ones(2), 2) end, 'unsup.kmeans: x: torch.DoubleTensor with 1 dimensions')
    assert.error_matches(function() unsup.kmeans(torch.IntTensor(2, 2), 2) end, 'unsup.kmeans: x: torch.IntTensor')
    assert.error_matches(function() unsup.kmeans(torch.ones(2, 2), 0) end, 'unsup.kmeans: k: 0, expected a whole number, 1 or more')
  end)
end)

describe('principal components', function()
  local x, covariance

  before_each(function()
    x = torch.randn(60, 4) * torch.randn(4, 4) + 2
    covariance = torch.zeros(4, 4)
    for i = 1, 4 do
      for j = 1, 4 do
        local a, b, sum = x:select(2, i), x:select(2, j), 0
        for s = 1, 60 do sum = sum + (a[s] - a:mean()) * (b[s] - b:mean()) end
        covariance[i][j] = sum / 59
      end
    end
  end)

  it('are those of the covariance, by its eigenvalues, in increasing order', function()
    local values, vectors = unsup.pcacov(x)
    assertClose(eye(4), vectors:t() * vectors)
    assertClose(torch.diag(values), vectors:t() * covariance * vectors)
    assertClose(torch.sort(values), values)
  end)

  it('are those of the data, by its singular values, in decreasing order', function()
    local values, vectors = unsup.pca(x)
    assertClose(torch.diag(values), vectors:t() * covariance * vectors)
    assertClose(torch.sort(values, 1, true), values)
    local few, fewVectors = unsup.pca(torch.randn(3, 5))
    assert.same({ 3, 5, 3 }, { few:size(1), fewVectors:size(1), fewVectors:size(2) })
  end)

  it('whiten, and colour again', function()
    local before, values = x:clone(), unsup.pcacov(x)
    local whitened = {      -- covariances of the results: the 1e-5 that is added to variances leaves them below 1
      zca = covariance * (covariance + eye(4) * 1e-5):inverse(),
      pca = torch.diag(torch.cdiv(values, values + 1e-5)),
    }
    for _, way in ipairs { 'zca', 'pca' } do
      local white, means, P, invP = unsup[way .. '_whiten'](x)
      assertClose(before, x, 0)
      assertClose(before:mean(1):view(-1), means)
      assertClose(whitened[way], white:t() * white / 59, 1e-9)
      assertClose(eye(4), P * invP)
      assertClose(x, (unsup[way .. '_colour'](white, means, P, invP)))
      assertClose(white:narrow(1, 1, 5), (unsup[way .. '_whiten'](x:narrow(1, 1, 5), means, P, invP)))
      assertClose(white, unsup[way .. '_layer'](x, means, P, invP):forward(x))
      assertClose(x, unsup['inv_' .. way .. '_layer'](x):forward(white), 1e-9)
      if way == 'zca' then assertClose(P, P:t()) end
    end
    local P = select(3, unsup.zca_whiten(x, nil, nil, nil, 0.5))
    assertClose((covariance + eye(4) * 0.5):inverse(), P * P)
  end)

  it('take data of more dimensions', function()
    local deep = torch.randn(30, 2, 3)
    local white = unsup.zca_whiten(deep)
    assert.same({ 30, 2, 3 }, white:size():totable())
    assertClose(unsup.zca_whiten(deep:view(30, 6)), white:view(30, 6))
    assertClose(white, unsup.zca_layer(deep):forward(deep))
  end)

  it('need samples', function()
    assert.error_matches(function() unsup.pca(torch.ones(3)) end,
      'unsup.pca: data: torch.DoubleTensor of sizes 3, expected at least 2 samples')
    assert.error_matches(function() unsup.zca_whiten(torch.ones(1, 3)) end, 'unsup.zca_whiten: data: .* of sizes 1x3')
  end)
end)

describe('shrinkage', function()
  it('moves elements to zero, in place', function()
    local x = torch.FloatTensor { -3, -0.5, 0, 0.5, 3 }
    assert.equal(x, x:shrinkage(1))
    assert.same({ -2, 0, 0, 0, 2 }, x:totable())
    assert.error_matches(function() x:shrinkage(-1) end, 'Lambda should be non%-negative')
    assert.error_matches(function() torch.IntTensor(2):shrinkage(1) end, 'shrinkage: x: torch.IntTensor, expected floats')
  end)
end)

describe('nn.Diag', function()
  it('passes the sweep of modules', function() sweep.class(nn.Diag) end)

  it('multiplies slices', function()
    local diag = nn.Diag(2)
    diag.weight:copy(torch.Tensor { 2, 3 })
    assertClose(torch.Tensor { { 2, 4 }, { 9, 12 } }, diag:forward(torch.Tensor { { 1, 2 }, { 3, 4 } }), 0)
    assert.error_matches(function() diag:forward(torch.ones(3)) end, 'nn.Diag: input: sizes %[3%], expected 2 along the first dimension')
  end)
end)

-- The gradient of a module's cost by its parameters, by differences.
local function differences(module, cost)
  local x, gradients = module:getParameters()
  local expected = gradients:clone()
  for i = 1, x:size(1) do
    local at = x[i]
    x[i] = at + 1e-5
    local above = cost()
    x[i] = at - 1e-5
    expected[i] = (above - cost()) / 2e-5
    x[i] = at
  end
  return expected, gradients
end

describe('sparse coding', function()
  -- At the least of |Dz - x|^2 + lambda |z| the smooth part's slope is -lambda sign(z), or within lambda of 0 where z is 0.
  local function optimal(code, slopes, lambda)
    for i = 1, code:nElement() do
      if code[i] == 0 then
        assert.is_true(math.abs(slopes[i]) <= lambda * 1.01)
      else
        assert.is_true(math.abs(slopes[i] + lambda * (code[i] > 0 and 1 or -1)) < 1e-2)
      end
    end
  end

  it('finds the code of least cost', function()
    local module = unsup.LinearFistaL1(5, 8, 0.5, { maxiter = 3000, errthres = 0 })
    local x = torch.randn(5) * 3
    local cost, history = module:updateOutput(x)
    local z, D = module.code, module.D.weight
    local error = D * z - x
    assert.is_true(math.abs(cost - (error:dot(error) + 0.5 * z:norm(1))) < 1e-6)
    optimal(z, D:t() * error * 2, 0.5)
    assertClose(D * z, module.D.output)
    assert.is_true(z:eq(0):sum() > 0 and z:ne(0):sum() > 0)
    assert.is_true(#history > 1)
    assert.is_nil(module:updateGradInput(x))
    module:zeroGradParameters()
    module:accGradParameters(x)
    assertClose(torch.ger(error * 2, z), module.D.gradWeight)
    assert.equal(0, module.D.gradBias:norm())
    module:normalize()
    assertClose(torch.ones(1, 8), module.D.weight:norm(2, 1), 1e-9)
  end)

  it('takes any linear module', function()
    local D, criterion = nn.Linear(6, 4), nn.MSECriterion()
    criterion.sizeAverage = false
    D.bias:zero()
    local module, x = unsup.FistaL1(D, criterion, 0.3, { maxiter = 3000, errthres = 0 }), torch.randn(4) * 3
    assert.error_matches(function() module:updateOutput(x) end, 'unsup.FistaL1: code: none')
    module:updateOutput(x, torch.zeros(6))
    local error = D.weight * module.code - x
    optimal(module.code, D.weight:t() * error, 0.3)          -- the criterion is halved
    module:zeroGradParameters()
    module:accGradParameters(x, nil, 2)
    assertClose(torch.ger(error * 2, module.code), D.gradWeight)
  end)

  it('of images goes by convolutions', function()
    local module = unsup.SpatialConvFistaL1(nn.tables.full(2, 1), 3, 2, 6, 5, 0.1)
    assert.same({ 2, 4, 4 }, module.code:size():totable())
    -- A pixel's weight: in how many positions a kernel of 3 x 2 covers it, over the most, 6.
    assertClose(torch.ger(torch.Tensor { 1, 2, 2, 2, 1 }, torch.Tensor { 1, 2, 3, 3, 2, 1 }) / 6, module.Fcost.weight[1])
    local x = torch.randn(1, 5, 6)
    local first = module:updateOutput(x)
    for _ = 1, 20 do
      module:zeroGradParameters()
      module:updateOutput(x)
      module:accGradParameters(x)
      module:updateParameters(0.02)
      module:normalize()
    end
    assert.is_true(module:updateOutput(x) < first)
    for i = 1, 2 do assert.is_true(math.abs(module.D.weight[i]:norm() - 1) < 1e-9) end
  end)

  it('refuses bad settings', function()
    assert.error_matches(function() unsup.LinearFistaL1(3, 4, -1) end, 'lambda: %-1, expected a number, 0 or more')
    assert.error_matches(function() unsup.LinearFistaL1(3, 4, 1, 5) end, 'params: 5, expected a table')
    assert.error_matches(function() unsup.LinearPSD(3, 4, 1, 1, { encoderType = 'x' }) end, 'params.encoderType unknown: x')
    assert.error_matches(function() unsup.UnsupModule():normalize() end, 'Every unsupervised module has to implement normalize')
  end)
end)

describe('predictive sparse decomposition', function()
  for _, kind in ipairs { 'linear', 'tanh', 'tanh_shrink' } do
    it('has gradients, with an encoder of the kind ' .. kind, function()
      local module, x = unsup.LinearPSD(4, 6, 0.2, 0.7, { encoderType = kind }), torch.randn(4)
      module:updateOutput(x)
      local code = module.decoder.code:clone()
      local function cost()          -- with the code as it is
        local reconstruction, prediction = module.decoder.D:updateOutput(code) - x, module.encoder:updateOutput(x) - code
        return reconstruction:dot(reconstruction) + 0.7 * prediction:dot(prediction)
      end
      local expected, gradients = differences(module, cost)
      expected:narrow(1, expected:size(1) - 3, 4):zero()          -- the decoder's bias stays
      cost()
      gradients:zero()
      assert.is_nil(module:updateGradInput(x))
      module:accGradParameters(x)
      assertClose(expected, gradients, 1e-6)
    end)
  end

  it('learns', function()
    local module = unsup.ConvPSD(nn.tables.full(1, 3), 3, 3, 7, 7, 0.1, 1, { encoderType = 'tanh' })
    local x = torch.randn(1, 7, 7)
    local first = module:updateOutput(x)
    for _ = 1, 30 do
      module:zeroGradParameters()
      module:updateOutput(x)
      module:accGradParameters(x)
      module:updateParameters { 0.01, 0.02 }
      module:normalize()
    end
    assert.is_true(module:updateOutput(x) < first)
  end)

  it('is saved, copied and converted', function()
    local module, x = unsup.LinearPSD(3, 5, 0.2, 0.7), torch.randn(3)
    local float = module:clone():float()
    local cost = module:updateOutput(x)
    local copy = torch.deserialize(torch.serialize(module))
    copy.decoder.params.L = module.decoder.params.L
    assert.is_true(math.abs(copy:updateOutput(x) - module:updateOutput(x)) < 1e-9)
    assert.is_true(math.abs(float:updateOutput(x:float()) - cost) < 1e-2)
    assert.equal('torch.FloatTensor', torch.type(float.decoder.D.weight))
  end)
end)

describe('auto-encoders', function()
  for name, make in pairs {
    AutoEncoder = function() return unsup.AutoEncoder(nn.Linear(4, 3), nn.Linear(3, 4), 0.5) end,
    ['AutoEncoder with a cost of the code'] = function()
      return unsup.AutoEncoder(nn.Linear(4, 3), nn.Linear(3, 4), 0.5, nn.SmoothL1Criterion(), 0.2, nn.L1Cost())
    end,
    SparseAutoEncoder = function() return unsup.SparseAutoEncoder(nn.Linear(4, 3), nn.Linear(3, 4), 0.5, 0.3) end,
  } do
    it('have gradients: ' .. name, function()
      local module, x, target = make(), torch.randn(4), torch.randn(4)
      local expected, gradients = differences(module, function() return module:updateOutput(x, target) end)
      module:updateOutput(x, target)
      gradients:zero()
      local ofInput = module:updateGradInput(x, target):clone()
      module:accGradParameters(x, target)
      assertClose(expected, gradients, 1e-6)
      for i = 1, 4 do
        local moved = x:clone()
        moved[i] = x[i] + 1e-5
        local above = module:updateOutput(moved, target)
        moved[i] = x[i] - 1e-5
        assert.is_true(math.abs((above - module:updateOutput(moved, target)) / 2e-5 - ofInput[i]) < 1e-6)
      end
    end)
  end

  it('normalise where they are told to', function()
    local module = unsup.AutoEncoder(nn.Linear(4, 3), nn.Linear(3, 4), 1)
    local before = module.decoder.weight:clone()
    module:normalize()
    assertClose(before, module.decoder.weight, 0)
    module.normalized = true
    module:normalize()
    assertClose(torch.ones(1, 3), module.decoder.weight:norm(2, 1), 1e-9)
    assert.error_matches(function() unsup.AutoEncoder(nn.Linear(2, 2), nn.Linear(2, 2), 1, nil, 0.5) end,
      'lambda and codeloss come together')
  end)

  it('have diagonal second derivatives, exact where all is linear', function()
    nn.hessian.enable()
    local module, x = unsup.AutoEncoder(nn.Linear(3, 2), nn.Sequential():add(nn.Diag(2)):add(nn.Linear(2, 3)), 0.5), torch.randn(3)
    module:updateOutput(x)
    module:initDiagHessianParameters()
    module:updateDiagHessianInput(x)
    module:accDiagHessianParameters(x)
    local linear = module.decoder:get(2)
    local squares = torch.cmul(module.encoder.output, module.encoder.output)      -- Diag's weights are ones
    assertClose(squares:view(1, 2):expand(3, 2), linear.diagHessianWeight)
    assertClose(torch.cmul(squares, torch.cmul(linear.weight, linear.weight):sum(1):view(-1)), module.decoder:get(1).diagHessianWeight)
    assert.equal(#module:parameters(), #select(3, module:parameters()))
  end)
end)

describe('unsup.UnsupTrainer', function()
  local function data(n)
    local x = torch.randn(n, 2) * torch.randn(2, 4)
    return setmetatable({ size = function() return n end }, { __index = function(_, i) return { x[i], x[i] } end })
  end

  local function lines(run)
    local shown, plain = {}, print
    rawset(_G, 'print', function(text) shown[#shown + 1] = text end)
    local good, message = pcall(run)
    rawset(_G, 'print', plain)
    if not good then error(message, 0) end
    return shown
  end

  for _, hessian in ipairs { false, true } do
    it('lowers the cost' .. (hessian and ', by second derivatives' or ''), function()
      local module = unsup.AutoEncoder(nn.Linear(4, 2), nn.Linear(2, 4), 1)
      local trainer = unsup.UnsupTrainer(module, data(50))
      local samples, epochs = 0, {}
      function trainer.hookSample(self, age, example, results)
        samples = samples + 1
        assert.same({ trainer, samples, 2, 'number' }, { self, age, #example, type(results[1]) })
      end
      function trainer.hookEpoch(_, n) epochs[#epochs + 1] = n end
      local shown = lines(function()
        trainer:train { eta = 0.02, etadecay = 0.1, maxiter = 600, statinterval = 100, hessian = hessian, hessiansamples = 20 }
      end)
      assert.same({ 600, 6, 6 }, { samples, #epochs, #shown })
      local first, last = tonumber(shown[1]:match 'current error= (%S+)'), tonumber(shown[6]:match 'current error= (%S+)')
      assert.is_true(last < first / 10, first .. ' became ' .. last)
      assert.matches('^# iter=100 eta=0.02 current error= ', shown[1])
      assert.matches('eta=' .. ('%g'):format(0.02 / (1 + 5 * 0.1)), shown[6], 1, true)
    end)
  end

  it('stops where numbers go wrong', function()
    local trainer = unsup.UnsupTrainer(unsup.AutoEncoder(nn.Linear(4, 2), nn.Linear(2, 4), 1), data(5))
    assert.error_matches(function() trainer:train { eta = 1e200, maxiter = 10 } end, '^oops nan')
    assert.error_matches(function() trainer:train { eta = 1, maxiter = 1, x = 1 } end, 'options: x')
    assert.error_matches(function() trainer:train { maxiter = 1 } end, 'unsup.UnsupTrainer:train: eta: nil, expected a number')
  end)
end)
