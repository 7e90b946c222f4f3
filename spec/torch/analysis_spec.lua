-- Integrals, fits, roots, sets, matrix functions, padding: NumPy's and SciPy's figures.
local torch = require 'torch'
local autograd = require 'autograd'
local figures = require 'spec.torch.analysis_figures'
local assertFlatClose = require('spec.support.close').within { rtol = 1e-13, atol = 1e-13, equalNan = true }

local function flat(value, list)
  list = list or {}
  if torch.isTensor(value) then value = value:totable() end
  if type(value) ~= 'table' then
    list[#list + 1] = value
    return list
  end
  for _, each in ipairs(value) do flat(each, list) end
  return list
end

local function assertClose(expected, found, tolerance) assertFlatClose(flat(expected), flat(found), tolerance) end

local x = torch.DoubleTensor { 1, 1.5, 3, 4.25, 6 }
local y = torch.DoubleTensor { { 2, -1, 0.5, 3, 1 }, { 0, 4, 2, -2, 7.5 } }
local a = torch.DoubleTensor { { 1, 2, 0 }, { -1, 0.5, 3 }, { 2, 1, -4 } }
local numbers = torch.DoubleTensor { 3, 1, 4, 1, 5, 9, 2, 6.5, -2, 8 }
local nan = 0 / 0
local gaps = torch.DoubleTensor { { 1, nan, 4, 2 }, { nan, nan, 3, nan }, { 5, 5, 5, 5 } }

describe('functions given by samples:', function()
  it('trapz', function()
    assertClose(figures.trapz, { torch.trapz(y[1]), torch.trapz(y[1], x), torch.trapz(y, 0.5), torch.trapz(y, x, 2), torch.trapz(y, 1, 1) })
    assert.same({ 2, 1 }, torch.trapz(y, x):size():totable())
    assert.error_matches(function() torch.trapz(y, torch.ones(4)) end, 'trapz: x: %[4%], expected 5 points, a number or the sizes of y')
  end)
  it('gradient', function()
    assertClose(figures.gradient, { torch.gradient(y[1]), torch.gradient(y[1], 0.5), torch.gradient(y[2], x), torch.gradient(y, 2, 1)[1] })
    assertClose({ 2, 2, 2 }, torch.gradient(torch.mul(torch.DoubleTensor { 1, 4, 5 }, 2), torch.DoubleTensor { 1, 4, 5 }))
    assert.error_matches(function() torch.gradient(torch.ones(1)) end, 'gradient: y: %[1%], expected two values at least')
  end)
  it('interp', function()
    assertClose(figures.interp, torch.interp(torch.DoubleTensor { 0, 1, 1.2, 3.5, 6, 9 }, x, y[2]))
    assertClose({ figures.interp[3] }, { torch.interp(1.2, x, y[2]) })
    assert.is_true(torch.all(torch.isnan(torch.interp(torch.DoubleTensor { nan }, x, y[2]))))
    assert(autograd.gradcheck(torch.interp, { torch.DoubleTensor { 0.3, 1.2, 5.5 }, x:clone(), y[2]:clone() }, { order = 1 }))
    assert.error_matches(function() torch.interp(1, torch.DoubleTensor { 2, 1 }, torch.ones(2)) end, 'points: expected ascending numbers')
  end)
  it('interp by other methods', function()
    local within = torch.DoubleTensor { 1, 1.2, 1.25, 2.25, 3, 3.5, 5.9, 6 }
    for i, method in ipairs { 'cubic', 'nearest', 'previous', 'next' } do
      assertClose(figures.interpBy[i], torch.interp(within, x, y[2], method), 1e-12)
    end
    for n, expected in ipairs(figures.spline) do
      local last = x[n + 1]
      local at = torch.DoubleTensor { 1, 1.2, last - 0.2, last }
      assertClose(expected, torch.interp(at, x:narrow(1, 1, n + 1), y[2]:narrow(1, 1, n + 1), 'cubic'), 1e-12)
    end
    local at = torch.DoubleTensor { 0.3, 1.2, 2.2, 5.5, 7 }
    assert(autograd.gradcheck(function(p, v) return torch.interp(at, p, v, 'cubic') end, { x:clone(), y[2]:clone() }))
    assert(autograd.gradcheck(function(q) return torch.interp(q, x, y[2], 'cubic') end, { at:clone() }))
    for _, method in ipairs { 'linear', 'cubic', 'nearest', 'previous', 'next' } do
      assertClose({ nan, 0, 7.5 }, torch.interp(torch.DoubleTensor { nan, -math.huge, math.huge }, x, y[2], method))
    end
    assert.error_matches(function() torch.interp(1, x, y[2], 'akima') end,
      "interp: method: 'akima', expected linear, cubic, nearest, previous")
    assert.error_matches(function() torch.interp(1, x, torch.ones(4)) end, 'interp: values: %[4%], expected a vector of as many as the 5')
  end)
  it('interp with values outside', function()
    local q = torch.DoubleTensor { 0, 1, 1.2, 3.5, 6, 9 }
    assertClose(figures.interpOut, torch.interp(q, x, y[2], -1, -2))
    assertClose({ -1, -3 }, { torch.interp(0, x, y[2], 'cubic', -1, -3), torch.interp(9, x, y[2], 'cubic', -1, -3) })
    assertClose({ 0, 7.5 }, { torch.interp(1, x, y[2], 'next', -1, -3), torch.interp(6, x, y[2], 'next', -1, -3) })
    assertClose({ -1, 7.5 }, { torch.interp(0, x, y[2], -1), torch.interp(9, x, y[2], -1) })
  end)
end)

describe('polynomials:', function()
  it('polyfit and polyval', function()
    assertClose(figures.polyfit, { torch.polyfit(x, y[1], 2), torch.polyfit(x, y[2], 4), torch.polyfit(x, y[1], 0) }, 1e-11)
    assertClose(figures.polyval, torch.polyval(torch.DoubleTensor { 2, -1, 0.5 }, x))
    assertClose({ torch.polyfit(x, y[1], 2), torch.polyfit(x, y[2], 2) }, torch.polyfit(x, y:t(), 2):t(), 1e-11)
    assert.equal(torch.complex(2, 2), torch.polyval(torch.Tensor { 1, 2, 3 }, torch.complex(0, 1)))
    local far = torch.add(x, 1e4)                                   -- powers of unlike size
    local line = torch.DoubleTensor { 2, -1 }
    assertClose(torch.polyval(line, far), torch.polyval(torch.polyfit(far, torch.polyval(line, far), 1), far), 1e-8)
    assert.error_matches(function() torch.polyfit(x, y[1], 5) end, 'polyfit: degree: 5, expected 0 to 4')
  end)
  it('roots', function()
    for i, p in ipairs { { 2, -3, 0, 1, 5 }, { 1, 0, 4 }, { 0, 1, -3, 2, 0 } } do
      assertClose(figures.roots[i], torch.roots(torch.DoubleTensor(p)), 1e-10)
    end
    assert.same({ 0, 2 }, torch.roots(torch.DoubleTensor { 3 }):size():totable())
    assert.error_matches(function() torch.roots(torch.zeros(3)) end, 'roots: p: no coefficient other than 0')
  end)
end)

describe('functions of matrices:', function()
  it('expm', function()
    assertClose(figures.expm, { torch.expm(a), torch.expm(torch.mul(a, 8)), torch.expm(torch.mul(a, 1 / 1024)) }, 1e-12)
    local both = torch.DoubleTensor(2, 3, 3)
    both[1], both[2] = a, torch.mul(a, 1 / 1024)
    assertClose({ figures.expm[1], figures.expm[3] }, torch.expm(both), 1e-12)
    assertClose(torch.eye(3):double(), torch.mm(torch.expm(a), torch.expm(torch.neg(a))), 1e-10)
    assert.is_true(torch.all(torch.isnan(torch.expm(torch.DoubleTensor(2, 2):fill(math.huge)))))
  end)
  it('cond', function()
    assertClose(figures.cond, { torch.cond(a), torch.cond(a, 1), torch.cond(a, math.huge), torch.cond(a, 'fro'), torch.cond(a, -2) }, 1e-12)
    assert.equal(math.huge, torch.cond(torch.zeros(2, 2), 1))
    assert.is_true(torch.cond(torch.ones(2, 2)) > 1e15)
  end)
  it('nullSpace', function()
    local m = torch.DoubleTensor { { 1, 2, 3 }, { 2, 4, 6 }, { 1, 1, 1 } }
    local space = torch.nullSpace(m)
    assertClose(figures.projector, torch.mm(space, space:t()), 1e-13)
    assertClose(torch.zeros(3, 1):double(), torch.mm(m, space), 1e-13)
    assertClose({ 1 }, torch.mm(space:t(), space), 1e-14)
    assert.same({ 3, 0 }, torch.nullSpace(a):size():totable())
    assertClose(torch.eye(2):double(), torch.mm(torch.nullSpace(torch.zeros(4, 2)):t(), torch.nullSpace(torch.zeros(4, 2))))
    assert.same({ 3, 2 }, torch.nullSpace(torch.DoubleTensor { { 1, 0, 0 }, { 0, 1e-3, 0 } }, 0.01):size():totable())
  end)
end)

describe('statistics:', function()
  it('nanstd and nanvar', function()
    assertClose(figures.nanstd, { torch.nanstd(gaps), torch.nanstd(gaps, true) })
    assertClose(figures.nanstdRows, { torch.nanstd(gaps, 2), torch.nanstd(gaps, 2, true) })
    assertClose(figures.nanvarColumns, torch.nanvar(gaps, 1, true))
    local g = gaps:clone():requiresGrad()
    torch.sum(torch.nanstd(g, 2):narrow(1, 3, 1)):backward()
    assertClose(torch.zeros(4), g.grad[3])
  end)
  it('percentile', function()
    local found = {}
    for i, q in ipairs { 0, 12.5, 50, 99 } do found[i] = torch.percentile(numbers, q) end
    assertClose(figures.percentile, found)
    assert.error_matches(function() torch.percentile(numbers, 101) end, 'percentile: q: expected numbers from 0 to 100')
  end)
  it('histogram', function()
    local counts, edges = torch.histogram(numbers, 4)
    local own, given = torch.histogram(numbers, torch.DoubleTensor { -2, 1, 3, 9 })
    local density = torch.histogram(numbers, 3, 0, 6, true)
    assertClose(figures.histogram, { counts, edges, own, density })
    assert.same({ -2, 1, 3, 9 }, given:totable())
    assert.equal('torch.LongTensor', counts:type())
    local sparse = torch.histogram(torch.DoubleTensor { nan, math.huge, 1, 3 }, 2)
    assert.same({ 1, 1 }, sparse:totable())
    assert.error_matches(function() torch.histogram(numbers, torch.DoubleTensor { 2, 1 }) end,
      'histogram: bins: expected edges in ascending order')
    assert.error_matches(function() torch.histogram(numbers, 0) end, 'histogram: bins: 0, expected 1 or more')
    assertClose({ 0, 3, 1.5, 2, 2.5 }, { torch.histogram(torch.DoubleTensor { 2, 2, 2 }, 2) })      -- of one value
  end)
end)

describe('sets:', function()
  local values = torch.LongTensor { 1, 2, 7 }
  it('isin, setdiff, intersect, union', function()
    assertClose(figures.isin, torch.isin(numbers, values))
    assertClose(figures.setdiff, torch.setdiff(numbers, values))
    assertClose(figures.intersect, torch.intersect(numbers, values))
    assertClose(figures.union, torch.union(numbers, values))
  end)
  it('compare integers exactly', function()
    local large = torch.LongTensor(2):fill(2 ^ 53)
    large[2] = large[2] + 1LL
    assert.same({ 0, 1 }, torch.isin(large, large:narrow(1, 2, 1)):totable())
    assert.equal('torch.LongTensor', torch.setdiff(large, values):type())
  end)
end)

describe('torch.pad', function()
  local small = torch.range(1, 6):double():view(2, 3)
  it('is NumPy\'s, with pairs', function()
    for i, mode in ipairs { 'constant', 'edge', 'reflect', 'symmetric', 'wrap' } do
      assertClose(figures.pad[i], torch.pad(small, { { 1, 2 }, { 2, 3 } }, mode))
    end
  end)
  it('takes PyTorch\'s flat list, which begins with the last dimension, and one number', function()
    assert.same({ { 0, 1, 2, 3 }, { 0, 4, 5, 6 } }, torch.pad(small, { 1, 0 }):totable())
    assert.same({ { 9, 1, 2, 3 }, { 9, 4, 5, 6 }, { 9, 9, 9, 9 } }, torch.pad(small, { 1, 0, 0, 1 }, 'constant', 9):totable())
    assert.same({ 4, 5 }, small:pad(1):size():totable())
    assert.equal('torch.LongTensor', torch.pad(torch.LongTensor { 1 }, 1):type())
    assert.same({ { 7, 7, 7 }, { 1, 2, 3 }, { 4, 5, 6 } }, torch.pad(small:long(), { 0, 0, 1, 0 }, 'constant', 7):totable())
  end)
  it('has a gradient, and copies where nothing is added', function()
    assert(autograd.gradcheck(function(t) return torch.pad(t, { { 1, 2 }, { 2, 3 } }, 'reflect') end, { small:clone() }))
    local same = torch.pad(small, 0)
    same:zero()
    assert.equal(21, small:sum())
  end)
  it('names the expected arguments in errors', function()
    assert.error_matches(function() torch.pad(small, { { 1, 2 } }) end,
      'pad: widths: 1 pairs, expected a pair for each of 2 dimensions')
    assert.error_matches(function() torch.pad(small, { 1, 2, 3 }) end,
      'pad: widths: 3 numbers, expected two for each of at most 2 dimensions')
    assert.error_matches(function() torch.pad(small, -1) end, 'pad: widths: %-1')
    assert.error_matches(function() torch.pad(small, 1, 'mirror') end, "pad: mode: .*mirror.*, expected constant, replicate")
  end)
end)
