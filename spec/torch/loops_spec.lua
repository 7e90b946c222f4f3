-- Loops over elements are compiled: every hot loop gets a trace, and no trace is aborted.
local ffi = require 'ffi'
local torch = require 'torch'
local util = require 'jit.util'
local vmdef = require 'jit.vmdef'
local tonumber = tonumber

-- Why a trace was given up, in LuaJIT's words.
local function reason(code, detail)
  if type(detail) == 'function' then detail = tostring(detail) end
  return (vmdef.traceerr[code] or tostring(code)):format(detail)
end

-- Runs f with an empty trace cache; returns how the traces that begin in f end ('loop': at their own beginning, in machine code), and the
-- reasons for aborted ones. Traces of other functions are ignored.
local function traces(f)
  local inside, ends, givenUp = {}, {}, {}
  local function watch(what, trace, at, position, code, detail)     -- at a start, code is the trace that this one branches off from
    if what == 'start' then
      inside[trace] = at == f and position > 1 and not code            -- 0 and 1: the function's own beginning, not its loop's
    elseif inside[trace] and what == 'stop' then
      ends[#ends + 1] = util.traceinfo(trace).linktype
    elseif inside[trace] and what == 'abort' then
      givenUp[#givenUp + 1] = reason(code, detail)
    end
  end
  jit.flush()
  collectgarbage()
  collectgarbage 'stop'      -- a finaliser that runs meanwhile aborts the trace
  jit.attach(watch, 'trace')
  local good, result = pcall(f)
  jit.attach(watch)
  collectgarbage 'restart'
  assert(good, result)
  return ends, givenUp, result
end

local function assertCompiled(f, expected)
  local ends, givenUp, result = traces(f)
  assert.same({}, givenUp)
  assert.equal('loop', ends[1])
  assert.equal(expected, result)
end

local n = 5000
local types = { 'Float', 'Double', 'Int', 'Byte', 'Char', 'Short', 'Long' }

-- 1, 2, ... 100, 1, ...: every dtype holds these.
local function ramp(name)
  local x = torch[name .. 'Tensor'](n)
  local p = x:data()
  for i = 0, n - 1 do p[i] = i % 100 + 1 end
  return x
end
local sumOfRamp = n / 100 * 5050

describe('a loop over elements is compiled when it', function()
  for _, name in ipairs(types) do
    it('reads x[i] of a ' .. name .. 'Tensor', function()
      local x = ramp(name)
      assertCompiled(function()
        local sum = 0
        for i = 1, n do sum = sum + x[i] end
        return sum
      end, sumOfRamp)
    end)

    it('reads s[i] of a ' .. name .. 'Storage', function()
      local s = ramp(name):storage()
      assertCompiled(function()
        local sum = 0
        for i = 1, n do sum = sum + s[i] end
        return sum
      end, sumOfRamp)
    end)

    it('reads and writes through the pointer of a ' .. name .. 'Tensor', function()
      local x = ramp(name)
      assertCompiled(function()
        local p, sum = x:data(), 0
        for i = 0, n - 1 do
          sum = sum + tonumber(p[i])
          p[i] = 7
        end
        return sum
      end, sumOfRamp)
      assert.equal(7, x[n])
    end)
  end

  for _, name in ipairs(types) do
    it('writes x[i] of a ' .. name .. 'Tensor', function()
      local x = torch[name .. 'Tensor'](n)
      assertCompiled(function()
        for i = 1, n do x[i] = (i - 1) % 100 + 1 end
        return n
      end, n)
      assert.same(ramp(name):totable(), x:totable())
    end)
  end

  it('iterates over a column, which is not contiguous', function()
    local x = torch.FloatTensor(n, 3):fill(2)
    local column = x:select(2, 2)
    assertCompiled(function()
      local sum = 0
      for i = 1, n do
        sum = sum + column[i]
        column[i] = 1
      end
      return sum
    end, 2 * n)
    assert.equal(5 * n, x:sum())
  end)

  it('iterates over several tensors of different types', function()
    local x, y, z = ramp 'Float', ramp 'Int', torch.DoubleTensor(n)
    assertCompiled(function()
      for i = 1, n do z[i] = x[i] * y[i] end
      return n
    end, n)
    assert.equal(10000, z[100])
  end)

  it('iterates over storages that it writes', function()
    local s = torch.FloatStorage(n)
    assertCompiled(function()
      for i = 1, n do s[i] = 3 end
      return n
    end, n)
    assert.equal(3 * n, torch.FloatTensor(s):sum())
  end)
end)

describe('a compiled loop', function()
  it('checks bounds as the interpreter does', function()
    local x = torch.FloatTensor(100):fill(1)
    local function walk(last)
      local sum = 0
      for i = 1, last do sum = sum + x[i] end
      return sum
    end
    for _ = 1, 200 do walk(100) end
    assert.error_matches(function() walk(101) end, 'index: key: ?out of range: 101 for dimension 1 of size 100')
    assert.error_matches(function()
      for i = 1, 400 do x[i] = i end
    end, 'out of range: 101')
    for i = 1, 100 do assert.equal(i, x[i]) end
  end)

  it('counts negative keys from the end', function()
    local x, sum = torch.range(1, 10), 0
    for _ = 1, 200 do sum = sum + x[1] + x[-1] + x[10] end
    assert.equal(200 * 21, sum)
  end)

  it('truncates and wraps what it writes into integers', function()
    local byte, int, long = torch.ByteTensor(4), torch.IntTensor(4), torch.LongTensor(4)
    for _ = 1, 300 do
      byte[1], byte[2], byte[3], byte[4] = 300, -1, 2.7, -2.7
      int[1], int[2], int[3], int[4] = 2 ^ 31, -2.7, 2 ^ 32 + 5, -2 ^ 31
      long[1], long[2], long[3], long[4] = 2 ^ 53 + 2, -2.7, -2 ^ 62, 0
    end
    assert.same({ 44, 255, 2, 254 }, byte:totable())
    assert.same({ -2 ^ 31, -2, 5, -2 ^ 31 }, int:totable())
    assert.equal(2 ^ 53 + 2, tonumber(long[1]))
    assert.equal(-2, long[2])
    assert.equal(-4611686018427387904LL, long[3])
  end)

  it('leaves its mark: the tape sees that elements were written', function()
    local C = require 'libmoontorch'
    for _, name in ipairs(types) do
      local x = torch[name .. 'Tensor'](200)
      local before = C.versionOf(x)
      for i = 1, 200 do x[i] = 1 end
      assert.equal(before + 200, C.versionOf(x))
    end
  end)

  it('gives integers of 64 bits exactly', function()
    local x = torch.LongTensor(200):fill(0)
    for i = 1, 200 do x[i] = 9007199254740993LL end
    local different = 0
    for i = 1, 200 do
      if x[i] ~= 9007199254740993LL then different = different + 1 end
    end
    assert.equal(0, different)
    assert.is_true(ffi.istype('int64_t', x[1]))
  end)
end)

describe('apply', function()
  it('compiles a loop for every callback, however many there are', function()
    local x = torch.FloatTensor(200):fill(1)
    local made = 0
    jit.flush()
    local function count(what) if what == 'start' then made = made + 1 end end
    local callbacks = {}
    for i = 1, 120 do callbacks[i] = loadstring(('\n'):rep(i) .. 'return function(v) return v + 1 end', '=callbacks')() end
    jit.attach(count, 'trace')
    for _, f in ipairs(callbacks) do x:apply(f) end
    jit.attach(count)
    assert.equal(121, x[1])
    assert.is_true(made >= 120, made .. ' loops were compiled')
  end)

  it('blames its caller for what the callback returned', function()
    local function wrong(x) x:map(x, function() return {} end) end
    local expected = '^[^:]*loops_spec.lua:%d+: map: function: it returned a table, expected a number or nil$'
    for _ = 1, 100 do assert.matches(expected, select(2, pcall(wrong, torch.FloatTensor(2)))) end
    assert.matches(expected, select(2, pcall(wrong, torch.FloatTensor(2, 3):t())))
  end)

  it('writes each element where it lies before it comes to the next', function()
    for _, x in ipairs { torch.zeros(8), torch.zeros(8, 2):select(2, 2), torch.zeros(2, 2, 4):transpose(1, 3):select(3, 1) } do
      local flat, i = function(k) return x:dim() == 1 and x[k] or x[math.ceil(k / 2)][(k - 1) % 2 + 1] end, 0
      x:apply(function()
        i = i + 1
        return i < 3 and 1 or flat(i - 1) + flat(i - 2)
      end)
      assert.equal(21, flat(8))                                    -- Fibonacci's numbers
    end
    local twice = torch.zeros(1, 3):expand(2, 3)
    assert.equal(2, twice:apply(function(v) return v + 1 end)[1][1])
    assert.equal(4, twice:map(torch.ones(2, 3), function(v, w) return v + w end)[1][1])
  end)

  it('goes through any layout in row-major order', function()
    local x, count = torch.zeros(2, 3, 4, 5):permute(4, 1, 3, 2):narrow(3, 2, 2):narrow(1, 2, 3), 0
    x:apply(function()
      count = count + 1
      return count
    end)
    assert.is_true(torch.equal(torch.range(1, 36):view(3, 2, 2, 3), x:contiguous()))
    assert.equal(666, x:storage() and torch.Tensor(x:storage()):sum())                  -- nothing next to it was written
  end)

  for _, name in ipairs { 'Half', 'BFloat16' } do
    it('gives a function numbers for the elements of a ' .. name .. 'Tensor, which Lua cannot read', function()
      local x, y = torch[name .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 6 } }:t(), torch[name .. 'Tensor'](3, 2):fill(0.5)
      x:apply(function(a) return a + 1 end)
      x:map(y, function(a, b) return a * b end)
      x:map2(y, x, function(a, b, c) return a + 2 * b + c end)
      assert.same({ 3, 6, 4, 7, 5, 8 }, x:double():view(6):totable())
    end)
  end

  it('gives and takes complex numbers', function()
    for _, kind in ipairs { 'ComplexFloat', 'ComplexDouble' } do
      local z = torch.complex(torch.range(1, 6), torch.range(6, 1, -1)):type('torch.' .. kind .. 'Tensor'):view(2, 3)
      assert.is_true(torch.equal(torch.cmul(z, z), z:clone():apply(function(v) return v * v end)))
      assert.is_true(torch.equal(z:t() * 2i, z:clone():t():apply(function(v) return v * 2i end)))
      local left, right = z:narrow(2, 1, 2), z:narrow(2, 2, 2)
      assert.is_true(torch.equal(left - right, left:clone():map(right, function(a, b) return a - b end)))
      local product = torch.zeros(2, 2):type(z:type()):t():map2(left, right, function(_, a, b) return a * b end)
      assert.is_true(torch.equal(torch.cmul(left, right), product))
      z:apply(function(v) if v.re == 1 then return 5 elseif v.re == 2 then return 7LL end end)
      assert.same({ 5 + 0i, 7 + 0i, 3 + 4i }, z[1]:totable())
      assert.error_matches(function() z:apply(function() return print end) end, 'apply: function: it returned a function')
    end
    assert.error_matches(function() torch.ones(2):apply(function() return 1i end) end, 'apply: function: it returned a cdata, expected a')
  end)

  it('keeps what was done, and tells the tape, when its function fails', function()
    for _, x in ipairs { torch.ones(4), torch.ones(4, 2):select(2, 1) } do
      local weight = torch.ones(4):requiresGrad()
      local loss = torch.sum(torch.cmul(weight, x))
      local calls = 0
      pcall(x.apply, x, function()
        calls = calls + 1
        return calls < 3 and 7 or error 'enough'
      end)
      assert.same({ 7, 7, 1, 1 }, x:totable())
      assert.error_matches(function() loss:backward() end, 'changed in place')
    end
  end)

  it('does not hold the function that it called, nor what that holds', function()
    local held = setmetatable({}, { __mode = 'v' })
    local function use()
      local big = { 1 }
      held.value = big
      torch.FloatTensor(4):fill(1):apply(function(v) return v + big[1] end)
      torch.FloatTensor(4, 4):fill(1):t():apply(function(v) return v + big[1] end)
    end
    use()
    jit.flush()                                                      -- compiled code keeps references to the objects that it has seen
    collectgarbage()
    collectgarbage()
    assert.is_nil(held.value)
  end)

  it('notices when its tensor loses its memory', function()
    local x = torch.FloatTensor(4):fill(1)
    assert.error_matches(function() x:apply(function() x:resize(1e6) end) end, 'resized or given other memory')
  end)
end)

-- Code that writes and reads objects contains the loop itself: a loop in a called function would leave all of it to the interpreter.
it('objects go to memory and back without a loop in what each of their numbers takes', function()
  local list, forGood = {}, false
  for i = 1, 20000 do list[i] = i * 0.5 end
  local function watch(what, _, _, _, code, detail)
    if what == 'abort' and reason(code, detail):find '^blacklisted' then forGood = true end
  end
  jit.flush()
  jit.attach(watch, 'trace')
  local good, sum = pcall(function()
    local total = 0
    for _ = 1, 5 do total = total + #torch.deserialize(torch.serialize(list)) end
    return total
  end)
  jit.attach(watch)
  assert.is_true(good, sum)
  assert.equal(100000, sum)
  assert.is_false(forGood, 'the compiler has given up a function or a loop for good')
end)
