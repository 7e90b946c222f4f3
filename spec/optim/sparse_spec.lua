-- Gradients of rows: those of embeddings with `sparse = true`, and the optimisers that accept them.
local torch, nn, optim, autograd = require 'torch', require 'nn', require 'optim', require 'autograd'
local figures = require 'spec.optim.sparse_figures'
local close = require 'spec.support.close'
local assertClose, relative = close.assertClose, close.relative

local count, size = 7, 3
local function long(list) return torch.LongTensor(list) end

-- The positions of sparse_figures.py, from 1.
local function positions(t, k)
  return { (3 * t + k) % count + 1, (t * t) % count + 1, (3 * t + k) % count + 1, (5 * k + math.floor(t / 2)) % count + 1 }
end

local function table7(options, isDense)
  local given = { sparse = not isDense }
  for name, value in pairs(options or {}) do given[name] = value end
  local net = nn.Embedding(count, size, given):double()
  for i = 0, count - 1 do
    for j = 0, size - 1 do net.weight[i + 1][j + 1] = math.sin(7 * i + 3 * j + 1) end
  end
  return net:requiresGrad()
end

local function pass(net, t, k)
  local rows = net(long(positions(t, k)))
  local slope = torch.DoubleTensor(4, size)
  for p = 0, 3 do
    for j = 0, size - 1 do slope[p + 1][j + 1] = math.cos(t * (4 * p + j + 1) + k) end
  end
  torch.sum(torch.add(torch.mul(torch.cmul(rows, rows), 0.5), torch.mul(torch.cmul(rows, slope), 0.5))):backward()
end

local function copy(t)
  local c = {}
  for k, v in pairs(t) do c[k] = v end
  return c
end

describe('fifty steps on rows are those of PyTorch with', function()
  for i, case in ipairs(figures) do
    local name, options, its, passes, expected = unpack(case)
    it(('optim.%s, case %d'):format(name, i), function()
      local net = table7(its)
      local steps = optim[name](net:parameters(), copy(options))
      for t = 1, 50 do
        steps:zeroGrad()
        for k = 0, passes - 1 do pass(net, t, k) end
        assert.equal('torch.RowGradient', torch.typename(net.weight.grad))
        steps:step()
      end
      assertClose(expected, net.weight:detach():view(-1):totable(), relative(1e-12))
    end)
  end
end)

