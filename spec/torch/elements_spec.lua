-- Single elements, x[{ i, j }], x:at and x:setAt, for every dtype and number of dimensions, in compiled and interpreted code.
local torch = require 'torch'
local ffi = require 'ffi'
local program = require 'spec.support.program'

local types = {
  'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double', 'Bool', 'BFloat16', 'UInt16', 'UInt32', 'UInt64', 'Float8E4m3',
  'Float8E5m2', 'ComplexFloat', 'ComplexDouble',
}

-- Calls f with compiled and with interpreted code.
local function both(f)
  f 'compiled'
  jit.off()
  local good, message = pcall(f, 'interpreted')
  jit.on()
  if not good then error(message, 0) end
end

local function isZero(value) return value == 0 or value == false end

describe('an element', function()
  for _, name in ipairs(types) do
    local construct = torch[name .. 'Tensor']
    it('of a ' .. name .. 'Tensor is read and written by positions', function()
      both(function()
        local x = construct(7, 5):zero()
        local views = { x, x:t(), x:narrow(1, 2, 4):narrow(2, 2, 3), x:unfold(1, 3, 2) }
        for _, view in ipairs(views) do
          x:zero()
          local key, d = {}, view:dim()
          local count = 0
          for k = 1, view:nElement() do
            local rest = k - 1
            for i = d, 1, -1 do
              key[i] = rest % view:size(i) + 1
              rest = math.floor(rest / view:size(i))
            end
            local before = view[{ key[1], key[2], key[3] }]
            assert.is_true(isZero(before) or d == 3)      -- windows share elements
            view[{ key[1], key[2], key[3] }] = 1
            assert.is_true(view[{ key[1], key[2], key[3] }] == 1)
            if d == 2 then
              assert.is_true(view:at(key[1], key[2]) == 1)
              assert.is_true(rawequal(view, view:setAt(key[1] - view:size(1) - 1, key[2], 0)))
              assert.is_true(isZero(view:at(key[1], key[2] - view:size(2) - 1)))
              view:setAt(key[1], key[2], 1)
            end
            count = count + 1
          end
          assert.equal(view:nElement(), count)
          assert.equal(view:nElement(), torch.sum(torch.abs(view:isComplex() and torch.abs(view) or view:double())))
        end
      end)
    end)
  end

  it('is at as many positions as there are dimensions, up to 8', function()
    for dims = 1, 8 do
      both(function()
        local sizes, at = {}, {}
        for d = 1, dims do sizes[d] = d % 3 + 2 end
        local x = torch.range(1, torch.Tensor(sizes):prod()):view(unpack(sizes))
        for k = 1, 60 do
          local place, strides = 0, 1
          for d = dims, 1, -1 do at[d] = (k * (d + 2)) % sizes[d] + 1 end
          for d = dims, 1, -1 do place, strides = place + (at[d] - 1) * strides, strides * sizes[d] end
          local key = {}
          for d = 1, dims do key[d] = at[d] end
          assert.equal(place + 1, x[key])
          assert.equal(place + 1, x:at(unpack(at, 1, dims)))
          at[dims + 1] = -place
          x:setAt(unpack(at, 1, dims + 1))
          assert.equal(-place, x[key])
          x[key] = place + 1
          at[dims + 1] = nil
        end
      end)
    end
  end)

  it('beyond 53 bits is an integer of FFI', function()
    local x = torch.LongTensor(2, 2):fill(0)
    x[{ 2, 1 }] = 9007199254740993LL
    assert.is_true(x[{ 2, 1 }] == 9007199254740993LL and x:at(2, 1) == 9007199254740993LL)
    assert.equal('cdata', type(x:at(2, 1)))
    x:setAt(2, 1, -9007199254740992LL)
    assert.equal(-2 ^ 53, x:at(2LL, 1))
    assert.equal(7, x:setAt(1LL, 2ULL, 7):at(1, 2))
    assert.equal('number', type(x:at(2, 1)))
  end)

  it('takes numbers by the rules of the dtype', function()
    local cases = {
      { 'Byte', 300, 44 }, { 'Byte', -1, 255 }, { 'Char', 200, -56 }, { 'Int', 2.9, 2 }, { 'Int', -2.9, -2 }, { 'Int', 2 ^ 40 + 3, 3 },
      { 'Bool', 0.5, 1 }, { 'Bool', 0 / 0, 1 }, { 'Half', 2049, 2048 }, { 'Half', 2051, 2052 }, { 'BFloat16', 257, 256 },
      { 'UInt64', -1, 18446744073709551615ULL }, { 'Float8E4m3', 17, 16 }, { 'Float', 0.1, 0.10000000149011612 },
    }
    for _, case in ipairs(cases) do
      local x, filled = torch[case[1] .. 'Tensor'](1, 1), torch[case[1] .. 'Tensor'](1, 1):fill(case[2])
      x:setAt(1, 1, case[2])
      assert.is_true(x:at(1, 1) == case[3], ('%s %s: %s'):format(case[1], case[2], tostring(x:at(1, 1))))
      assert.is_true(torch.equal(filled, x))
    end
    local z = torch.ComplexFloatTensor(1, 2):zero()
    z[{ 1, 2 }] = ffi.new('complex', 3, -4)
    assert.is_true(z:at(1, 2) == ffi.new('complex', 3, -4))
    local flags = torch.BoolTensor(1, 1):fill(0)
    flags[{ 1, 1 }] = true
    assert.equal(1, flags:at(1, 1))
  end)

  it('that is NaN with any bits is a number', function()
    for _, name in ipairs { 'Float', 'Double', 'ComplexFloat', 'ComplexDouble' } do
      local x = torch[name .. 'Tensor'](2, 2)
      ffi.fill(x:data(), x:elementSize() * 4, 0xff)
      both(function()
        for _ = 1, 100 do
          local value = x[{ 2, 2 }]
          if type(value) == 'cdata' then value = value.re + value.im end
          assert.equal('number', type(value))
          assert.is_true(value ~= value)
        end
      end)
    end
  end)

  it('that is infinite is read as such', function()
    for _, name in ipairs { 'Half', 'Float', 'Double' } do
      local x = torch[name .. 'Tensor'] { { 1 / 0, -1 / 0 } }
      both(function()
        for _ = 1, 100 do
          assert.equal(1 / 0, x[{ 1, 1 }])
          assert.equal(-1 / 0, x:at(1, 2))
        end
      end)
    end
  end)

  it('counts each of many writes', function()
    local x = torch.ones(2, 2)
    local storage = require('torch.index.element').storageOf(x)
    local before = tonumber(storage.version)
    for i = 1, 140000 do x[{ 2, i % 2 + 1 }] = i end
    assert.equal(before + 140000, tonumber(storage.version))
  end)

  it('costs a compiled loop no memory', function()
    -- In a process of its own: LuaJIT, which draws random numbers for it, gives up some code for good after other loops.
    local least = tonumber(program.evaluate [[
      local torch = require 'torch'
      local x = torch.rand(20, 20)
      local function kilobytes()
        collectgarbage()
        collectgarbage 'stop'
        local before, s = collectgarbage 'count', 0
        for _ = 1, 500 do
          for i = 1, 20 do
            for j = 1, 20 do s = s + x[{ i, j }] + x:at(j, i) end
            x[{ i, i }] = 1
          end
        end
        local used = collectgarbage 'count' - before
        collectgarbage 'restart'
        return used
      end
      local least = math.huge
      for _ = 1, 20 do least = math.min(least, kilobytes()) end      -- LuaJIT compiles a loop after some attempts
      io.write(least)
    ]])
    assert.is_true(least < 100, least .. ' KB for 400000 reads')
  end)

  it('counts as a write to the tape', function()
    local x = torch.ones(2, 2):requiresGrad()
    local y = x * 2
    local loss = (y * y):sum()
    y[{ 1, 2 }] = 7
    assert.error_matches(function() loss:backward() end, 'was changed in place')
    local fixed = torch.ones(2, 2)
    local product = (x * fixed):sum()
    fixed[{ 1, 1 }] = 5
    assert.error_matches(function() product:backward() end, 'was changed in place')
  end)

  it('of a tracked tensor has a derivative', function()
    local x = torch.range(1, 6):view(2, 3):clone():requiresGrad()
    local loss = x[{ 2, 1 }] * x:at(1, 3)
    loss:backward()
    assert.same({ { 0, 0, 4 }, { 3, 0, 0 } }, x.grad:totable())
  end)

  it('is seen by a profile', function()
    local x = torch.ones(3, 3)
    local p = torch.profiler.profile(function()
      for i = 1, 3 do x[{ i, i }] = x:at(i, i) + torch.uniform() end
    end)
    assert.matches('\nuniform +3 ', tostring(p))
    assert.is_true(x:at(2, 2) > 1 and x:at(1, 2) == 1)
  end)

  it('of a row makes a profile recommend positions', function()
    local x = torch.ones(40, 40)
    local function sum(n)
      for i = 1, n do
        for j = 1, 40 do x[i][j] = x[i][j] + 1 end
      end
    end
    assert.matches('x:at%(i, j%)', tostring(torch.profiler.profile(function() sum(40) end)))
    assert.is_nil(tostring(torch.profiler.profile(function() sum(1) end)):find('x:at', 1, true))
  end)
end)

