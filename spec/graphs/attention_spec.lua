-- Prepared runs of graphs that compute attention by products and a softmax: one step computes it, with the results of the steps in float64.
local torch = require 'torch'
require 'nn'

local isClose = require('spec.support.close').isClose

local fused = 'scaledDotProductAttention'

local function steps(run, op)
  local count = 0
  for _, name in ipairs(run:graph():info().ops) do count = count + (name == op and 1 or 0) end
  return count
end

local heads, queries, keys, size, width = 3, 64, 80, 6, 5

local function samples(lead, rows, columns)
  local function normal(...)
    local sizes = torch.LongStorage { ... }
    local all = torch.LongStorage(#lead + #sizes)
    for i = 1, #all do all[i] = i <= #lead and lead[i] or sizes[i - #lead] end
    return torch.randn(all)
  end
  return { normal(rows or queries, size), normal(columns or keys, size), normal(columns or keys, width) }
end

local function causal(rows, columns) return torch.triu(torch.Tensor(rows, columns):fill(-math.huge), 1) end

local function scores(q, k) return torch.matmul(q, k:transpose(-2, -1)) end

-- A mask for the type of x, in the sizes.
local function bias(x, ...)
  local count = 1
  for _, extent in ipairs { ... } do count = count * extent end
  return torch.linspace(-2, 2, count):view(...):typeAs(x)
end

-- Programs of queries, keys and values, which one step computes: the leading sizes of the operands, and the program.
local programs = {
  ['a softmax alone'] = { { 2, heads }, function(q, k, v) return torch.matmul(torch.softmax(scores(q, k)), v) end },
  ['matrices'] = { {}, function(q, k, v) return torch.mm(torch.softmax(torch.mm(q, k:t()):div(3), 2), v) end },
  ['a scale'] = { { heads }, function(q, k, v) return torch.bmm(torch.softmax(torch.bmm(q, k:transpose(2, 3)) * 0.3, 3), v) end },
  ['several scales, one negative'] = { { heads },
    function(q, k, v) return torch.bmm(torch.softmax(torch.div(scores(q, k) * -3, 4):cdiv(2), -1), v) end },
  ['a key without a transposition'] = { { heads }, function(q, k, v)
    return torch.matmul(torch.softmax(torch.matmul(q, k:permute(1, 3, 2)) / 2), v)
  end },
  ['an added mask'] = { { 2, heads }, function(q, k, v)
    return torch.matmul(torch.softmax(torch.add(scores(q, k) * 0.5, bias(q, queries, keys))), v)
  end },
  ['an added mask of each key, before the scores'] = { { 2, heads }, function(q, k, v)
    return torch.matmul(torch.softmax(torch.add(k:select(4, 1):contiguous():view(2, heads, 1, keys), scores(q, k))), v)
  end },
  ['a mask of heads'] = { { 2, heads }, function(q, k, v)
    return torch.matmul(torch.softmax(torch.add(scores(q, k), bias(q, heads, queries, 1))), v)
  end },
  ['a constant that hides later keys'] = { { heads }, function(q, k, v)
    return torch.matmul(torch.softmax(torch.add(scores(q, k), causal(queries, keys):typeAs(q)) * 0.5), v)
  end, causal = true },
  ['a filled mask'] = { { 2, heads }, function(q, k, v)
    local s = scores(q, k) * 0.4
    local mask = torch.lt(torch.abs(torch.linspace(-4, 4, keys)), 2):view(1, 1, 1, keys)
    return torch.matmul(torch.softmax(s:maskedFill(mask:expandAs(s), -math.huge)), v)
  end },
  ['a filled mask before the scale'] = { { 2, heads }, function(q, k, v)
    local mask = torch.gt(torch.linspace(-400, 400, queries * keys):view(queries, keys):sin(), 0.5)
    return torch.matmul(torch.softmax(torch.maskedFill(scores(q, k), mask, -math.huge):mul(0.4)), v)
  end },
  ['a filled mask that hides later keys'] = { { heads }, function(q, k, v)
    local mask = torch.eq(torch.triu(torch.ones(queries, keys), 1), 1)
    return torch.matmul(torch.softmax(torch.maskedFill(scores(q, k), mask, -math.huge)), v)
  end, causal = true },
  ['a mask of the operands'] = { { heads }, function(q, k, v)
    local mask = torch.gt(k:select(3, 1), 0.5):view(heads, 1, keys)
    local s = scores(q, k)
    return torch.matmul(torch.softmax(torch.maskedFill(s, mask:expandAs(s), -math.huge)), v)
  end },
  ['a choice by a mask'] = { { heads }, function(q, k, v)
    local mask = torch.gt(torch.linspace(-400, 400, queries * keys):view(queries, keys):sin(), -0.5)
    return torch.matmul(torch.softmax(torch.where(mask, scores(q, k), -math.huge)), v)
  end },
  ['two masks, one of which hides later keys'] = { { heads }, function(q, k, v)
    return torch.matmul(torch.softmax(torch.add(torch.add(scores(q, k), bias(q, queries, keys)), causal(queries, keys):typeAs(q))), v)
  end, causal = true },
  ['views between the products'] = { { 2 * heads }, function(q, k, v)
    local s = torch.bmm(q, k:transpose(2, 3)):view(2, heads, queries, keys)
    s = torch.add(s, bias(q, 2, 1, 1, keys))
    return torch.bmm(torch.softmax(s, 4):view(2 * heads, queries, keys), v)
  end },
  ['views without a mask'] = { { 2, heads }, function(q, k, v)
    local p = torch.softmax(scores(q, k))
    return torch.bmm(p:view(2 * heads, queries, keys), v:view(2 * heads, keys, width))
  end },
  ['views after the mask'] = { { heads }, function(q, k, v)
    local s = torch.add(scores(q, k), bias(q, 1, keys)):view(heads, 1, queries, keys)
    return torch.matmul(torch.softmax(s), v:view(heads, 1, keys, width))
  end },
}

-- Programs whose steps stay.
local others = {
  ['weights that are also an output'] = function(q, k, v)
    local p = torch.softmax(scores(q, k))
    return torch.matmul(p, v), p
  end,
  ['scores that are also an output'] = function(q, k, v)
    local s = scores(q, k)
    return torch.matmul(torch.softmax(s), v), s
  end,
  ['weights with another use'] = function(q, k, v)
    local p = torch.softmax(scores(q, k))
    return torch.matmul(p, v), torch.max(p, 3)
  end,
  ['a softmax along the queries'] = function(q, k, v) return torch.matmul(torch.softmax(scores(q, k), 2), v) end,
  ['a logarithm of the softmax'] = function(q, k, v) return torch.matmul(torch.logsoftmax(scores(q, k), 3), v) end,
  ['weights that are multiplied'] = function(q, k, v) return torch.matmul(torch.softmax(scores(q, k)) * 2, v) end,
  ['an infinite scale'] = function(q, k, v) return torch.matmul(torch.softmax(scores(q, k) * math.huge), v) end,
  ['a scale of 1 / 0'] = function(q, k, v) return torch.matmul(torch.softmax(torch.div(scores(q, k), 0)), v) end,
  ['a scale of nearly 0'] = function(q, k, v) return torch.matmul(torch.softmax(torch.mul(scores(q, k), 1e-30)), v) end,
  ['a scale that is an operand'] = function(q, k, v) return torch.matmul(torch.softmax(torch.cmul(scores(q, k), q:narrow(3, 1, 1))), v) end,
  ['a filled mask of a finite number'] = function(q, k, v)
    return torch.matmul(torch.softmax(torch.maskedFill(scores(q, k), torch.ones(queries, keys):byte(), -1e9)), v)
  end,
  ['a filled mask before a negative scale'] = function(q, k, v)
    local mask = torch.gt(torch.linspace(-400, 400, queries * keys):view(queries, keys):sin(), 0.5)
    return torch.matmul(torch.softmax(torch.maskedFill(scores(q, k), mask, -math.huge):mul(-0.4)), v)
  end,
  ['an added mask before the scale'] = function(q, k, v)
    return torch.matmul(torch.softmax(torch.add(scores(q, k), bias(q, queries, keys)):mul(0.5)), v)
  end,
  ['two added masks'] = function(q, k, v)
    local mask = bias(q, queries, keys)
    return torch.matmul(torch.softmax(torch.add(torch.add(scores(q, k), mask), mask:mul(2))), v)
  end,
  ['an added number'] = function(q, k, v) return torch.matmul(torch.softmax(torch.add(scores(q, k), 1)), v) end,
  ['an added multiple'] = function(q, k, v)
    return torch.matmul(torch.softmax(torch.add(scores(q, k), 0.5, bias(q, queries, keys))), v)
  end,
  ['a mask to whose sizes the scores are broadcast'] = function(q, k, v)
    local s = torch.add(torch.mm(q[1], k[1]:t()), bias(q, heads, 1, keys))
    return torch.matmul(torch.softmax(s), v)
  end,
  ['operands that are broadcast'] = function(q, k, v) return torch.matmul(torch.softmax(scores(q:narrow(1, 1, 1), k)), v) end,
  ['other values'] = function(q, k, v) return torch.matmul(v:transpose(2, 3), torch.softmax(scores(q, k)):transpose(2, 3)) end,
}

describe('attention in a prepared graph', function()
  before_each(function() torch.manualSeed(5) end)

  for name, case in pairs(programs) do
    it('is one step for ' .. name, function()
      local lead, program = case[1], case[2]
      local g = torch.graph.capture(program, samples(lead))
      local run = g:prepare()
      assert.are.equal(1, steps(run, fused))
      assert.are.equal(0, steps(run, 'softmax'))
      assert.are.equal(case.causal or false, tostring(run:graph()):find('true', 1, true) ~= nil)
      for _ = 1, 2 do
        local q, k, v = unpack(samples(lead))
        assert.is_true(isClose(program(q, k, v), run(q, k, v), { rtol = 1e-12, atol = 1e-13, sameType = true }))
      end
      local single = {}
      for i, x in ipairs(samples(lead)) do single[i] = x:float() end
      local double = { single[1]:double(), single[2]:double(), single[3]:double() }
      local rounded = g:run(double):float()
      local prepared = torch.graph.capture(program, single):prepare()
      assert.are.equal(1, steps(prepared, fused))
      assert.is_true(isClose(rounded, prepared:run(unpack(single)), { rtol = 2e-5, atol = 2e-6, sameType = true }))
    end)
  end

  for name, program in pairs(others) do
    it('stays as it is for ' .. name, function()
      local g = torch.graph.capture(program, samples { heads })
      local run = g:prepare()
      assert.are.equal(0, steps(run, fused))
      local q, k, v = unpack(samples { heads })
      assert.is_true(isClose(program(q, k, v), (run(q, k, v)), { rtol = 1e-12, atol = 1e-13, sameType = true, equalNan = true }))
    end)
  end

  it('stays as it is where dropout lies between', function()
    local kept = torch.gt(torch.rand(heads, queries, keys), 0.5):double():mul(2)
    local g = torch.graph.capture(function(q, k, v) return torch.matmul(torch.cmul(torch.softmax(scores(q, k)), kept), v) end,
      samples { heads })
    assert.are.equal(0, steps(g:prepare(), fused))
  end)

  it('stays as it is for few queries or keys, and for half precision', function()
    local program = programs['a softmax alone'][2]
    local function count(rows, columns) return steps(torch.graph.capture(program, samples({}, rows, columns)):prepare(), fused) end
    assert.are.equal(0, count(1, 1000))
    assert.are.equal(0, count(47, 64))
    assert.are.equal(1, count(48, 64))
    assert.are.equal(0, count(64, 63))
    assert.are.equal(0, count(95, 64))
    local half = {}
    for i, x in ipairs(samples {}) do half[i] = x:half() end
    assert.are.equal(0, steps(torch.graph.capture(program, half):prepare(), fused))
  end)

  it('is a step for each layer and each step of a scan', function()
    local q, k, v = unpack(samples { heads })
    local w = torch.randn(width, size)
    local program = programs['a scale'][2]
    local function layers(x, key, value)
      x = torch.matmul(program(x, key, value), w)
      return program(x, key, value)
    end
    local run = torch.graph.capture(layers, { q, k, v }):prepare()
    assert.are.equal(2, steps(run, fused))
    assert.is_true(isClose(layers(q, k, v), run(q, k, v), { rtol = 1e-11, atol = 1e-12 }))
    local function loop(x, key, value)
      return (torch.graph.scan(function(state, each)
        state = torch.matmul(program(state, key, value), each)
        return state, state
      end, { x }, { torch.cat({ w:view(1, width, size), w:view(1, width, size) }, 1) }))
    end
    local scanned = torch.graph.capture(loop, { q, k, v }):prepare()
    assert.is_not_nil(tostring(scanned:graph()):find(fused, 1, true))
    assert.is_true(isClose(loop(q, k, v), scanned(q, k, v), { rtol = 1e-11, atol = 1e-12 }))
  end)

  it('takes the first of two that share a product', function()
    local function program(q, k, v)
      local p = torch.softmax(torch.mm(q, k:t()))
      return torch.mm(torch.softmax(torch.mm(p, v)), torch.ones(keys, 3))
    end
    local inputs = { torch.randn(64, 4), torch.randn(keys, 4), torch.randn(keys, keys) }
    local run = torch.graph.capture(program, inputs):prepare()
    assert.are.equal(1, steps(run, fused))
    assert.is_true(isClose(program(unpack(inputs)), run(unpack(inputs)), { rtol = 1e-12, atol = 1e-13 }))
  end)

  it('gives 0 to a query whose keys are all excluded, and NaN from NaN', function()
    local mask = torch.zeros(queries, keys)
    mask[3]:fill(-math.huge)
    local program = function(q, k, v) return torch.matmul(torch.softmax(torch.add(scores(q, k), mask)), v) end
    local inputs = samples {}
    inputs[1][5][2] = 0 / 0
    local expected = program(unpack(inputs))
    assert.is_true(expected[3][1] ~= expected[3][1])
    expected[3]:zero()
    local result = torch.graph.capture(program, inputs):prepare()(unpack(inputs))
    assert.is_true(result[5][1] ~= result[5][1])
    assert.is_true(isClose(expected, result, { rtol = 1e-12, atol = 1e-13, equalNan = true }))
  end)

  it('reads a mask to which the graph writes in each run', function()
    local mask = causal(queries, keys)
    local inputs = samples {}
    local g = torch.graph.capture(function(q, k, v)
      local y = torch.matmul(torch.softmax(torch.add(scores(q, k), mask)), v)
      mask:mul(0.5):cmax(-3)
      return y
    end, inputs)
    mask:copy(causal(queries, keys))
    local run = g:prepare()
    for _ = 1, 2 do
      local expected = torch.matmul(torch.softmax(torch.add(scores(inputs[1], inputs[2]), mask)), inputs[3])
      assert.is_true(isClose(expected, run(unpack(inputs)), { rtol = 1e-12, atol = 1e-13 }))
    end
    assert.are.equal(1, steps(run, fused))
  end)
end)