describe('the gradient of rows', function()
  it('is the dense one: of an embedding, a lookup table and the function', function()
    local input = long { { 2, 5 }, { 2, 7 } }
    for _, options in ipairs { {}, { padding = 2 }, { scaleGradByFreq = true }, { padding = 5, scaleGradByFreq = true } } do
      local dense, sparse = table7(options, true), table7(options)
      for _, net in ipairs { dense, sparse } do torch.sum(torch.pow(net(input), 2)):backward() end
      assertClose(dense.weight.grad, sparse.weight.grad:toDense(), 1e-14)
      assert.is_true(torch.typename(dense.weight.grad) ~= 'torch.RowGradient')
    end
    local plain, rows = nn.LookupTable(7, 3, 2), nn.LookupTable(7, 3, { paddingValue = 2, sparse = true })
    rows.weight:copy(plain.weight)
    for _, net in ipairs { plain, rows } do torch.sum(torch.pow(net:requiresGrad()(input), 2)):backward() end
    assertClose(plain.weight.grad, rows.weight.grad:toDense(), 1e-14)
    local weight = torch.randn(7, 3):requiresGrad()
    torch.sum(torch.pow(nn.functional.embedding(input, weight, { sparse = true }), 2)):backward()
    assert.same({ 2, 5, 7 }, weight.grad:coalesce():rows():totable())
    assertClose(torch.mul(weight:detach()[2], 4), weight.grad:values()[1], 1e-14)
  end)

  it('has the rows that were used, sums those that were used twice, and those of several passes', function()
    local net = table7()
    torch.sum(net(long { 6, 2, 6 })):backward()
    local g = net.weight.grad
    assert.is_false(g:isCoalesced())
    assert.same({ 6, 2, 6 }, g:rows():totable())
    assert.same({ 1, 3 }, g:indices():size():totable())
    torch.mul(torch.sum(net(long { 2 })), 3):backward()
    g = net.weight.grad:coalesce()
    assert.is_true(g:isCoalesced())
    assert.same({ 2, 6 }, g:rows():totable())
    assert.same({ { 4, 4, 4 }, { 2, 2, 2 } }, g:values():totable())
    assert.same({ 7, 3 }, g:size():totable())
    assert.equal(7, g:size(1))
    assert.equal('torch.DoubleTensor', g:type())
    assertClose(math.sqrt(3 * 16 + 3 * 4), g:norm(), 1e-14)
    assert.equal(4, g:norm(math.huge))
    assert.truthy(tostring(g):find 'RowGradient of 2 rows of')
  end)

  it('is removed by zeroGrad, of an optimiser, a module and a tensor', function()
    local net = table7()
    local steps = optim.SGD(net:parameters(), {})
    for _, remove in ipairs {
      function() steps:zeroGrad() end, function() net.weight:zeroGrad() end, function() net.weight.grad = nil end,
      function() net:zeroGrad() end,
    } do
      torch.sum(net(long { 6 })):backward()
      assert.is_not_nil(net.weight.grad)
      remove()
      assert.is_nil(net.weight.grad)
    end
  end)

  it('joins a dense one, in either order', function()
    for _, isFirst in ipairs { true, false } do
      local net = table7()
      local function rows() torch.sum(net(long { 6, 6 })):backward() end
      if isFirst then rows() end
      torch.sum(net.weight):backward()
      if not isFirst then rows() end
      local expected = torch.ones(7, 3)
      expected[6]:fill(3)
      assert.same(expected:totable(), net.weight.grad:totable())
    end
    local net = table7()
    torch.sum(net(long { 6, 6 })):backward()
    torch.sum(torch.pow(net.weight, 2)):backward { createGraph = true }
    local expected = torch.mul(net.weight:detach(), 2)
    expected[6]:add(2)
    assertClose(expected, net.weight.grad:detach(), 1e-14)
  end)

  it('goes to the flat gradient of getParameters', function()
    local net = table7()
    local _, gradients = net:getParameters()
    torch.sum(net(long { 6, 6 })):backward()
    assert.equal(6, gradients:sum())
    assert.same({ 2, 2, 2 }, net.weight.grad[6]:totable())
  end)

  it('is dense in Torch7\'s protocol, without gradients, and where the weight is computed', function()
    local net = table7()
    net:requiresGrad(false)
    net:zeroGradParameters()
    net:forward(long { 6, 6 })
    net:backward(long { 6, 6 }, torch.ones(2, 3))
    assert.same({ 2, 2, 2 }, net.gradWeight[6]:totable())
    local rows = torch.noGrad(function() return table7()(long { 1 }) end)
    assert.is_false(rows:isTracked())
    local w = torch.ones(7, 3):requiresGrad()
    torch.sum(nn.functional.embedding(long { 2 }, torch.mul(w, 3), { sparse = true })):backward()
    assert.same({ 3, 3, 3 }, w.grad[2]:totable())
  end)

  it('leaves the field grad alone in autograd.grad', function()
    local net = table7()
    local x = torch.ones(2, 3):requiresGrad()
    local y = torch.sum(torch.cmul(net(long { 6, 2 }), x))
    assertClose(net.weight:detach():index(1, long { 6, 2 }), autograd.grad(y, x), 1e-14)
    assert.is_nil(net.weight.grad)
  end)

  it('is clipped as the dense one', function()
    local dense, sparse = table7({}, true), table7()
    for _, net in ipairs { dense, sparse } do torch.sum(torch.pow(net(long { 2, 5, 2 }), 2)):backward() end
    assertClose(optim.clipGradNorm(dense:parameters(), 0.5), optim.clipGradNorm(sparse:parameters(), 0.5), 1e-14)
    assertClose(dense.weight.grad, sparse.weight.grad:toDense(), 1e-14)
    for _, net in ipairs { dense, sparse } do
      torch.sum(torch.pow(net(long { 2, 5, 2 }), 2)):backward()
      optim.clipGradValue(net:parameters(), 0.75)
    end
    assertClose(dense.weight.grad, sparse.weight.grad:toDense(), 1e-14)
    assert.error_matches(function() optim.clipGradAdaptive { sparse.weight } end,
      'optim.clipGradAdaptive: parameters: number 1 has a gradient of rows, expected a dense one')
  end)

  it('is unscaled by a GradScaler', function()
    local net = table7()
    local steps, scaler = optim.SGD(net:parameters(), { learningRate = 1 }), optim.GradScaler { scale = 8 }
    local before = net.weight:detach():clone()
    scaler:scale(torch.sum(net(long { 6, 6 }))):backward()
    scaler:step(steps)
    before[6]:add(-2)
    assertClose(before, net.weight:detach(), 1e-14)
  end)

  it('is assigned as a value of the right sizes', function()
    local w = torch.zeros(4, 2):requiresGrad()
    w.grad = autograd.RowGradient(long { 3, 3 }, torch.ones(2, 2), { 4, 2 })
    optim.SGD({ w }, { learningRate = 1 }):step()
    assert.same({ { 0, 0 }, { 0, 0 }, { -2, -2 }, { 0, 0 } }, w:detach():totable())
    local twice = w.grad:clone():mul(2)
    assert.same({ 4, 4 }, twice:add(w.grad:clone():mul(0)):toDense()[3]:totable())
    assert.same({ 1, 1 }, twice:clamp(-1, 1):toDense()[3]:totable())
    assert.equal('torch.FloatTensor', w.grad:type('torch.FloatTensor'):type())
    w.grad = autograd.RowGradient(torch.LongTensor(0), torch.zeros(0, 2), { 4, 2 })
    assert.equal(0, w.grad:norm())
    optim.SparseAdam({ w }):step()
  end)

  it('says what is wrong', function()
    local w = torch.zeros(4, 2):requiresGrad()
    local good = autograd.RowGradient(long { 3 }, torch.ones(1, 2), { 4, 2 })
    for message, f in pairs {
      ['RowGradient: rows: 0 to 5, expected positions from 1 to 4'] = function()
        return autograd.RowGradient(long { 0, 5 }, torch.ones(2, 2), { 4, 2 })
      end,
      ['RowGradient: rows: 0 to 0, expected positions from 1 to 4'] = function()
        return autograd.RowGradient(long { 0 }, torch.ones(1, 2), { 4, 2 })
      end,
      ['RowGradient: values: sizes [2, 3], expected [2, 2]'] = function()
        return autograd.RowGradient(long { 1, 1 }, torch.ones(2, 3), { 4, 2 })
      end,
      ['RowGradient: rows: sizes [1, 1], expected a vector'] = function()
        return autograd.RowGradient(long { { 1 } }, torch.ones(1, 2), { 4, 2 })
      end,
      ['RowGradient: values: a torch.LongTensor, expected a tensor of floats'] = function()
        return autograd.RowGradient(long { 1 }, long { { 1, 1 } }, { 4, 2 })
      end,
      ['RowGradient.add: other: another type or sizes'] = function()
        return good:add(autograd.RowGradient(long { 1 }, torch.ones(1, 2), { 5, 2 }))
      end,
      ['grad: size [5, 2], expected the size of x: [4, 2]'] = function()
        w.grad = autograd.RowGradient(long { 1 }, torch.ones(1, 2), { 5, 2 })
      end,
      ['grad: value: a gradient of rows, expected a tensor, as x is not a leaf'] = function() torch.mul(w, 2).grad = good end,
    } do
      local done, text = pcall(f)
      assert.is_false(done)
      assert.is_truthy(text:find(message, 1, true), text)
    end
    assert.is_nil(w.grad)
  end)
end)

