-- Control flow in graphs as text: cond, while and scan against loops in Lua, the passes, files, pictures and prepared runs.
local torch = require 'torch'
local parse = torch.graph.parse
local isClose = require('spec.support.close').isClose

local function same(actual, expected) return assert.is_true(isClose(expected, actual, { rtol = 0, atol = 0, sameType = true })) end
local function copied(...) return parse(tostring(parse(...))) end

local choice = [[
graph(p: tensor, x: float64[2]) {
  y = cond(p, {x}) {  -- model.lua:3
    then(a: float64[2]) {
      z = mul(a, 2)
      return z
    }
    else(a: float64[2]) {
      return a
    }
  }
  return y
}
]]

-- The greatest common divisor of two numbers by Euclid's algorithm.
local euclid = [[
graph(a: int64[1], b: int64[1]) {
  c, d = while({a, b}) {
    condition(x: int64[1], y: int64[1]) {
      %1 = ne(y, 0)
      return %1
    }
    body(x: int64[1], y: int64[1]) {
      %1 = remainder(x, y)
      return y, %1
    }
  }
  return c
}
]]

-- A recurrent layer: the state and the sum of all slices before each one.
local sums = [[
graph(h: float64[3], x: float64[?, 3], w: float64[3]) {
  last, before = scan({h}, {x}, {w}) {
    body(s, v, f) {
      t = add(s, cmul(v, f))
      return t, s
    }
  }
  return last, before
}
]]

local function summed(h, x, w)
  local before = torch.Tensor(x:size(1), 3)
  h = h:clone()
  for t = 1, x:size(1) do
    before[t]:copy(h)
    h:add(torch.cmul(x[t], w))
  end
  return h, before
end

describe('cond in a graph', function()
  it('runs one of its bodies', function()
    local g, x = parse(choice), torch.Tensor { 3, -4 }
    for _, one in ipairs { torch.Tensor { -0.5 }, torch.ByteTensor { 1 }, torch.LongTensor { 2 ^ 40 }, torch.gt(torch.ones(1), 0) } do
      same(g:run(one, x), torch.Tensor { 6, -8 })
    end
    for _, zero in ipairs { torch.Tensor { -0.0 }, torch.ByteTensor { 0 }, torch.LongTensor(1, 1):zero() } do same(g:run(zero, x), x) end
  end)

  it('returns memory of its own, also for an operand that a body returns unchanged, or twice', function()
    local x = torch.Tensor { 3, -4 }
    parse(choice):run(torch.zeros(1), x):fill(9)
    same(x, torch.Tensor { 3, -4 })
    local g = parse 'graph(x: tensor) { y, z = cond(x, {x}) { then(a) { b = exp(a) return b, b } else(a) { return a, a } } return y, z }'
    for _, value in ipairs { 0, 1 } do
      local y, z = g:run(torch.Tensor { value })
      y:fill(7)
      same(z, torch.Tensor { value == 0 and 0 or math.exp(1) })
    end
  end)

  it('runs the steps of the chosen body alone: the other one may fail, and draws no numbers', function()
    local g = parse [[graph(p: tensor, x: tensor) {
      y = cond(p, {x}) { then(a) { return narrow(a, 1, 1, 5) } else(a) { b = uniform(0, 1) into float64[20]
 return b } }
      return y }]]
    torch.manualSeed(3)
    local expected = torch.Tensor(20):uniform()
    torch.manualSeed(3)
    same(g:run(torch.ones(1), torch.ones(6)), torch.ones(5))
    same(g:run(torch.zeros(1), torch.ones(20)), expected)
    assert.error_matches(function() g:run(torch.ones(1), torch.ones(2)) end, 'narrow: length')
  end)

  it('refuses predicates with several elements, with the line', function()
    assert.error_matches(function() parse(choice):run(torch.ones(2), torch.ones(2)) end,
      'graph: step 1 %(model.lua:3%): cond: predicate: torch.DoubleTensor %[2%], expected one element')
    assert.error_matches(function() parse(choice):run(torch.Tensor(), torch.ones(2)) end, 'cond: predicate: .* expected one element')
  end)
end)

