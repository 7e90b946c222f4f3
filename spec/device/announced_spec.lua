-- Every way of Lua to write or alias a tensor runs ops, so that a state's hook sees it: bytes and geometry before and after are compared
-- with the calls that the hook was told of.
local torch = require 'torch'
local C = require 'libmoontorch'
local announced = require 'spec.support.announced'
require 'autograd'

-- Tests of {name, function that makes tensors, function of them that writes to or shows them}.
local function sees(cases)
  for _, case in ipairs(cases) do
    it(case[1], function()
      local wrong, changes = announced.missing({ case[2]() }, case[3])
      assert.same({}, wrong)
      assert.is_true(changes > 0, 'it changed nothing')
    end)
  end
end

local function matrix() return torch.range(1, 20):resize(4, 5), torch.range(101, 105) end
local function vector() return torch.range(1, 6), torch.range(101, 106) end

describe('a hook is told of writes by index', function()
  sees {
    { 'x[i] = number', matrix, function(x) x[2] = 0 end },
    { 'x[i] = tensor', matrix, function(x, y) x[2] = y end },
    { 'x[-1] = number', matrix, function(x) x[-1] = 0 end },
    { 'x[{i, j}] = number', matrix, function(x) x[{ 2, 3 }] = 0 end },
    { 'x[{{a, b}}] = number', matrix, function(x) x[{ { 2, 3 } }] = 0 end },
    { 'x[{{a, b}}] = tensor', matrix, function(x, y) x[{ { 2, 3 } }] = y end },
    { 'x[{{}, j}] = number', matrix, function(x) x[{ {}, 2 }] = 0 end },
    { 'x[{{a, b, step}}] = number', matrix, function(x) x[{ { 1, 4, 2 }, { 1, 5, 3 } }] = 0 end },
    { 'x[{}] = number', matrix, function(x) x[{}] = 0 end },
    { 'x[LongStorage] = number', matrix, function(x) x[torch.LongStorage { 2, 3 }] = 0 end },
    { 'x[mask] = number', matrix, function(x) x[torch.gt(x, 7)] = 0 end },
    { 'x[mask] = tensor', matrix, function(x) x[torch.gt(x, 15)] = torch.zeros(5) end },
    { 'x[mask of slices] = number', matrix, function(x) x[torch.ByteTensor { 1, 0, 0, 1 }] = 0 end },
    { 'x[positions] = number', matrix, function(x) x[torch.LongTensor { 1, 3 }] = 0 end },
    { 'x[positions] = tensor', matrix, function(x) x[torch.LongTensor { 1, 3 }] = torch.zeros(2, 5) end },
    { 'a row of its own', matrix, function(x) x[2] = x[1] end },
    { 'a tracked x', function() return torch.range(1, 20):resize(4, 5):requiresGrad() * 1 end, function(x) x[{ 2, { 1, 2 } }] = 0 end },
  }
end)

describe('a hook is told of views by index', function()
  sees {
    { 'x[i]', matrix, function(x) return x[2] end },
    { 'x[{i}]', matrix, function(x) return x[{ 2 }] end },
    { 'x[{{a, b}, j}]', matrix, function(x) return x[{ { 2, 3 }, 1 }] end },
    { 'x[{{a, b, step}}]', matrix, function(x) return x[{ { 1, 4, 2 } }] end },
    { 'x[{}]', matrix, function(x) return x[{}] end },
    { 'a tracked x', function() return torch.range(1, 20):resize(4, 5):requiresGrad() end, function(x) return x[{ 2, { 1, 2 } }] end },
  }
end)

describe('a hook is told of ops that write or show', function()
  sees {
    { 'fill, zero, copy, in place', matrix, function(x, y)
      x:fill(3)
      y:zero()
      x:narrow(2, 1, 2):copy(torch.ones(4, 2))
      x:add(1):mul(2):cmul(x)
    end },
    { 'narrow, select, t, view, expand, unfold, ...', matrix, function(x)
      return { x:narrow(1, 2, 2), x:select(2, 3), x:t(), x:view(20), x:select(1, 1):view(1, 5):expand(3, 5), x:unfold(2, 2, 1), x:sub(1, 2),
        x:transpose(1, 2), x:permute(2, 1), x:viewAs(torch.Tensor(5, 4)), x:unsqueeze(1), x:squeeze(), x:contiguous() }
    end },
    { 'split and chunk', matrix, function(x) return { x:split(2, 1), x:chunk(2, 2) } end },
    { 'results that are there', matrix, function(x, y) torch.add(y, torch.ones(5), 1) torch.mm(x, torch.ones(4, 3), torch.ones(3, 5)) end },
    { 'results that take other sizes', matrix, function(x) torch.exp(x, torch.ones(3)) end },
    { 'random numbers', matrix, function(x, y) x:uniform() y:normal() torch.randn(x, 4, 5) x:random(3) end },
    { 'masks and positions', matrix, function(x, y)
      x:maskedFill(torch.gt(x, 3), 0)
      y:indexFill(1, torch.LongTensor { 2 }, 7)
      x:scatter(2, torch.LongTensor(4, 1):fill(2), 9)
      x:indexAdd(1, torch.LongTensor { 1 }, torch.ones(1, 5))
    end },
    { 'apply', matrix, function(x) x:apply(function(v) return v + 1 end) end },
    { 'apply by columns', matrix, function(x) x:t():apply(function(v) return v + 1 end) end },
    { 'map', vector, function(x, y) x:map(y, function(a, b) return a + b end) end },
    { 'map2', vector, function(x, y) x:map2(y, y, function(a, b, c) return a + b + c end) end },
    { 'apply to float16', function() return torch.range(1, 4):half() end, function(x) x:apply(function() return 7 end) end },
  }
end)

