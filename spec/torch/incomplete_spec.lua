-- Incomplete gamma and beta functions of small and large arguments, against figures with more digits; and their gradients for parameters.
local torch = require 'torch'
local figures = require 'spec.torch.incomplete_figures'
local rowsOfFigures = require 'spec.support.rows_of_figures'
local agree, text = rowsOfFigures.agree, rowsOfFigures.text

describe('incomplete gamma and beta functions', function()
  it('of doubles have 15 digits, slopes by differences 12', function()
    agree('DoubleTensor', figures.exact, { 1e-15, betainc_slope_a = 1e-12, betainc_slope_b = 1e-12 })
  end)

  it('of very large arguments agree with SciPy', function() agree('DoubleTensor', figures.scipy, { 1e-9 }) end)

  it('of floats are those of doubles, rounded', function()
    for _, row in ipairs(figures.exact) do
      local arguments = {}
      for i = 2, #row - 1 do arguments[#arguments + 1] = torch.FloatTensor { row[i] } end
      local wide = {}
      for i, x in ipairs(arguments) do wide[i] = x:double() end
      local exact = torch[row[1]](unpack(wide)):float()[1]
      assert.is_true(exact == torch[row[1]](unpack(arguments))[1] or exact ~= exact, text(row))
    end
  end)
end)

-- The derivative for argument i by central differences.
local function difference(f, arguments, i)
  local function at(step)
    local changed = {}
    for k, x in ipairs(arguments) do changed[k] = k == i and x + step or x end
    return f(unpack(changed))
  end
  local step = 1e-4
  return (torch.add(at(step), -1, at(-step)) * 8 - torch.add(at(2 * step), -1, at(-2 * step))) / (12 * step)
end

describe('gradients for parameters are those of differences:', function()
  local a, b = torch.DoubleTensor { 0.4, 1.5, 7, 260 }, torch.DoubleTensor { 0.7, 3, 1.2, 240 }
  local x, p = torch.DoubleTensor { 0.3, 1.1, 9, 255 }, torch.DoubleTensor { 0.2, 0.6, 0.9, 0.4 }
  local calls = {
    gammainc = { a, x }, gammaincc = { a, x }, gammaincinv = { a, p }, gammainccinv = { a, p }, betainc = { a, b, p },
    betaincinv = { a, b, p }, betaln = { a, b }, gammainc_density = { a, x }, betainc_density = { a, b, p },
  }
  for name, arguments in pairs(calls) do
    it(name, function()
      for i = 1, #arguments do
        local leaves = {}
        for k, one in ipairs(arguments) do leaves[k] = one:clone():requiresGrad() end
        torch.sum(torch[name](unpack(leaves))):backward()
        local expected = difference(torch[name], arguments, i)
        local off = torch.abs(leaves[i].grad - expected):cdiv(torch.abs(expected) + 1e-3):max()
        assert.is_true(off < 1e-7, ('argument %d: %s'):format(i, tostring(off)))
      end
    end)
  end

  it('at the ends, where densities may be infinite', function()
    local shape = torch.DoubleTensor { 0.5, 2 }:requiresGrad()
    torch.sum(torch.gammainc(shape, torch.zeros(2)) + torch.betainc(shape, torch.ones(2), torch.zeros(2))):backward()
    assert.same({ 0, 0 }, shape.grad:totable())
  end)

  it('at the ends of the domain are the limits', function()
    -- Exponential integrals for a = 0: dP(a, x) / da is -E1(x), dI(a, b, x) / da the integral of -(1 - t)^(b - 1) / t from x to 1.
    local gamma, beta, ln2 = torch.gammainc_density, torch.betainc_density, math.log(2)
    local limits = {
      { torch.gammainc, { 0, 1 }, { -0.21938393439552027, 0 } }, { torch.gammaincc, { 0, 1 }, { 0.21938393439552027, 0 } },
      { torch.gammaincinv, { 2, 0 }, { 0, math.huge } },
      { gamma, { 1, 0 }, { -math.huge, -1 } }, { gamma, { 2, 0 }, { 0, 1 } }, { gamma, { 3, 0 }, { 0, 0 } },
      { gamma, { 1.5, 0 }, { 0, math.huge } }, { gamma, { 0, 2 }, { math.exp(-2) / 2, 0 } },
      { torch.betainc, { 0, 1, 0.5 }, { -ln2, 0, 0 } }, { torch.betainc, { 0, 2, 0.5 }, { 0.5 - ln2, 0, 0 } },
      { torch.betainc, { 1, 0, 0.5 }, { 0, ln2, 0 } }, { torch.betaincinv, { 1, 1, 0 }, { 0, 0, 1 } },
      { beta, { 2, 3, 0 }, { 0, 0, 12 } }, { beta, { 2, 2, 1 }, { 0, 0, -6 } }, { beta, { 1, 3, 0 }, { -math.huge, 1, -6 } },
      { beta, { 3, 1, 1 }, { 1, -math.huge, 6 } }, { beta, { 4, 2, 0 }, { 0, 0, 0 } },
    }
    for _, row in ipairs(limits) do
      local leaves = {}
      for i, value in ipairs(row[2]) do leaves[i] = torch.DoubleTensor { value }:requiresGrad() end
      torch.sum(row[1](unpack(leaves))):backward()
      for i, expected in ipairs(row[3]) do
        local actual = leaves[i].grad[1]
        local isRight = actual == expected or math.abs(actual - expected) < 1e-13
        assert.is_true(isRight, ('(%s): slope %d is %.17g, expected %.17g'):format(table.concat(row[2], ', '), i, actual, expected))
      end
    end
  end)

  it('have no derivative of their own', function()
    local autograd = require 'autograd'
    local shape = torch.DoubleTensor { 2 }:requiresGrad()
    local g = autograd.grad(torch.sum(torch.gammainc(shape, torch.ones(1))), shape, { createGraph = true })
    assert.error_matches(function() torch.sum(g):backward() end, 'gammainc_slope: backward: .*not differentiable again')
  end)
end)

it('numbers outside the domain give NaN, and no call takes long', function()
  local rare = { 0 / 0, -1, 0, 5e-324, 1e-300, 1, 1e8, 1e15, 1e308, math.huge }
  local list, others = {}, {}
  for _, first in ipairs(rare) do
    for _, second in ipairs(rare) do list[#list + 1], others[#others + 1] = first, second end
  end
  local a, b = torch.DoubleTensor(list), torch.DoubleTensor(others)
  for _, name in ipairs { 'gammainc', 'gammaincc', 'gammaincinv', 'gammainccinv', 'gammainc_slope', 'gammainc_density', 'betaln' } do
    local y = torch[name](a, b)
    assert.equal(1, torch.isnan(y)[1])
    if name ~= 'gammainc_slope' then assert.equal(1, torch.isnan(y)[11]) end
  end
  for _, x in ipairs { 0.5, 1e-300, 1 - 1e-16, 2, -1, 0 / 0 } do
    for _, name in ipairs { 'betainc', 'betaincinv', 'betainc_density', 'betainc_slope_a', 'betainc_slope_b' } do
      local y = torch[name](a, b, torch.DoubleTensor(a:size(1)):fill(x))
      assert.equal(1, torch.isnan(y)[1])
      if not (x >= 0 and x <= 1) then assert.equal(y:size(1), torch.sum(torch.isnan(y)), name) end
    end
  end
  local p = torch.gammainc(a, b)
  assert.is_true(torch.all(torch.gt(torch.isnan(p) + torch.cmul(torch.ge(p, 0), torch.le(p, 1)), 0)))
end)