describe('while in a graph', function()
  it('repeats its body until the condition is false', function()
    local g = copied(euclid)
    for _, case in ipairs { { 48, 36, 12 }, { 17, 5, 1 }, { 9, 0, 9 }, { 0, 4, 4 } } do
      same(g:run(torch.LongTensor { case[1] }, torch.LongTensor { case[2] }), torch.LongTensor { case[3] })
    end
  end)

  it('has a limit, which may be an input, and which may be 0', function()
    local g = parse [[graph(x: tensor, w: tensor, n: int) {
      y = while({x}, {w}, n) { condition(a, b) { return gt(b, 0) } body(a, b) { return add(a, b) } }
      return y }]]
    local x = torch.zeros(1)
    for n = 0, 4 do same(g:run(x, torch.Tensor { 2 }, n), torch.Tensor { 2 * n }) end
    same(x, torch.zeros(1))
    same(g:run(x, torch.zeros(1), 5), x)                                   -- the condition is false at the start
    assert.error_matches(function() g:run(x, torch.ones(1), -1) end, 'while: limit: %-1 iterations, expected 0 or more')
  end)

  it('lets the caller keep its tensors: results share no memory with the state of the start', function()
    local g = parse [[
      graph(x: tensor, p: tensor) {
        y = while({x}, {p}, 1) { condition(a, p) { return p } body(a, p) { return a } } return y }]]
    for p = 0, 1 do
      local x = torch.ones(2)
      g:run(x, torch.Tensor { p }):fill(5)
      same(x, torch.ones(2))
    end
  end)

  it('refuses a state that changes its dtype or sizes', function()
    local text = 'graph(x: tensor) { y = while({x}) { condition(a) { return lt(sum(a, 1), 9) } body(a) { return %s } } return y }'
    assert.error_matches(function() parse(text:format 'cat({a, a}, 1)'):run(torch.ones(2)) end,
      'while: body: torch.DoubleTensor %[4%] as output 1 of iteration 1, expected torch.DoubleTensor %[2%]')
    assert.error_matches(function() parse(text:format "to(a, 'float32')"):run(torch.ones(2)) end,
      'while: body: torch.FloatTensor %[2%] as output 1 of iteration 1, expected torch.DoubleTensor %[2%]')
  end)

  it('uses the same memory in all iterations', function()
    local g = parse [[graph(x: tensor, w: tensor) {
      y = while({x}, {w}) { condition(a, b) { return lt(narrow(a, 1, 1, 1), 1e6) } body(a, b) { return add(a, b) } }
      return y }]]
    g:run(torch.Tensor(1000):fill(1e6 - 10), torch.ones(1000))
    collectgarbage()
    local file = io.open '/proc/self/statm'
    if not file then return end
    local function pages()
      file:seek 'set'
      return tonumber(select(2, file:read('*n', '*n')))
    end
    local before = pages()
    assert.equal(1e6, g:run(torch.zeros(1000), torch.ones(1000))[1])
    assert.is_true(pages() - before < 1000)                               -- 4 MB; the results of all iterations have 8 GB
    file:close()
  end)
end)

