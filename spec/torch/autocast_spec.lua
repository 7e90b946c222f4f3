-- torch.autocast: the types that ops compute in, by the lists; the tape through casts; PyTorch's figures.
local torch, C = require 'torch', require 'libmoontorch'
local autograd = require 'autograd'
local registry, samples = require 'spec.support.registry', require 'torch.sweep.samples'
local layers = require 'spec.support.layers'
local close = require 'spec.support.close'

local function series(rate, ...) return layers.series(torch.LongStorage { ... }, rate):float() end
local function leaf(rate, ...) return series(rate, ...):requiresGrad() end
local function cast(f, ...) return torch.autocast('bfloat16', f, ...) end

-- Whether two results are alike in type, sizes and each element; NaN is NaN.
local function isSame(a, b) return close.isClose(a, b, { sameType = true, equalNan = true }) end

-- The results of a call, or its error; the tensors of lists for an op that writes into them.
local function called(op, sample)
  local arguments = samples.copied(sample)
  local results = { pcall(op.call, unpack(arguments, 1, arguments.n)) }
  if op.info.results == 0 then return { results[1], unpack(samples.tensors(arguments)) } end
  return results
end

local halves = { ['torch.HalfTensor'] = true, ['torch.BFloat16Tensor'] = true }

-- The type to which a list casts a tensor; `types` are those of all tensors of the call.
local function convert(list, x, types)
  local kind = x:type()
  if types['torch.DoubleTensor'] or not (halves[kind] or kind == 'torch.FloatTensor') then return x end
  if list == 'low' then return x:bfloat16() end
  if list == 'float32' then return x:float() end
  local widest = types['torch.FloatTensor'] or types['torch.HalfTensor'] and types['torch.BFloat16Tensor']
  return list == 'widest' and widest and x:float() or x
end

local function typesOf(sample)
  local types = {}
  for _, x in ipairs(samples.tensors(sample)) do types[x:type()] = true end
  return types
end

-- The sample, and where it has several tensors that sample with the first and with the others in 16 bits.
local function variants(sample)
  local list = { sample }
  if #samples.tensors(sample) < 2 or not typesOf(sample)['torch.FloatTensor'] then return list end
  for _, first in ipairs { true, false } do
    list[#list + 1] = samples.map(sample, function(x, i)
      return (i == 1) == first and x:type() == 'torch.FloatTensor' and x:bfloat16() or x
    end)
  end
  return list
end