describe('wrong positions', function()
  local x = torch.range(1, 6):view(2, 3)
  local cases = {
    { function() return x:at(3, 1) end, 'at: position 1: 3, expected 1 to 2, or %-1 for the last' },
    { function() return x:at(1, 0) end, 'at: position 2: 0, expected 1 to 3' },
    { function() return x:at(1, -4) end, 'at: position 2: %-4, expected 1 to 3' },
    { function() return x:at(1.5, 1) end, 'at: position 1: 1.5, expected 1 to 2' },
    { function() return x:at(1, 0 / 0) end, 'at: position 2: %-?nan, expected 1 to 3' },
    { function() return x:at(1, '2') end, "at: position 2: '2', expected 1 to 3" },
    { function() return x:at({ 1, 2 }, 1) end, 'at: position 1: a table, expected 1 to 2' },
    { function() return x:at(nil, 1) end, 'at: position 1: nil, expected 1 to 2' },
    { function() return x:at(1) end, 'at: positions: 1, expected 2, one for each dimension' },
    { function() return x:at() end, 'at: positions: 0, expected 2' },
    { function() return x:at(1, 1, 1) end, 'at: positions: 3, expected 2' },
    { function() return x:at(1, 1, 1, 1, 1, 1, 1, 1, 1) end, 'at: positions: 9, expected 2' },
    { function() return torch.Tensor():at(1) end, 'at: self: 0 dimensions, expected 1 to 8' },
    { function() return torch.ones(1, 1, 1, 1, 1, 1, 1, 1, 1):at(1) end, 'at: self: 9 dimensions, expected 1 to 8' },
    { function() return x.at(5, 1) end, 'at: self: number, expected a tensor' },
    { function() return x.at('a', 1) end, 'at: self: string, expected a tensor' },
    { function() return x.at() end, 'at: self: nil, expected a tensor' },
    { function() return x.at(io.stdout, 1) end, 'at: self: userdata, expected a tensor' },
    { function() return x:setAt(1, 2) end, 'setAt: value: nil, expected a number' },
    { function() return x:setAt(1, 2, 'a') end, "setAt: value: 'a', expected a number" },
    { function() return x:setAt(1, 2, true) end, 'setAt: value: true, expected a number' },
    { function() return x:setAt(1, 2, ffi.new('complex', 0, 3)) end, 'setAt: value: 0%+3i, expected a number' },
    { function() return x:setAt(1, 2, ffi.new 'int[1]') end, 'setAt: value: a cdata, expected a number' },
    { function() return x:setAt() end, 'setAt: positions: 0, expected 2' },
    { function() return x:setAt(1, 2, {}) end, 'setAt: value: a table, expected a number' },
    { function() return x:setAt(1, 4, 5) end, 'setAt: position 2: 4, expected 1 to 3' },
    { function() return x:setAt(1, 2, 3, 4) end, 'setAt: positions: 3, expected 2' },
    { function() return x:setAt(1) end, 'setAt: positions: 0, expected 2' },
    { function() return x[{ 3, 1 }] end, 'index: key: index out of bound: 3 for dimension 1 of size 2' },
    { function() x[{ 1, 4 }] = 1 end, 'index: key: index out of bound: 4 for dimension 2 of size 3' },
  }
  for i, case in ipairs(cases) do
    it(('raise an error, %d'):format(i), function()
      both(function()
        for _ = 1, 3 do
          local good, message = pcall(case[1])
          assert.is_false(good)
          assert.matches('^spec/torch/elements_spec.lua:%d+: ' .. case[2], message)
        end
      end)
      assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, x:totable())
    end)
  end