describe('scan in a graph', function()
  it('passes a state through the slices of sequences, and stacks the outputs', function()
    local g = copied(sums)
    for _, length in ipairs { 1, 2, 7 } do
      local h, x, w = torch.randn(3), torch.randn(length, 3), torch.randn(3)
      local last, before = g:run(h, x, w)
      local expectedLast, expectedBefore = summed(h, x, w)
      same(last, expectedLast)
      same(before, expectedBefore)
    end
  end)

  it('from the last slice on with reverse', function()
    local g = copied((sums:gsub('{w}%)', '{w}, true)')))
    local h, x, w = torch.randn(3), torch.randn(5, 3), torch.randn(3)
    local last, before = g:run(h, x, w)
    local order = torch.LongTensor { 5, 4, 3, 2, 1 }
    local expectedLast, expectedBefore = summed(h, x:index(1, order), w)
    same(last, expectedLast)
    same(before, expectedBefore:index(1, order))
  end)

  it('of length 0 returns the state, and outputs of length 0', function()
    local last, before = parse(sums):run(torch.ones(3), torch.Tensor(0, 3), torch.ones(3))
    same(last, torch.ones(3))
    assert.same({ 0, 3 }, before:size():totable())
  end)

  it('over vectors has slices of one element', function()
    local g = parse [[
      graph(x: float32[?]) {
        s, y = scan({full({1}, 0, 'float32')}, {x}) { body(s, v) { t = add(s, v) return t, t } } return y }]]
    same(g:run(torch.FloatTensor { 1, 2, 3, 4 }), torch.FloatTensor { { 1 }, { 3 }, { 6 }, { 10 } })
  end)

  it('needs no state', function()
    local g = parse 'graph(x: tensor, y: tensor) { z, s = scan({}, {x, y}) { body(a, b) { return add(a, b), a } } return z, s }'
    local x, y = torch.randn(3, 2), torch.randn(3, 2)
    local z, s = g:run(x, y)
    same(z, torch.add(x, y))
    same(s, x)
    z:zero()
    s:zero()
    assert.is_true(x:norm() > 0)
  end)

  it('draws random numbers anew for each slice', function()
    local g = parse 'graph(x: tensor) { y = scan({}, {x}) { body(v) { r = uniform(0, 1) into float64[50]\n return r } } return y }'
    torch.manualSeed(1)
    local y = g:run(torch.ones(4, 1))
    torch.manualSeed(1)
    for t = 1, 4 do same(y[t], torch.Tensor(50):uniform()) end
    assert.is_false(torch.equal(y[1], y[2]))
  end)

  it('refuses sequences of different lengths, and outputs that change', function()
    local g = parse 'graph(x: tensor, y: tensor) { z = scan({}, {x, y}) { body(a, b) { return nonzero(a) } } return z }'
    assert.error_matches(function() g:run(torch.ones(2, 2), torch.ones(3)) end,
      'scan: sequences: 3 and 2 slices, expected sequences of one length')
    assert.error_matches(function() g:run(torch.Tensor { { 1, 0 }, { 1, 1 } }, torch.ones(2)) end,
      'scan: body: torch.LongTensor %[2, 1%] as output 1 of iteration 2, expected torch.LongTensor %[1, 1%]')
    assert.error_matches(function() g:run(torch.Tensor(), torch.ones(3)) end, 'scan: sequences: a tensor without dimensions')
  end)

  it('names the steps of a body that fail', function()
    local g = parse [[graph(x: tensor) {
      y = scan({}, {x}) {  -- rnn.lua:7
        body(a) {
          z = add(a, 1)
          w = narrow(z, 1, 3, 2)  -- cell.lua:9
          return w
        }
      }
      return y
    }]]
    assert.error_matches(function() g:run(torch.ones(2, 3)) end,
      'graph: step 1 %(rnn.lua:7%): scan: body: step 2 %(cell.lua:9%): narrow: length: ')
  end)
end)

describe('nested control flow', function()
  local text = [[
graph(x: int64[?], zero: int64[1]) {
  total, steps = scan({zero}, {x}) {
    body(sum: int64[1], start: int64[1]) {
      %1, %2 = while({start, sum}) {
        condition(n: int64[1], k: int64[1]) {
          %1 = ne(n, 1)
          return %1
        }
        body(n: int64[1], k: int64[1]) {
          %1 = remainder(n, 2)
          %2 = cond(%1, {n}) {
            then(n: int64[1]) {
              %1 = mul(n, 3)
              %2 = add(%1, 1)
              return %2
            }
            else(n: int64[1]) {
              %1 = div(n, 2)
              return %1
            }
          }
          %3 = add(k, 1)
          return %2, %3
        }
      }
      %3 = csub(%2, sum)
      return %2, %3
    }
  }
  return total, steps
}
]]

  it('runs: the lengths of Collatz sequences (OEIS A006577)', function()
    local g = parse(text)
    assert.equal(text, tostring(g))
    local total, steps = g:run(torch.LongTensor { 1, 2, 3, 6, 7, 27 }, torch.LongTensor { 0 })
    same(steps:view(6), torch.LongTensor { 0, 1, 7, 8, 16, 111 })
    same(total, torch.LongTensor { 143 })
  end)

  it('is limited', function()
    local function nested(depth)
      local body = 'return a'
      for i = 1, depth do body = ('b%d = cond(a, {a}) { then(a) { return a } else(a) { %s } } return b%d'):format(i, body, i) end
      return 'graph(a: tensor) { ' .. body .. ' }'
    end
    same(parse(nested(32)):run(torch.zeros(1)), torch.zeros(1))
    assert.error_matches(function() parse(nested(33)) end, 'graph: step 1, cond, else, step 1, .* expected at most 32')
    assert.error_matches(function() parse(nested(3000)) end, 'expected .* less nested')
  end)
end)

