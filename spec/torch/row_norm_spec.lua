-- Normalisation of rows and of groups of channels: rows longer than vectors, many rows, threads, and arguments that don't fit.
local torch = require 'torch'
local raises = assert.error_matches

-- The definition in ops of the tape: x (n, c, p) in groups of channels, with weights of channels.
local function byDefinition(x, groups, weight, bias, eps)
  local samples, channels, points = x:size(1), x:size(2), x:size(3)
  local rows = torch.reshape(x, samples * groups, channels / groups * points)
  local off = torch.csub(rows, torch.expandAs(torch.mean(rows, 2), rows))
  local invstd = torch.rsqrt(torch.add(torch.mean(torch.square(off), 2), eps))
  local normal = torch.reshape(torch.cmul(off, torch.expandAs(invstd, off)), x:size())
  local function spread(values) return torch.expandAs(torch.view(values, 1, channels, 1), x) end
  return torch.add(torch.cmul(normal, spread(weight)), spread(bias))
end

-- Returns the result and the gradients of x, weight and bias.
local function gradients(f, x, weight, bias, g)
  local leaves = { x:clone():requiresGrad(), weight:clone():requiresGrad(), bias:clone():requiresGrad() }
  local y = f(unpack(leaves))
  y:backward(g)
  return { y:detach(), leaves[1].grad, leaves[2].grad, leaves[3].grad }
end

local function assertClose(expected, actual, tolerance)
  for i = 1, 4 do
    local scale = math.max(1, torch.abs(expected[i]):max())
    assert.is_true((expected[i] - actual[i]:double()):abs():max() <= tolerance * scale, tostring(i))
  end
end

describe('groups of channels', function()
  for _, case in ipairs { { 3, 4, 1, 2 }, { 90, 6, 1, 3 }, { 200, 4, 1, 1 }, { 2, 6, 37, 3 }, { 5, 4, 600, 2 }, { 70, 4, 9, 4 },
    { 3, 2, 1100, 1 } } do
    local samples, channels, points, groups = unpack(case)
    for kind, tolerance in pairs { double = 1e-11, float = 3e-5 } do
      it(('are normalised by their definition: %d x %d x %d in %d groups, %s'):format(samples, channels, points, groups, kind), function()
        local x, weight, bias = torch.randn(samples, channels, points):add(3), torch.randn(channels), torch.randn(channels)
        local g = torch.randn(samples, channels, points)
        local expected = gradients(function(a, w, b) return byDefinition(a, groups, w, b, 1e-3) end, x, weight, bias, g)
        local actual = gradients(function(a, w, b) return (torch.groupNorm(a, groups, w, b, 1e-3)) end, x[kind](x), weight[kind](weight),
          bias[kind](bias), g[kind](g))
        assertClose(expected, actual, tolerance)
      end)
    end
  end

  it('do not depend on the number of threads', function()
    local threads, list = torch.getnumthreads(), {}
    local x, weight, g = torch.randn(40, 6, 70):float(), torch.randn(6):float(), torch.randn(40, 6, 70):float()
    for n = 1, 3 do
      torch.setnumthreads(n)
      local y, mean, invstd = torch.groupNorm(x, 3, weight)
      list[n] = { y, mean, invstd, torch.groupNorm_grad(g, x, 3, weight, mean, invstd) }
    end
    torch.setnumthreads(threads)
    for i = 1, 6 do assert.is_true(torch.equal(list[1][i], list[2][i]) and torch.equal(list[1][i], list[3][i])) end
  end)

  it('pass the gradients of mean and invstd on', function()
    local x, seen = torch.randn(2, 4, 3), {}
    local function definition(t)
      local rows = torch.view(t, 4, 6)
      local mean = torch.mean(rows, 2)
      local off = torch.csub(rows, torch.expandAs(mean, rows))
      return nil, mean, torch.rsqrt(torch.add(torch.mean(torch.square(off), 2), 1e-5))
    end
    for i, f in ipairs { torch.groupNorm, definition } do
      local leaf = x:clone():requiresGrad()
      local _, mean, invstd = f(leaf, 2)
      torch.add(torch.sum(torch.cmul(torch.view(mean, 4), torch.range(1, 4))), torch.sum(torch.view(invstd, 4))):backward()
      seen[i] = leaf.grad
    end
    assert.is_true((seen[1] - seen[2]):abs():max() < 1e-12)
  end)

  it('refuse what does not fit', function()
    local x = torch.randn(2, 6, 3)
    for _, groups in ipairs { 0, -1, 4, 7 } do
      raises(function() torch.groupNorm(x, groups) end, 'groupNorm: groups: %-?%d, expected a divisor of the 6 channels')
    end
    raises(function() torch.groupNorm(x, 3, torch.ones(3)) end, 'groupNorm: weight: %[3%], expected %[6%]')
    raises(function() torch.groupNorm(x, 3, torch.ones(6), torch.ones(2)) end, 'groupNorm: bias: %[2%], expected %[6%]')
    raises(function() torch.groupNorm(torch.ones(6), 3) end, 'groupNorm: x: %[6%], expected %(n, channels')
    raises(function() torch.groupNorm(torch.ones(2, 6, 0), 3) end, 'groupNorm: x: %[2, 6, 0%], expected groups of one element or more')
    raises(function() torch.groupNorm_grad(torch.ones(2, 6), x, 3, nil, torch.ones(6), torch.ones(6)) end,
      'groupNorm_grad: g: %[2, 6%], expected %[2, 6, 3%]')
    raises(function() torch.groupNorm_grad(x, x, 3, nil, torch.ones(5), torch.ones(6)) end, 'groupNorm_grad: mean: %[5%], expected %[6%]')
  end)
end)