end)

describe('single random numbers', function()
  local calls = {
    uniform = { {}, { 2 }, { -1, 3 } }, normal = { {}, { 2, 0.5 } }, cauchy = { {}, { 1, 2 } }, logNormal = { {}, { 0, 0.5 } },
    exponential = { { 2 } }, geometric = { { 0.3 } }, bernoulli = { {}, { 0.3 }, { 1 }, { 0 } },
    random = { {}, { 6 }, { -3, 3 }, { 2.7 }, { -1.5, 1.5 }, { 2 ^ 32 }, { 1, 2 ^ 40 }, { -2 ^ 60, 2 ^ 60 } },
  }
  for name, lists in pairs(calls) do
    it('of torch.' .. name .. ' are those that fill a tensor', function()
      for _, arguments in ipairs(lists) do
        both(function()
          local expected = name == 'random' and torch.LongTensor(100) or torch.DoubleTensor(100)
          torch.manualSeed(5)
          expected[name](expected, unpack(arguments))
          torch.manualSeed(5)
          for i = 1, 100 do assert.is_true(expected[i] == torch[name](unpack(arguments))) end
        end)
      end
    end)

    it('of torch.' .. name .. ' are those of any generator', function()
      local former = torch._gen
      torch._gen = torch.Generator 'philox'
      for _, arguments in ipairs(lists) do
        torch.manualSeed(5)
        local g = torch.Generator 'philox'
        torch.manualSeed(g, 5)
        for _ = 1, 10 do assert.equal(torch[name](g, unpack(arguments)), torch[name](unpack(arguments))) end
      end
      torch._gen = former
    end)
  end

  it('continue the stream of tensors, pairs of normal numbers too', function()
    torch.manualSeed(3)
    local expected = torch.DoubleTensor(9):normal():totable()
    torch.manualSeed(3)
    local found = { torch.normal(), torch.normal(), torch.normal() }
    local rest = torch.DoubleTensor(5):normal()
    for i = 1, 5 do found[3 + i] = rest[i] end
    found[9] = torch.normal()
    assert.same(expected, found)
  end)

  it('accept a generator, and refuse what the ops refuse', function()
    local g = torch.Generator()
    torch.manualSeed(g, 8)
    local first = { torch.uniform(g), torch.uniform(g, 2, 3), torch.random(g, 10), torch.bernoulli(g, 0.5) }
    torch.manualSeed(g, 8)
    assert.same(first, { torch.uniform(g), torch.uniform(g, 2, 3), torch.random(g, 10), torch.bernoulli(g, 0.5) })
    local refused = {
      { 'torch.normal(0, -1)', 'normal: std: %-1, expected a standard deviation above 0' },
      { 'torch.normal(0, 0 / 0)', 'normal: std: %-?nan' }, { 'torch.exponential(0)', 'exponential: lambda: 0, expected a rate above 0' },
      { 'torch.exponential()', 'exponential: arguments' }, { 'torch.geometric(1)', 'geometric: p: 1' },
      { 'torch.bernoulli(2)', 'bernoulli: p: 2, expected a number from 0 to 1' },
      { 'torch.random(0)', 'random: b: .*strictly positive: 0' },
      { 'torch.random(3, 1)', 'random: b: .*larger than lower bound: 3 to 1' }, { 'torch.random(0 / 0)', 'random: b: %-?nan' },
      { "torch.uniform('a')", 'uniform' }, { 'torch.uniform(1, 2, 3)', 'uniform: arguments' }, { 'torch.uniform {}', 'uniform' },
    }
    for _, case in ipairs(refused) do
      local draw = assert(loadstring('local torch = ... return ' .. case[1]))
      local good, message = pcall(draw, torch)
      assert.is_false(good, case[1])
      assert.matches(case[2], message)
    end
  end)
end)
