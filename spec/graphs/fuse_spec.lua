-- Fused loops of graphs: which steps they have, and that results have the bits of the same steps one by one.
local torch, optim = require 'torch', require 'optim'
local program = require 'spec.support.random_programs'

-- A graph without its loops, and with the constants of another one.
local function apart(g)
  local constants = {}
  for _, name in ipairs(g:info().constants) do constants[name] = g:constant(name) end
  local text = tostring(g):gsub('  fused {\n', ''):gsub('\n  }', '')
  assert(not text:find('fused', 1, true))
  return torch.graph.parse(text, constants)
end

-- The ops of each loop of a graph.
local function loops(g)
  local list = {}
  for block in tostring(g):gmatch 'fused {\n(.-)\n  }' do
    local ops = {}
    for op in block:gmatch '= ([%w_]+)%(' do ops[#ops + 1] = op end
    list[#list + 1] = table.concat(ops, ' ')
  end
  return list
end

local function sameBits(a, b)
  if not a:isSameSizeAs(b) or a:type() ~= b:type() then return false end
  return torch.equal(a, b) or torch.equal(torch.ne(a, a), torch.ne(b, b)) and torch.equal(torch.mul(a, 1):maskedFill(torch.ne(a, a), 0),
    torch.mul(b, 1):maskedFill(torch.ne(b, b), 0))
end

local function check(g, ...)
  local fused, single = { g:run(...) }, { apart(g):run(...) }
  assert.equal(#single, #fused)
  for i = 1, #fused do assert.is_true(sameBits(fused[i], single[i])) end
end

local x, y = torch.range(1, 12):div(8):view(3, 4), torch.range(1, 4):div(4)

describe('loops of graphs', function()
  it('have elementwise steps that read each other, and a reduction at the end', function()
    local g = torch.graph.capture(function(a, b)
      local d = torch.add(torch.cmul(a, torch.expand(torch.view(b, 1, 4), 3, 4)), 1)
      return torch.sum(torch.exp(d), 2), torch.softmax(torch.mul(torch.abs(a), 2), 2)
    end, { x, y })
    assert.same({ 'cmul add exp sum', 'abs mul softmax' }, loops(g))
    check(g, x, y)
    check(g, torch.mul(x, -1), y)
  end)

  it('keep values that others read', function()
    local g = torch.graph.capture(function(a)
      local b = torch.exp(a)
      local c = torch.add(b, 1)
      return torch.mm(b, torch.transpose(c, 1, 2)), torch.log(c)
    end, { x })
    assert.same({ 'exp add log' }, loops(g))
    check(g, x)
  end)

  it('never contain a path through another step', function()
    local g = torch.graph.capture(function(a)
      local b = torch.exp(a)
      return torch.cmul(b, torch.expand(torch.cumsum(torch.sum(b, 1), 2), 3, 4))
    end, { x })
    assert.same({}, loops(g))
    check(g, x)
    local h = torch.graph.capture(function(a)         -- two chains that cross
      local b, c = torch.exp(a), torch.abs(a)
      local s, t = torch.cumsum(b, 1), torch.cumsum(c, 1)
      return torch.cmul(torch.add(b, 1), t), torch.cmul(torch.add(c, 1), s)
    end, { x })
    check(h, x)
  end)

  it('leave steps of several sizes, integers that become floats, and steps alone', function()
    local g = torch.graph.capture(function(a, b, n) return torch.exp(torch.sum(torch.log(a), 2)), torch.sqrt(n), torch.add(b, 1) end,
      { x, y, torch.LongTensor { 4, 9 } })
    assert.same({ 'log sum' }, loops(g))
    check(g, x, y, torch.LongTensor { 1, 2 })
  end)

  it('run after writes and draws that precede them', function()
    local state = torch.zeros(3, 4)
    local function f(a)
      local b = torch.mul(a, 2):add(1)
      state:add(b)
      local noise = torch.rand(3, 4)
      return torch.add(torch.cmul(state, noise), b), torch.rand(1)
    end
    local g = torch.graph.capture(f, { x })
    state:zero()
    torch.manualSeed(3)
    local expected = { f(x) }
    local after = state:clone()
    state:zero()
    torch.manualSeed(3)
    local got = { g:run(x) }
    assert.is_true(torch.equal(expected[1], got[1]) and torch.equal(expected[2], got[2]) and torch.equal(after, state))
  end)

  it('keep the order of draws', function()
    local p = torch.Tensor(3, 4):fill(-0.7)
    local function f(a)
      local b = torch.exp(a)
      local places = torch.multinomial(b, 2, true)
      return torch.cmul(b, torch.rand(3, 4)), places
    end
    local g = torch.graph.capture(f, { p })
    torch.manualSeed(5)
    local product, places = f(p)
    torch.manualSeed(5)
    local sameProduct, samePlaces = g:run(p)
    assert.is_true(torch.equal(product, sameProduct) and torch.equal(places, samePlaces))
  end)

  it('read parameters before an optimiser writes to them', function()
    local parameters, gradient = torch.range(1, 8), torch.ones(8)
    local state = {}
    local function f(d)
      local b = torch.exp(parameters)
      optim.adam(function() return 0, d end, parameters, { learningRate = 0.1, epsilon = 1e-8 }, state)
      return torch.cmul(b, parameters)
    end
    f(gradient)
    local g = torch.graph.capture(f, { gradient })
    assert.is_truthy(tostring(g):find('adam_step', 1, true))
    local before = torch.exp(parameters)
    local product = g:run(gradient)
    assert.is_true(torch.equal(torch.cmul(before, parameters), product))
  end)

  it('run one by one where tensors have other sizes or dtypes than in the loop', function()
    local text = 'graph(a: tensor, b: tensor) {\n  fused {\n    %1 = add(a, b)\n    %2 = exp(%1)\n  }\n  return %2\n}\n'
    local g = torch.graph.parse(text)
    assert.equal(text, tostring(g))
    assert.is_true(torch.equal(torch.exp(torch.add(x, x)), (g:run(x, x))))
    local f = x:float()
    assert.is_true(torch.equal(torch.exp(torch.add(f, f)), (g:run(f, f))))
    assert.is_true(torch.equal(torch.exp(torch.add(x, f:double())), (g:run(x, f:double()))))
    assert.has_error(function() g:run(x, torch.ones(5)) end)
  end)

  it('contain the right ops alone', function()
    for _, case in ipairs {
      { 'a = mm(x, x)\nb = exp(a)', 'step 1, mm: an op in a fused loop' },
      { 'a = sum(x, 1)', 'step 1, sum: an op in a fused loop' },
      { 'a = sum(x, 1)\nb = exp(a)', 'step 1, sum: an op in a fused loop' },
      { 'return x', 'expected calls of ops' },
    } do
      local ok, message = pcall(torch.graph.parse, 'graph(x: tensor) {\n fused {\n' .. case[1] .. '\n}\n return x\n}')
      assert.is_false(ok)
      assert.is_truthy(message:find(case[2], 1, true), message)
    end
  end)
end)

describe('random programs', function()
  for seed = 1, 60 do
    it('have the bits of their steps, seed ' .. seed, function()
      local kind = seed % 3 == 0 and 'torch.FloatTensor' or 'torch.DoubleTensor'
      torch.manualSeed(seed)
      local rows, columns = seed % 5 == 0 and 70 or 1 + seed % 4, seed % 7 == 0 and 130 or 2 + seed % 9
      local function draw() return torch.randn(rows, columns):type(kind) end
      local a, b, state = draw(), draw(), torch.zeros(rows, columns):type(kind)
      if seed % 4 == 0 then a = torch.transpose(torch.transpose(a, 1, 2):clone(), 1, 2) end
      local f = program(seed)
      local g = torch.graph.capture(function(c, d) return f(c, d, state) end, { a, b })
      local single = apart(g)
      for run = 1, 3 do
        local c, d = torch.mul(a, run), torch.add(b, run)
        state:fill(run)
        local fused = { g:run(c, d) }
        local left = state:clone()
        state:fill(run)
        local expected = { single:run(c, d) }
        assert.is_true(sameBits(left, state))
        for i = 1, #expected do assert.is_true(sameBits(expected[i], fused[i])) end
        state:fill(run)
        local eager = { f(c, d, state) }
        for i = 1, #eager do assert.is_true(sameBits(eager[i], fused[i])) end
      end
    end)
  end
end)
