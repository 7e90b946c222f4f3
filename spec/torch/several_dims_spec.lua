-- Reductions along several dimensions equal reductions of the same elements along one dimension.
local torch = require 'torch'
local autograd = require 'autograd'
local assertClose = require('spec.support.close').within(1e-13)

local x = torch.sin(torch.range(1, 120):double()):view(2, 3, 4, 5)

-- The elements that are reduced together, as rows: of dimensions 2 and 4, and of 1, 3 and 4.
local function rowsOf(t, kept, reduced)
  local order, sizes, count = {}, {}, 1
  for _, d in ipairs(kept) do order[#order + 1], sizes[#sizes + 1] = d, t:size(d) end
  for _, d in ipairs(reduced) do order[#order + 1], count = d, count * t:size(d) end
  sizes[#sizes + 1] = count
  return t:permute(unpack(order)):contiguous():view(unpack(sizes))
end

local function check(name, before, behind)
  local f = torch[name]
  local function call(t, dims)
    if before then return f(t, before, dims) end
    return (f(t, dims, behind))
  end
  assertClose(call(rowsOf(x, { 1, 3 }, { 2, 4 }), 3):view(2, 1, 4, 1), call(x, { 2, 4 }))
  assert.same({ 2, 1, 4, 1 }, call(x, { 4, 2 }):size():totable())
  assertClose(call(rowsOf(x, { 2 }, { 1, 3, 4 }), 2):view(1, 3, 1, 1), call(x, { 1, -1, 3 }))
  assertClose(call(x, 3), call(x, { 3 }))
  assertClose(call(x:view(1, -1), 2):view(1, 1, 1, 1), call(x, torch.LongStorage { 1, 2, 3, 4 }))
end

local function checkBoth(name, behind)
  for r = 1, 2 do
    local expected, found = select(r, torch[name](rowsOf(x, { 1, 3 }, { 2, 4 }), 3, behind)), select(r, torch[name](x, { 2, 4 }, behind))
    assertClose(expected:view(2, 1, 4, 1), found)
  end
  local first, second = torch.DoubleTensor(), torch.DoubleTensor()
  local a, b = torch[name](first, second, x, { 2, 4 }, behind)
  assert.is_true(rawequal(first, a) and rawequal(second, b))
  assertClose((select(2, torch[name](x, { 2, 4 }, behind))), second)
  assert.equal(2, select('#', torch[name](x, { 1, 2 })))
end

describe('Along a list of dimensions', function()
  for _, name in ipairs { 'sum', 'nansum', 'prod', 'mean', 'max', 'min', 'any', 'all', 'logsumexp', 'var', 'std', 'nanmean',
                          'nanmax', 'nanmin', 'countNonzero', 'nanvar', 'nanstd' } do
    it(name .. ' is that of all their elements', function() check(name) end)
  end
  it('norm takes p before it, var and std `biased` behind', function()
    check('norm', 3)
    assert.is_true(torch.equal(torch.norm(x, 2, { 1, 3 }), torch.norm(x, { 1, 3 })))
    check('norm', math.huge)
    check('var', nil, true)
    check('std', nil, true)
  end)
  it('all results are there', function()
    checkBoth('aminmax')
    checkBoth('varMean')
    checkBoth('stdMean', true)
  end)
  it('methods and given results work alike', function()
    local expected = torch.sum(x, { 1, 3 })
    assert.is_true(torch.equal(expected, x:sum { 1, 3 }))
    local result = torch.DoubleTensor()
    assert.is_true(rawequal(result, torch.sum(result, x, { 1, 3 })))
    assert.is_true(torch.equal(expected, result))
    assert.is_true(torch.equal(torch.max(x, { 2, 3 }), x:max { 2, 3 }))
  end)
  it('gradients go through, also of gradients', function()
    assert(autograd.gradcheck(function(t) return torch.sum(torch.square(t), { 1, 3 }) end, { x:narrow(4, 1, 1):clone() }))
    assert(autograd.gradcheck(function(t) return torch.std(t, { 1, 3 }) end, { x:narrow(4, 1, 1):clone() }))
    local g = autograd.grad(torch.sum(torch.max(x:clone():requiresGrad(), { 1, 2, 3 })), {}, { allowUnused = true })
    assert.same({}, g)
  end)
  it('types are those along one', function()
    local bytes = torch.ByteTensor(2, 2):fill(200)
    assert.equal(4 * 200 % 256, torch.sum(bytes, { 1, 2 })[1][1])           -- wraps, as along one dimension
    assert.equal(800, torch.sum(bytes:long(), { 1, 2 })[1][1])
    assert.equal('torch.LongTensor', torch.sum(x:long(), { 1, 2 }):type())
    assert.equal('torch.HalfTensor', torch.mean(x:half(), { 1, 2 }):type())
  end)
  it('wrong dimensions are named', function()
    assert.error_matches(function() torch.sum(x, { 1, 5 }) end, 'sum: dim: number 2 of the list is 5, expected a dimension from 1 to 4')
    assert.error_matches(function() torch.sum(x, { 1, -4 }) end, 'sum: dim: dimension 1 is twice in the list')
    assert.error_matches(function() torch.mean(x, {}) end, 'mean: dim: an empty list, expected at least one dimension')
    assert.error_matches(function() torch.mean(x, { 'a' }) end, 'mean: dim: number 1 of the list is a, expected a dimension')
    assert.error_matches(function() torch.mean(x, { 1, 2 }, 3) end, 'mean: arguments: ')
    assert.error_matches(function() torch.exp(x, { 1, 2 }) end, 'exp: ')
    assert.error_matches(function() torch.cumsum(x, { 1, 2 }) end, 'cumsum: ')
  end)
end)