describe('rows', function()
  for _, case in ipairs { { 1, 5 }, { 3, 16 }, { 7, 70 }, { 130, 33 }, { 5, 1500 } } do
    it(('of layerNorm have gradients by the definition: %d x %d'):format(unpack(case)), function()
      local rows, n = unpack(case)
      local x, weight, bias, g = torch.randn(rows, n):add(3), torch.randn(n), torch.randn(n), torch.randn(rows, n)
      local function definition(a, w, b)
        local off = torch.csub(a, torch.expandAs(torch.mean(a, 2), a))
        local normal = torch.cmul(off, torch.expandAs(torch.rsqrt(torch.add(torch.mean(torch.square(off), 2), 1e-3)), off))
        return torch.add(torch.cmul(normal, torch.expandAs(torch.view(w, 1, n), a)), torch.expandAs(torch.view(b, 1, n), a))
      end
      local expected = gradients(definition, x, weight, bias, g)
      local function op(a, w, b) return (torch.layerNorm(a, w, b, 1e-3)) end
      assertClose(expected, gradients(op, x, weight, bias, g), 1e-11)
      assertClose(expected, gradients(op, x:float(), weight:float(), bias:float(), g:float()), 1e-4)
    end)
  end

  it('of which the first elements are far from the others have exact moments', function()
    local x = torch.randn(2, 100000)
    x:narrow(2, 1, 32):add(1e4)
    x = x:float()
    local _, mean, invstd = torch.layerNorm(x:double())
    local _, meanOfFloats, invstdOfFloats = torch.layerNorm(x)
    assert.is_true((torch.cdiv(meanOfFloats:double(), mean) - 1):abs():max() < 1e-6)
    assert.is_true((torch.cdiv(invstdOfFloats:double(), invstd) - 1):abs():max() < 1e-6)
  end)

  it('have gradients of x, of 4 MB and more, that are those of fewer rows, whole vectors or not', function()
    for _, n in ipairs { 1024, 1001 } do
      local x, g = torch.randn(1100, n):float(), torch.randn(1100, n):float()
      local _, mean, invstd = torch.layerNorm(x)
      local all = torch.layerNorm_grad(g, x, nil, mean, invstd)
      local function part(t) return t:narrow(1, 700, 300) end
      local some = torch.layerNorm_grad(part(g), part(x), nil, mean:view(-1):narrow(1, 700, 300), invstd:view(-1):narrow(1, 700, 300))
      assert.is_true(torch.equal(part(all), some))
    end
    for _, points in ipairs { 64, 37 } do
      local x, g = torch.randn(600, 60, points):float(), torch.randn(600, 60, points):float()
      local _, mean, invstd = torch.groupNorm(x, 3)
      local all = torch.groupNorm_grad(g, x, 3, nil, mean, invstd)
      local function part(t) return t:narrow(1, 200, 100) end
      local some = torch.groupNorm_grad(part(g), part(x), 3, nil, mean:view(-1):narrow(1, 598, 300), invstd:view(-1):narrow(1, 598, 300))
      assert.is_true(torch.equal(part(all), some))
    end
  end)

  it('of layerNorm and rmsNorm without a weight have the gradients of a weight of ones', function()
    local x, g, ones = torch.randn(9, 21), torch.randn(9, 21), torch.ones(21)
    local _, mean, invstd = torch.layerNorm(x)
    local list, other = { torch.layerNorm_grad(g, x, nil, mean, invstd) }, { torch.layerNorm_grad(g, x, ones, mean, invstd) }
    for i = 1, 3 do assert.is_true(torch.equal(list[i], other[i])) end
    local _, invrms = torch.rmsNorm(x)
    list, other = { torch.rmsNorm_grad(g, x, nil, invrms) }, { torch.rmsNorm_grad(g, x, ones, invrms) }
    for i = 1, 2 do assert.is_true(torch.equal(list[i], other[i])) end
  end)
end)