describe('a hook is told of elements in compiled loops', function()
  sees {
    { 'x[i] = number', vector, function(x) for i = 1, 6 do x[i] = 0 end end },
    { 'of integers', function() return torch.range(1, 6):int() end, function(x) for i = 1, 6 do x[i] = 0 end end },
    { 'of a type that is met for the first time', vector, function(x) x[1] = torch.ShortTensor(1):fill(3)[1] end },
    { 'storage[i] = number', vector, function(x) local s = x:storage() for i = 1, 6 do s[i] = 0 end end },
    { 'data()', vector, function(x) x:data()[2] = 0 end },
    { 'data() of a part', matrix, function(x) x:select(1, 2):data()[2] = 0 end },
    { 'data() of a storage', vector, function(x) x:storage():data()[2] = 0 end },
    { 'torch.data', vector, function(x) torch.data(x)[2] = 0 end },
    { 'cdata', vector, function(x) x:cdata().storage.data[0] = 0 end },
  }

  it('that were compiled before', function()
    local x = torch.zeros(200)
    local function write(value) for i = 1, 200 do x[i] = value end end
    for i = 1, 100 do write(i) end
    local wrong, changes = announced.missing({ x }, function() write(0) end)
    assert.same({}, wrong)
    assert.equal(200, changes)
    for i = 1, 100 do write(i) end
    assert.equal(100, x[200])
    C.traceOps(true)
    assert.same({}, (C.traceOps(false)))
  end)
end)

describe('a hook is told of new geometry', function()
  local function nothing() return torch.Tensor(), torch.range(1, 20):resize(4, 5) end
  sees {
    { 'resize', matrix, function(x) x:resize(5, 4) end },
    { 'resize that grows', matrix, function(x) x:resize(50) x[50] = 7 end },
    { 'resize with strides', matrix, function(x) x:resize(torch.LongStorage { 2, 2 }, torch.LongStorage { 1, 10 }) end },
    { 'resize with strides that grows', matrix, function(x) x:resize(torch.LongStorage { 2, 2 }, torch.LongStorage { 1, 100 }) end },
    { 'resize of nothing', nothing, function(x) x:resize(3) end },
    { 'resizeAs', matrix, function(x, y) x:resizeAs(y) end },
    { 'set()', matrix, function(x) x:set() end },
    { 'set(tensor)', matrix, function(x, y) x:set(y) end },
    { 'set(storage)', matrix, function(x, y) x:set(y:storage()) end },
    { 'set(storage, ...)', matrix, function(x, y) x:set(y:storage(), 2, 2, 2, 2, 1) end },
    { 'set(storage, ...) that grows', matrix, function(x, y) x:set(y:storage(), 2, 40, 1) end },
    { 'set of a type', function() return torch.FloatTensor(3):zero(), torch.FloatTensor(2):zero() end, function(x, y) x:set(y) end },
    { 'a constructor of a tensor', matrix, function(x) return torch.Tensor(x) end },
    { 'a constructor of a storage', matrix, function(x) return torch.Tensor(x:storage(), 2, 3, 1) end },
    { 'new', matrix, function(x) return x.new(x:storage(), 2, 3, 1) end },
    { 'detach', matrix, function(x) return x:detach() end },
    { 'free', matrix, function(x) x:free() end },
    { 'cdata().storage', function() return torch.range(1, 3), torch.range(4, 6) end, function(x, y)
      y:retain()
      x:cdata().storage = y:storage():cdata()
    end },
    { 'pushudata', matrix, function(x) return torch.pushudata(torch.pointer(x), 'torch.DoubleTensor') end },
    { 'tds', matrix, function(x) return require('tds').Hash { x }[1] end },
    { 'as_strided', matrix, function(x) return torch.as_strided(x, { 2, 2 }, { 1, 3 }, 2) end },
    { 'a view that becomes another', matrix, function(x, y) torch.narrow(y, x, 1, 2, 2) end },
  }
end)

describe('a hook is told of what happens to storages', function()
  local function bytes() return torch.ByteTensor(5):fill(65) end
  sees {
    { 'fill', matrix, function(x) x:storage():fill(2) end },
    { 'copy', matrix, function(x) x:storage():copy(torch.DoubleStorage(20):fill(3)) end },
    { 'copy of another type', matrix, function(x) x:storage():copy(torch.FloatStorage(20):fill(3)) end },
    { 'resize', matrix, function(x) x:storage():resize(25) end },
    { 'resize to fewer', vector, function(x) x:storage():resize(20):resize(6) x:fill(0) end },
    { 'string', bytes, function(x) x:storage():string('moons') end },
    { 'a part of it', matrix, function(x) torch.DoubleStorage(x:storage(), 3, 2):fill(0) end },
    { 'getRNGState', function() return torch.ByteTensor(3):zero() end, function(x) torch.getRNGState(x) end },
    { 'reading from a file', vector, function(x)
      local file = torch.MemoryFile('rw')
      file:writeDouble(torch.DoubleStorage { 9, 8, 7, 6, 5, 4 })
      file:seek(1)
      file:readDouble(x:storage())
    end },
    { 'deserialisation', vector, function(x)
      local file = torch.MemoryFile('rw')
      x:write(file)
      file:seek(1)
      torch.DoubleTensor.read(x, file)
    end },
  }
end)