describe('an optimiser', function()
  it('climbs by rows as by the dense gradient', function()
    for name, options in pairs { SGD = { momentum = 0.5, maximize = true }, Adagrad = { maximize = true } } do
      local dense, sparse = table7({}, true), table7()
      local a, b = optim[name](dense:parameters(), copy(options)), optim[name](sparse:parameters(), copy(options))
      for t = 1, 3 do
        for net, steps in pairs { [dense] = a, [sparse] = b } do
          steps:zeroGrad()
          pass(net, t, 0)
          steps:step()
        end
        assertClose(dense.weight:detach(), sparse.weight:detach(), 1e-14)
      end
    end
  end)

  it('that does not accept rows says so, and changes nothing', function()
    for name in ('Adam AdamW RMSprop Adadelta NAdam RAdam Adamax Lion ASGD Rprop LAMB LARS Adafactor Muon Shampoo'):gmatch '%S+' do
      local net, other = table7(), torch.ones(2, 2):requiresGrad()
      other.grad = torch.ones(2, 2)
      torch.sum(net(long { 6 })):backward()
      local before = net.weight:detach():clone()
      local steps = optim[name] { { parameters = { other } }, { parameters = { net.weight } } }
      assert.error_matches(function() steps:step() end, ('optim.%s: parameters: number 2 has a gradient of rows, '):format(name)
        .. 'expected a dense one; optim.SparseAdam, SGD and Adagrad accept rows')
      assert.same({ { 1, 1 }, { 1, 1 } }, other:detach():totable())
      assert.is_true(torch.equal(before, net.weight:detach()))
      assert.is_nil(next(steps.state))
    end
  end)

  it('of rows alone refuses a dense gradient', function()
    local w = torch.ones(2, 2):requiresGrad()
    w.grad = torch.ones(2, 2)
    assert.error_matches(function() optim.SparseAdam({ w }):step() end,
      'optim.SparseAdam: parameters: number 1 has a dense gradient, expected one of rows; optim.Adam')
    assert.error_matches(function() return optim.SparseAdam({ w }, { weightDecay = 1 }) end, 'weightDecay, expected one of beta1, beta2')
    assert.error_matches(function() return optim.SparseAdam({ w }, { lr = 1 }) end, 'lr, expected learningRate')
  end)

  it('refuses weight decay and master weights for rows', function()
    local net = table7()
    torch.sum(net(long { 6 })):backward()
    for name in ('SGD Adagrad'):gmatch '%S+' do
      assert.error_matches(function() optim[name](net:parameters(), { weightDecay = 0.5 }):step() end,
        ('optim.%s: config: weightDecay: 0.5, expected 0 for gradients of rows %%(parameter 1%%)'):format(name))
      assert.error_matches(function() optim[name](net:parameters(), { masterWeights = true }):step() end,
        ('optim.%s: config: masterWeights: true, expected false'):format(name))
    end
  end)

  it('takes rows and dense gradients of other parameters, and continues from its state', function()
    local function run(interrupts)
      local net = nn.Sequential():add(table7()):add(nn.Linear(3, 2):double())
      torch.manualSeed(3)
      net:get(2):reset()
      net:requiresGrad()
      local steps = optim.Adagrad(net:parameters(), { learningRate = 0.1 })
      for t = 1, 6 do
        steps:zeroGrad()
        torch.sum(torch.pow(net(long(positions(t, 0))), 2)):backward()
        steps:step()
        if interrupts then
          local state = torch.deserialize(torch.serialize(steps:stateDict()))
          steps = optim.Adagrad(net:parameters(), { learningRate = 0.1 })
          steps:loadStateDict(state)
        end
      end
      return net
    end
    local a, b = run(false), run(true)
    for i, p in ipairs(a:parameters()) do assert.is_true(torch.equal(p:detach(), b:parameters()[i]:detach())) end
  end)

  it('leaves the rows and means of others as they are: SparseAdam', function()
    local net = table7()
    local before = net.weight:detach():clone()
    local steps = optim.SparseAdam(net:parameters())
    torch.sum(net(long { 2 })):backward()
    steps:step()
    for i = 1, count do assert.equal(i ~= 2, torch.equal(before[i], net.weight:detach()[i])) end
    assert.equal(0, steps.state[1].m[1]:norm())
    assert.is_true(steps.state[1].m[2]:norm() > 0)
  end)
end)