describe('In torch.autocast', function()
  it('every op gives what it gives for arguments that were converted by its list', function()
    local listOf, wrong = {}, {}
    for list, names in pairs(torch.autocast.lists()) do
      for _, name in ipairs(names) do listOf[name] = list end
    end
    for _, op in ipairs(registry.ops()) do
      local kinds = op.name ~= 'empty' and op.info.floats and { 'torch.FloatTensor', 'torch.HalfTensor', 'torch.DoubleTensor' } or {}
      for _, kind in ipairs(kinds) do
        for _, sample in ipairs(samples.of(op, kind)) do
          for k, variant in ipairs(variants(sample)) do
            local types = typesOf(variant)
            local expected = called(op, samples.map(variant, function(x) return convert(listOf[op.name], x, types) end))
            local got = cast(called, op, variant)
            local alike = #expected == #got and expected[1] == got[1]
            for i = 2, expected[1] and #expected or 1 do alike = alike and isSame(expected[i], got[i]) end
            if not alike then wrong[#wrong + 1] = ('%s %s %s, way %d'):format(op.name, kind, samples.describe(sample), k) end
          end
        end
      end
    end
    assert.equal('', table.concat(wrong, '\n'))
  end)

  it('results have the types that the lists promise', function()
    local x, y = series(0.7, 4, 4), series(0.9, 4, 4):bfloat16()
    for name, expected in pairs {
      mm = 'BFloat16', matmul = 'BFloat16', addmm = 'BFloat16', add = 'Float', cat = 'Float', cmul = 'Float', cross = 'Float',
      logaddexp = 'Float', atan2 = 'Float',
    } do
      local arguments = name == 'addmm' and { x, x, y } or name == 'cross' and { x:narrow(1, 1, 3), y:narrow(1, 1, 3), 1 } or { x, y }
      assert.equal('torch.' .. expected .. 'Tensor', cast(torch[name], unpack(arguments)):type(), name)
    end
    for _, name in ipairs { 'exp', 'log', 'softmax', 'logsoftmax', 'pow', 'cumsum', 'layerNorm', 'norm' } do
      local second = name == 'pow' and 2 or name == 'norm' and 2 or nil
      local third = name == 'norm' and 1 or nil
      local input = name == 'log' and torch.abs(y) or y
      assert.equal('torch.FloatTensor', (cast(torch[name], input, second, third)):type(), name)
    end
    for _, name in ipairs { 'tanh', 'sigmoid', 'relu', 'abs', 'neg', 't', 'max' } do
      assert.equal(y:type(), (cast(torch[name], y, name == 'max' and 1 or nil)):type(), name)
    end
  end)

  it('every op keeps what it writes into', function()
    local x, y, r = series(0.7, 3, 3), series(0.9, 3, 3), torch.FloatTensor(3, 3)
    cast(function()
      torch.mm(r, x, y)
      local z = x:clone():addmm(x, y)
      assert.equal('torch.FloatTensor', z:type())
      assert.is_true(torch.equal(torch.autocast.off(torch.addmm, x, x, y), z))
    end)
    assert.is_true(torch.equal(torch.mm(x, y), r))
  end)

  it('float16 is used if requested', function()
    local x = series(0.7, 3, 3)
    assert.equal('torch.HalfTensor', torch.autocast('float16', torch.mm, x, x):type())
    assert.equal('torch.FloatTensor', torch.autocast({ dtype = 'float16' }, torch.exp, x:half()):type())
  end)
end)

describe('torch.autocast', function()
  local x = series(0.7, 3, 3)
  local function kind() return torch.mm(x, x):type():match 'torch%.(.*)Tensor' end

  it('returns the results of its function, and ends then', function()
    assert.same({ 1, 'BFloat16', nil, 3, n = 4 }, (function(...) return { n = select('#', ...), ... } end)(
      cast(function(a) return a, kind(), nil, 3 end, 1)))
    assert.equal('Float', kind())
    assert.is_false(torch.autocast.type())
  end)

  it('is over after an error, which passes as it is', function()
    local problem = {}
    local good, message = pcall(cast, function() error(problem) end)
    assert.is_false(good)
    assert.is_true(rawequal(problem, message))
    assert.equal('Float', kind())
  end)

  it('may be nested, with another type or disabled', function()
    local seen = {}
    cast(function()
      seen[1] = kind()
      torch.autocast({ enabled = false }, function()
        seen[2] = kind()
        torch.autocast('float16', function() seen[3] = kind() end)
        seen[4] = kind()
      end)
      seen[5] = kind()
      pcall(torch.autocast, 'float16', error)
      seen[6] = torch.autocast.type()
      seen[7] = torch.autocast({}, kind)
    end)
    assert.same({ 'BFloat16', 'Float', 'Half', 'Float', 'BFloat16', 'bfloat16', 'BFloat16' }, seen)
  end)

  it('uses lists that a program may change', function()
    local y = x:bfloat16()
    assert.equal('torch.BFloat16Tensor', cast(torch.sqrt, y):type())
    torch.autocast.assign('sqrt', 'float32')
    assert.equal('torch.FloatTensor', cast(torch.sqrt, y):type())
    torch.autocast.assign('sqrt')
    assert.equal('torch.BFloat16Tensor', cast(torch.sqrt, y):type())
    for list, names in pairs(torch.autocast.lists()) do
      assert.is_true(#names > 5 or list == 'widest')
      for _, name in ipairs(names) do assert.is_table(torch.ops[name], name) end
    end
  end)

  it('refuses invalid arguments', function()
    for _, case in ipairs {
      { { 'float64', kind }, 'autocast: dtype: float64, expected bfloat16 or float16' },
      { { kind }, 'autocast: dtype: function, expected bfloat16 or float16' },
      { { { dtype = 8 }, kind }, 'autocast: dtype: number, expected bfloat16 or float16' },
      { { { type = 'float16' }, kind }, 'autocast: options: type, expected one of dtype, enabled' },
      { { { enabled = 1 }, kind }, 'autocast: enabled: 1, expected true or false' },
      { { 'bfloat16' }, 'autocast: f: ' },
      { { 'bfloat16', 3 }, 'autocast: f: ' },
    } do
      local good, message = pcall(function() torch.autocast(unpack(case[1])) end)
      assert.is_false(good)
      assert.is_truthy(message:find(case[2], 1, true), message)
      assert.is_false(torch.autocast.type())
    end
    assert.error_matches(function() torch.autocast.assign('frobnicate', 'low') end,
      'autocast.assign: op: frobnicate, expected the name of an op')
    assert.error_matches(function() torch.autocast.assign('mm', 'high') end,
      'autocast.assign: list: high, expected low, float32, widest or nil')
  end)
end)

-- The networks of autocast_figures.py.
local networks = {}

function networks.dense()
  local x, target = leaf(0.7, 5, 4), torch.LongTensor { 1, 3, 2, 2, 1 }
  local w1, b1, w2, b2 = leaf(1.1, 6, 4), leaf(1.3, 6), leaf(1.7, 3, 6), leaf(1.9, 3)
  local h, y, loss = cast(function()
    local h = torch.linear(x, w1, b1)
    local y = torch.linear(torch.tanh(h), w2, b2)
    return h, y, (torch.nll_loss(torch.logsoftmax(y), target))
  end)
  return { x, w1, b1, w2, b2 }, { h, y }, loss
end

function networks.image()
  local x, target = leaf(0.3, 2, 3, 6, 6), series(0.9, 2, 4)
  local k, kb, w = leaf(0.8, 4, 3, 3, 3), leaf(1.2, 4), leaf(0.45, 4, 64)
  local h, y, loss = cast(function()
    local h = torch.conv2d(x, k, kb)
    local y = torch.mm(torch.reshape(torch.relu(h), 2, 64), torch.t(w))
    return h, y, torch.mean(torch.pow(torch.csub(y, target), 2))
  end)
  return { x, k, kb, w }, { h, y }, loss
end

function networks.shared()
  local x, w = leaf(0.6, 4, 4), leaf(0.9, 4, 4)
  local h, y, loss = cast(function()
    local h = torch.mm(x, w)
    local y = torch.addmm(x, torch.add(h, x), w)
    return h, y, torch.sum(torch.pow(y, 2))
  end)
  return { x, w }, { h, y }, loss
end

-- Both add up products of bfloat16s in float32, in an order of their own, and round once: where a sum falls near the middle of two
-- neighbours they may round apart, and what follows goes on from there. One such step is 2^-8 of a value; 2^-7 of the largest allows for
-- two.
local assertNear = close.within { ofLargest = 2 ^ -7 }

describe('In torch.autocast a network', function()
  local figures = require 'spec.torch.autocast_figures'

  for name, network in pairs(networks) do
    it(name .. ' has the values and gradients of PyTorch', function()
      local leaves, results, loss = network()
      local expected = figures[name]
      for i, result in ipairs(results) do
        assert.equal(expected.types[i], result:type():match 'torch%.(.*)Tensor':lower())
        assertNear(expected.results[i], result:view(-1), nil, 'result ' .. i)
      end
      assert.near(expected.loss, loss:item(), 2 ^ -7 * expected.loss)
      loss:backward()
      for i, x in ipairs(leaves) do
        assert.equal('torch.FloatTensor', x.grad:type())
        assertNear(expected.gradients[i], x.grad:view(-1), nil, 'gradient ' .. i)
      end
    end)
  end
end)

describe('The tape in torch.autocast', function()
  -- The same computation with explicit casts.
  local function byHand(x, w)
    local h = torch.tanh(torch.mm(torch.to(x, 'bfloat16'), torch.to(w, 'bfloat16')))
    return torch.sum(torch.pow(torch.to(torch.mm(torch.to(h, 'bfloat16'), torch.to(w, 'bfloat16')), 'float32'), 2))
  end
  local function byLists(x, w)
    return torch.sum(torch.pow(torch.mm(torch.tanh(torch.mm(x, w)), w), 2))
  end
  local function gradients(f, inside)
    local x, w = leaf(0.7, 4, 4), leaf(0.9, 4, 4)
    local loss
    if f == byHand then
      loss = f(x, w)
      loss:backward()
    else
      loss = cast(function()
        local l = f(x, w)
        if inside then l:backward() end
        return l
      end)
      if not inside then loss:backward() end
    end
    return loss:item(), x.grad, w.grad
  end

  it('gives the gradients of conversions by hand, backward inside and outside', function()
    local loss, gx, gw = gradients(byHand)
    for _, inside in ipairs { false, true } do
      local l, x, w = gradients(byLists, inside)
      assert.equal(loss, l)
      assert.is_true(isSame(gx, x))
      -- w's gradients of two uses are added in float32 either way.
      assert.is_true(isSame(gw, w))
    end
  end)

  it('sees a parameter that changed inside of a region', function()
    local w = leaf(0.9, 4, 4)
    cast(function()
      local before = torch.mm(w, w):detach():float()
      torch.noGrad(w.mul, w, 2)
      local after = torch.mm(w, w):detach():float()
      assert.is_true(torch.equal(torch.mul(before, 4), after))
    end)
  end)

  it('keeps one copy of a parameter in 16 bits, until the region ends', function()
    local w, x = torch.FloatTensor(512, 512):fill(0.5):requiresGrad(), torch.FloatTensor(1, 512):fill(1)
    local function live()
      collectgarbage()
      collectgarbage()
      return C.memory().live
    end
    cast(torch.mm, x, w)
    local before, kept = live(), {}
    cast(function()
      for _ = 1, 10 do kept[#kept + 1] = torch.mm(x, w) end
      assert.is_true(live() - before < 2 * 512 * 512 * 2)            -- ten would be 10 * 512 * 512 * 2
    end)
    repeat until not table.remove(kept)
    assert.is_true(live() - before < 512 * 512)
  end)

  it('leaves float64 unchanged', function()
    local x, w = torch.DoubleTensor { { 1 / 3 } }, torch.FloatTensor { { 1 / 3 } }
    assert.is_true(isSame(torch.mm(x, w), cast(torch.mm, x, w)))
    assert.is_true(autograd.gradcheck(function(y) return cast(function() return torch.sum(torch.exp(torch.mm(y, y))) end) end,
      { series(0.7, 3, 3):double() }))
  end)

  it('differentiates twice', function()
    local x = leaf(0.7, 3, 3)
    local g = cast(function() return autograd.grad(torch.sum(torch.mm(x, x)), x, { createGraph = true }) end)
    assert.equal('torch.FloatTensor', g:type())
    torch.sum(torch.pow(g, 2)):backward()
    assert.equal('torch.FloatTensor', x.grad:type())
  end)

  it('computes a checkpoint again as it was', function()
    local function f(y) return torch.tanh(torch.mm(y, y)) end
    local plain, checked = leaf(0.7, 4, 4), leaf(0.7, 4, 4)
    torch.sum(cast(f, plain)):backward()
    torch.sum(cast(autograd.checkpoint, f, checked)):backward()
    assert.is_true(isSame(plain.grad, checked.grad))
  end)

  it('converts arguments of a program\'s function by its list', function()
    local seen
    local square = autograd.Function {
      name = 'square', autocast = 'float32',
      forward = function(ctx, x)
        ctx:save(x)
        seen = { x:type(), torch.mm(x, x):type() }
        return torch.pow(x, 2)
      end,
      backward = function(ctx, g) return torch.mul(torch.cmul(g, (ctx:saved())), 2) end,
    }
    local x = series(0.7, 3, 3):bfloat16():requiresGrad()
    local y = cast(square, x)
    assert.same({ 'torch.FloatTensor', 'torch.FloatTensor' }, seen)
    assert.equal('torch.FloatTensor', y:type())
    torch.sum(y):backward()
    assert.equal(x:type(), x.grad:type())
    square(x)
    assert.same({ 'torch.BFloat16Tensor', 'torch.BFloat16Tensor' }, seen)
    assert.error_matches(function() autograd.Function { forward = print, backward = print, autocast = 'high' } end,
      'autograd.Function: autocast: high, expected low, float32 or widest')
  end)
end)