describe('graphs with control flow', function()
  local function refused(text, message)
    local done, err = pcall(parse, text)
    assert.is_false(done)
    assert.matches(message, err)
  end
  local function cond(thenBody, elseBody)
    return ('graph(x: float64[2]) { y = cond(x, {x}) { %s %s } return y }'):format(thenBody, elseBody)
  end

  it('are checked when they are parsed', function()
    refused(cond('then(a) { return a }', ''), "'then%(a%).*, expected the body then and the body else")
    refused(cond('then(a) { return a }', 'body(a) { return a }'), 'expected the body then and the body else')
    refused(cond('then(a) { return a }', 'else(a, b) { return b }'), 'step 1, cond, else: 2 inputs, expected 1')
    refused(cond('then(a) { return a }', 'else(a) { return a, a }'), 'step 1, cond, else: 2 outputs, expected 1')
    refused(cond('then(a) { return a }', 'else(a) { return x }'), 'expected the name of an input')
    refused(cond('then(a) { return a }', 'else(a: float64[3]) { return a }'), 'cond, else, a: float64 %[2%], expected float64 %[3%]')
    refused(cond('then(a: float64[2]) { return a }', "else(a) { b: float32[2] = to(a, 'float32') return b }"),
      'cond, else: float32 %[2%] as output 1, expected float64 %[2%]')
    refused(cond('then(a) { }', 'else(a) { }'), 'expected at most 0 names for the results of cond')
    refused(cond('then(a) { constant c: float64[2]\n return c }', 'else(a) { return a }'), 'expected a body without constants')
    refused(cond('then(a) { update a = a\n return a }', 'else(a) { return a }'), 'cond, then: an update in a body, expected outputs alone')
    refused(cond('then(a: number) { return full({2}, a) }', 'else(a) { return a }'), 'expected tensors')
    refused('graph(x: tensor) { y = cond(x, {x}) return y }', 'expected a statement of its own with bodies for cond')
    refused('graph(x: tensor) { y = exp(cond(x, {x})) return y }', 'expected a statement of its own with bodies for cond')
    refused('graph(x: tensor) { y = exp(x) { body(a) { return a } } return y }', 'expected cond, while or scan before a body')
    refused('graph(x: tensors, y: tensor) { z = cond(y, x) { then(a) { return a } else(a) { return a } } return z }',
      'cond, operands: a list that is an input, expected a list of tensors')
    refused('graph(x: tensor) { y = while({x}) { condition(a) { return a, a } body(a) { return a } } return y }',
      'while, condition: 2 outputs, expected one')
    refused('graph(x: tensor) { y = while({x}) { condition(a) { return a } body(a) { return a, a } } return y }',
      'while, body: 2 outputs, expected 1, the state')
    refused('graph(x: tensor) { y = scan({x}, {}) { body(a) { return a } } return y }', 'scan, sequences: none, expected one or more')
    refused('graph(x: tensor) { y = scan({x, x}, {x}) { body(a, b, c) { return a } } return y }',
      'scan, body: 1 outputs, expected 2 or more')
    refused('graph(x: float64[3, 2]) { y = scan({}, {x}) { body(a: float64[3]) { return a } } return y }',
      'scan, body, a: float64 %[2%], expected float64 %[3%]')
    refused('graph(x: tensor) { y = cond(x, {x}) { then(a) { b = exp(a) b = exp(a) return b } else(a) { return a } } return y }',
      'expected a name that is not defined yet')
    refused('graph(x: tensor) { fused { y = cond(x, {x}) { then(a) { return a } else(a) { return a } } } return y }',
      'expected calls of ops')
  end)

  it('check the operands of bodies with types when they run', function()
    local g = parse 'graph(p: tensor, x: tensor) { y = cond(p, {x}) { then(a: float64[2]) { return a } else(a) { return a } } return y }'
    assert.error_matches(function() g:run(torch.ones(1), torch.ones(3)) end,
      'cond: then: a: torch.DoubleTensor %[3%], expected torch.DoubleTensor %[2%]')
  end)

  it('have types', function()
    local types = parse(sums:gsub('%?', '5')):dot()
    assert.matches('cluster_step1_1_', types)
    assert.matches('label="scan: body"', types)
    local g = parse [[graph(x: float32[4, 2]) {
      s, y = scan({full({2}, 0, 'float32')}, {x}) { body(s: float32[2], v: float32[2]) { return add(s, v), gt(v, 0) } }
      a = exp(y)
      b = exp(neg(s))
      return a, b }]]
    local a, b = g:run(torch.ones(4, 2):float())
    same(b, torch.exp(torch.FloatTensor { -4, -4 }))
    assert.same({ 4, 2 }, a:size():totable())
  end)

  it('are optimised: bodies lose dead and common steps, and equal steps are merged', function()
    local folder = os.tmpname()
    os.remove(folder)
    local g = parse [[graph(p: float64[1], x: float64[40]) {
      y = cond(p, {x}) {
        then(a: float64[40]) { dead = exp(a) b = sin(a) c = sin(a) d = mul(b, 1) return add(d, c) }
        else(a: float64[40]) { return a } }
      z = cond(p, {x}) {
        then(a: float64[40]) { dead = exp(a) b = sin(a) c = sin(a) d = mul(b, 1) return add(d, c) }
        else(a: float64[40]) { return a } }
      u = cond(p, {x}) {
        then(a: float64[40]) { return cos(a) }
        else(a: float64[40]) { return a } }
      dead = cond(p, {x}) {
        then(a: float64[40]) { return a }
        else(a: float64[40]) { return a } }
      random = cond(p, {x}) {
        then(a: float64[40]) { b = uniform(0, 1) into float64[40]
 return b }
        else(a: float64[40]) { return a } }
      return y, z, u }]]
    g:save(folder)
    local loaded = torch.graph.load(folder)                               -- loading runs the passes
    os.remove(folder)
    local text = tostring(loaded)
    assert.equal(1, select(2, text:gsub(' sin%(', '')))
    assert.equal(0, select(2, text:gsub(' exp%(', '')))
    assert.equal(1, select(2, text:gsub('fused', '')))
    assert.same({ 'cond', 'cond', 'cond' }, loaded:info().ops)        -- the two equal ones are one; that which draws stays
    local x = torch.rand(40)
    for p = 0, 1 do
      for i, each in ipairs { g:run(torch.Tensor { p }, x) } do same(select(i, loaded:run(torch.Tensor { p }, x)), each) end
    end
  end)

  it('are saved, in version 2 of the format', function()
    local name = os.tmpname()
    parse(sums):save(name)
    local file = io.open(name, 'rb')
    local content = file:read '*a'
    file:close()
    assert.equal('\2\0\0\0', content:sub(9, 12))
    local loaded = torch.graph.load(name)
    os.remove(name)
    local h, x, w = torch.randn(3), torch.randn(4, 3), torch.randn(3)
    same(loaded:run(h, x, w), (summed(h, x, w)))
  end)

  it('with random damage are refused, or have a text that parses to the same graph', function()
    local words = { '{', '}', '(', ')', ',', 'a', 'x', 'return', 'body', 'then', 'else', 'cond', 'scan', 'while', '%1', '3', 'none', ' ' }
    local accepted = 0
    for _, text in ipairs { choice, euclid, sums } do
      for _ = 1, 2000 do
        local from = torch.random(#text)
        local damaged = text:sub(1, from) .. words[torch.random(#words)] .. text:sub(from + torch.random(0, 12))
        local done, g = pcall(parse, damaged)
        if done then
          accepted = accepted + 1
          assert.equal(tostring(g), tostring(parse(tostring(g))))
        else
          assert.matches('^graph: .*, expected ', g)
        end
      end
    end
    assert.is_true(accepted > 0)
  end)

  it('run prepared, if the number of iterations is known', function()
    local run = parse(sums):prepare(torch.ones(3), torch.ones(6, 3), torch.ones(3))
    for _ = 1, 3 do
      local h, x, w = torch.randn(3), torch.randn(6, 3), torch.randn(3)
      local last, before = run(h, x, w)
      local expectedLast, expectedBefore = summed(h, x, w)
      same(last, expectedLast)
      same(before, expectedBefore)
    end
    assert.error_matches(function() parse(choice):prepare(torch.ones(1), torch.ones(2)) end,
      'prepare: step 1 %(model.lua:3%), cond: steps that depend on elements, expected ')
    assert.error_matches(function() parse(euclid):prepare() end, 'prepare: step 1, while: steps that depend on elements, expected ')
    local inner = parse [[
      graph(x: float64[3]) {
        y = scan({}, {x}) { body(a) { b = cond(a, {a}) { then(a) { return a } else(a) { return a } } return b } } return y }]]
    assert.error_matches(function() inner:prepare() end, 'prepare: step 1, scan, step 1, cond: ')
  end)

  it('run inside a capture as one step', function()
    local inner = parse(choice)
    local g = torch.graph.capture(function(p, x) return inner:run(p, torch.mul(x, 3)) end, { torch.ones(1), torch.ones(2) })
    assert.same({ 'mul', 'cond' }, g:info().ops)
    same(g:run(torch.ones(1), torch.ones(2)), torch.Tensor { 6, 6 })
    same(g:run(torch.zeros(1), torch.ones(2)), torch.Tensor { 3, 3 })
  end)
end)
