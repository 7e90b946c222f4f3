-- Values that can be sent to another thread, and their form there.
local torch = require 'torch'
local threads = require 'threads'

describe('values between threads', function()
  local pool
  setup(function() pool = threads.Threads(1) end)
  teardown(function() pool:terminate() end)

  -- Returns the results of a function in a thread.
  local function there(f, ...)
    local results
    pool:addjob(f, function(...) results = { n = select('#', ...), ... } end, ...)
    pool:synchronize()
    return unpack(results, 1, results.n)
  end
  local function echo(...) return there(function(...) return ... end, ...) end

  it('keep what they are', function()
    for _, value in ipairs { 0, -0, 1.5, 1e300, math.huge, 2 ^ 53, '', 'text', 'a\0b', ('long '):rep(1e5), true, false } do
      assert.equal(value, (echo(value)))
    end
    assert.equal(-math.huge, 1 / echo(-0))
    local nan = echo(0 / 0)
    assert.is_true(nan ~= nan)
    assert.same({ n = 3 }, { n = select('#', echo(nil, nil, nil)) })
    assert.equal(0, select('#', echo()))
  end)

  it('may be tables in tables, shared and in rings', function()
    local shared = { 1, 2, nil, 4 }
    local t = { a = shared, b = { shared }, [shared] = 'key', [1.5] = 'half', [true] = 'yes' }
    t.self = t
    local copy = echo(t)
    assert.is_false(rawequal(copy, t))
    assert.equal(copy, copy.self)
    assert.equal(copy.a, copy.b[1])
    assert.equal('key', copy[copy.a])
    assert.same({ 1, 2, nil, 4 }, copy.a)
    assert.equal('half', copy[1.5])
    assert.equal('yes', copy[true])
  end)

  it('may be nested without end', function()
    local list
    for i = 1, 1e5 do list = { next = list, i } end
    local copy, n = echo(list), 0
    while copy do copy, n = copy.next, n + 1 end
    assert.equal(1e5, n)
  end)

  it('bring their metatables', function()
    local Point = {}
    Point.__index = Point
    function Point:norm() return math.sqrt(self.x ^ 2 + self.y ^ 2) end
    local a, b = setmetatable({ x = 3, y = 4 }, Point), setmetatable({ x = 6, y = 8 }, Point)
    assert.same({ 5, 10, true }, { there(function(p, q) return p:norm(), q:norm(), getmetatable(p) == getmetatable(q) end, a, b) })
    assert.equal(5, echo(a):norm())
  end)

  it('may be functions with their upvalues', function()
    local even, odd
    function even(n) return n == 0 or odd(n - 1) end
    function odd(n) return n ~= 0 and even(n - 1) end
    assert.is_true(there(function() return even(10) end))
    assert.is_false(there(function() return odd(10) end))
    assert.is_true(echo(even)(4))
  end)

  it('may be functions that share a variable', function()
    local n = 10
    local function more() n = n + 1 return n end
    local function get() return n end
    assert.same({ 12, 12 }, { there(function() more() more() return get(), n end) })
    assert.equal(10, n)
    local m, g = echo(more, get)
    m() m()
    assert.equal(12, g())
    assert.equal(10, get())
  end)

  it('are new closures each time', function()
    local makers = {}
    for i = 1, 3 do makers[i] = function() i = i + 1 return i end end
    local a, b, c = echo(makers[1], makers[2], makers[3])
    assert.same({ 2, 3, 3, 4 }, { a(), a(), b(), c() })
    local again = echo(makers[1])
    assert.equal(2, again())
    assert.equal(4, a())
  end)

  it('share what LuaJIT compiled for a function, though each closure is its own', function()
    local n = 0
    local function f() n = n + 1 return n end
    local function prototype(g) return tostring(require('jit.util').funcinfo(g).proto) end
    local first = there(function() return prototype(f) end)
    for _ = 1, 3 do assert.equal(first, there(function() return prototype(f) end)) end
    assert.equal(1, there(function() return f() end))
  end)

  it('may be functions of any form', function()
    local function vararg(...) return select('#', ...), ... end
    local a, b, c, d = 1, 2, 3, 4
    local function nested()
      return function() a = a + 1 return function() return a + b + c + d end end
    end
    assert.same({ 3, nil, 2, nil }, { echo(vararg)(nil, 2, nil) })
    assert.equal(11, echo(nested)()()())
    assert.equal(42, there(assert(loadstring 'return 42')))
    assert.equal(6, there(assert(loadstring 'local x = ... return function(y) return x * y end'), 2)(3))
    local coroutines = echo(function(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end)
    assert.equal(1, coroutines(3)())
    local many = {}
    for i = 1, 55 do many[i] = ('local v%d = %d'):format(i, i) end
    local sum = {}
    for i = 1, 55 do sum[i] = 'v' .. i end
    local text = table.concat(many, ' ') .. ' return function() return ' .. table.concat(sum, '+') .. ' end'
    assert.equal(55 * 56 / 2, echo(assert(loadstring(text))())())
  end)

  it('tell where functions come from', function()
    local function fails() error 'here' end
    local good, message = pcall(echo(fails))
    assert.is_false(good)
    assert.matches('values_spec.lua:%d+: here', message)
  end)

  it('may be packages and what C defines in them, by name', function()
    local concat, out = table.concat, io.stdout
    assert.equal('1,2', there(function() return concat({ 1, 2 }, ',') end))
    assert.equal('file', there(function() return io.type(out) end))
    assert.equal(torch, (echo(torch)))
    assert.equal(print ~= nil, there(function() return _G.print ~= nil end))
    assert.equal(6, there(function() return torch.range(1, 3):sum() end))
    local add = torch.add
    assert.equal(3, there(function() return add(torch.ones(1), 2)[1] end))
  end)

  it('may be classes and their instances', function()
    local nn = require 'nn'
    local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh())
    local x = torch.ones(3)
    local y, copy = there(function() return net:forward(x), net end)
    assert.is_true(torch.equal(net:forward(x), y))
    assert.equal('nn.Sequential', torch.typename(copy))
    assert.is_true(torch.equal(net:get(1).weight, copy:get(1).weight))
    assert.is_false(torch.isequal(net:get(1).weight, copy:get(1).weight))
    local class, Linear = nn.Linear, getmetatable(net:get(1))
    assert.equal('nn.Linear', there(function() return torch.typename(class(2, 2)) end))
    assert.equal(Linear, (echo(Linear)))
    assert.equal(class, (echo(class)))
  end)

  it('may be objects that write and read themselves, as files have them', function()
    local ofSpec = {}
    rawset(_G, 'ofSpec', ofSpec)
    finally(function() rawset(_G, 'ofSpec', nil) end)
    local Reader = torch.class 'ofSpec.Reader'
    function Reader:__init(name) self.name, self.handle, self.x = name, io.tmpfile(), torch.ones(2) end
    function Reader:write(file)
      file:writeInt(3)
      file:writeString(self.name)
      file:writeObject { self.x, self.inner, self }
      file:writeLong(torch.LongStorage { 1, 2 })
    end
    function Reader:read(file, version)
      assert(version == 1 and file:readInt() == 3)
      self.name = file:readString '*a'
      local parts = file:readObject()
      self.x, self.inner, self.me, self.handle = parts[1], parts[2], parts[3], 'opened anew'
      local sizes = torch.LongStorage()
      assert(file:readLong(sizes) == 2 and sizes[2] == 2)
      self.seen = self.inner and self.inner.handle
    end
    local methods = { write = Reader.write, read = Reader.read }
    pool:addjob(function()
      rawset(_G, 'ofSpec', {})
      local class = require('torch').class 'ofSpec.Reader'
      class.write, class.read = methods.write, methods.read
    end)
    local reader = ofSpec.Reader 'outer'
    reader.inner = ofSpec.Reader 'inner'
    assert.same({ 'ofSpec.Reader', 'outer', 'inner', 'opened anew', true, true, 'opened anew' }, { there(function(it)
      return torch.typename(it), it.name, it.inner.name, it.handle, it.me == it, torch.isTensor(it.inner.x), it.seen
    end, reader) })
    assert.equal('opened anew', echo(reader).inner.handle)
  end)

  it('may be modules after their passes', function()
    local nn = require 'nn'
    local net = nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2)):add(nn.View(-1))
      :add(nn.Linear(2 * 3 * 3, 3)):add(nn.LogSoftMax())
    local x = torch.rand(1, 8, 8)
    local y = net:forward(x):clone()
    net:backward(x, y)
    local there_, copy = there(function() net:zeroGradParameters() return net:forward(x), net end)
    assert.is_true(torch.equal(y, there_))
    assert.is_true(torch.equal(y, copy:forward(x)))
    assert.is_true(torch.equal(copy:backward(x, y), net:backward(x, y)))
  end)

  it('may be tensors of any type and layout, which share what they shared', function()
    for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half' } do
      local x = torch.range(1, 6):type('torch.' .. name .. 'Tensor'):view(2, 3)
      local y = echo(x)
      assert.equal(torch.typename(x), torch.typename(y))
      assert.is_true(torch.equal(x:double(), y:double()))
    end
    local x = torch.range(1, 24):view(4, 6)
    local views = { x:t(), x:narrow(1, 2, 2), x:select(2, 3), x:narrow(2, 2, 3):t(), torch.Tensor(1):fill(3):expand(4, 5), torch.Tensor(),
                    torch.Tensor(0, 3), x:view(2, 2, 6):transpose(1, 3), torch.zeros(1, 1, 1, 1, 1, 1, 1, 1, 1, 2) }
    for _, view in ipairs(views) do
      local y = echo(view)
      assert.same(view:size():totable(), y:size():totable())
      assert.same(view:stride():totable(), y:stride():totable())
      assert.is_true(torch.equal(view, y))
    end
    local a, b, s = echo(x[1], x:select(2, 1), x:storage())
    a[1] = 100
    assert.equal(100, b[1])
    assert.equal(100, s[1])
    assert.equal(24, s:size())
    assert.equal(1, x[1][1])
    local one, two = echo(x, x)
    assert.is_true(rawequal(one, two))
  end)

  it('are of tensors what they show, when they are copied', function()
    local large = torch.range(1, 1e6)
    local batch, other = echo(large:narrow(1, 5e5, 10), large:narrow(1, 5e5 + 5, 10))
    assert.equal(15, batch:storage():size())
    batch[10] = -1
    assert.equal(-1, other[5])
    assert.equal(5e5, batch[1])
  end)

  it('may be storages, generators and containers', function()
    local s = echo(torch.LongStorage { 3, 4 })
    assert.equal('torch.LongStorage', torch.typename(s))
    assert.same({ 3, 4 }, s:totable())
    local generator = torch.Generator()
    torch.manualSeed(generator, 5)
    local expected = torch.rand(generator, 1)
    torch.manualSeed(generator, 5)
    assert.equal(expected[1], there(function() return torch.rand(generator, 1)[1] end))
    local tds = require 'tds'
    local hash = tds.Hash { a = tds.Vec { 1, torch.ones(2) }, n = 5 }
    hash.me = hash
    local copy = there(function(h)
      rawset(_G, 'ringThere', h)
      return h
    end, hash)
    assert.equal(5, copy.n)
    assert.equal(2, copy.a[2]:sum())
    assert.equal(copy, copy.me)
    copy.a[2]:fill(7)
    copy.n = 6
    assert.equal(2, hash.a[2]:sum())
    assert.equal(5, hash.n)
    hash.me, copy.me = nil, nil                   -- rings are never freed
    there(function() rawget(_G, 'ringThere').me = nil end)
    local one, two = echo(hash.a, hash.a)
    assert.equal(one, two)
    assert.is_not.equal(one, hash.a)
  end)

  it('may be functions of packages, which are what they are there', function()
    local typeOf, collate = torch.type, require('data').collate
    assert.equal('number', there(function() return typeOf(1) end))
    assert.equal(3, there(function() return collate { 1, 2 } :sum() end))
    assert.is_true(there(function() return typeOf == torch.type end))
  end)

  it('may be integers beyond 2^53', function()
    local a, b = echo(-9007199254740993LL, 18446744073709551615ULL)
    assert.equal('-9007199254740993LL', tostring(a))
    assert.equal('18446744073709551615ULL', tostring(b))
  end)

  it('may be complex numbers', function()
    local z = echo(3 - 4i)
    assert.is_true(z == 3 - 4i and echo({ z = 0.5i }).z == 0.5i)
  end)

  it('are sent by reference if requested', function()
    local x, tds = torch.zeros(2, 2), require 'tds'
    local hash = tds.Hash()
    there(function(y, h) y.z:fill(3) h.n = 1 end, threads.reference { z = x[1] }, threads.reference(hash))
    assert.equal(6, x:sum())
    assert.equal(1, hash.n)
    local wrapped = threads.reference(threads.reference(x))
    there(function() wrapped:fill(4) end)
    assert.equal(16, x:sum())
    local kept = there(function()
      rawset(_G, 'keptThere', torch.zeros(3))
      return require('threads').reference(keptThere)
    end)
    kept:fill(2)
    assert.equal(6, there(function() return keptThere:sum() end))
  end)
end)

describe('what can not go to another thread', function()
  local pool
  setup(function() pool = threads.Threads(1) end)
  teardown(function() pool:terminate() end)

  local function refusal(...)
    local good, message = pcall(pool.addjob, pool, ...)
    assert.is_false(good)
    assert.is_false(pool:hasjob())
    return message
  end

  it('is refused, with the way to it and the reason', function()
    local co = coroutine.create(print)
    local cfg = { layers = { { hook = co } }, [co] = 1 }
    local wrapped = ('x'):gmatch '.'
    local function inner() return cfg.layers end
    local file, memory = io.tmpfile(), torch.MemoryFile()
    local cases = {
      [refusal(function() return co end)] = "addjob: callback: upvalue co: a coroutine, which can't go to another thread: it",
      [refusal(function() return inner() end)] = 'addjob: callback: upvalue inner.cfg%..*: a coroutine',
      [refusal(function() return wrapped end)] = 'addjob: callback: upvalue wrapped: a C function.* fields of packages',
      [refusal(function() end, nil, 1, { x = { y = { wrapped } } })] = 'addjob: argument 2: field x.y.1: a C function',
      [refusal(function() end, nil, require('ffi').new('int[3]'))] = 'addjob: argument 1: FFI cdata',
      [refusal(function() end, nil, file)] = 'addjob: argument 1: userdata.* it belongs to its Lua state',
      [refusal(function() end, nil, { memory })] = 'addjob: argument 1: field 1: torch.MemoryFile',
      [refusal(function() end, nil, setmetatable({}, { __index = wrapped }))] = 'addjob: argument 1: field <metatable>.__index: a C f',
    }
    for message, expected in pairs(cases) do
      assert.matches(expected, message)
    end
  end)

  it('is an error of the job where it is a result', function()
    pool:addjob(function() return 1, { a = coroutine.create(print) } end)
    local good, message = pcall(pool.synchronize, pool)
    assert.is_false(good)
    assert.matches('%[thread 1 callback%] result 2: field a: a coroutine', message)
  end)

  it('may be a class that the thread does not know', function()
    rawset(_G, 'notThere', {})
    finally(function() rawset(_G, 'notThere', nil) end)
    torch.class 'notThere.Class'
    pool:addjob(function() end, nil, notThere.Class())      -- luacheck: ignore 113
    local good, message = pcall(pool.synchronize, pool)
    assert.is_false(good)
    assert.matches('unknown Torch class <notThere.Class>: the thread must require the file that defines it first', message)
  end)

  it('leaves nothing behind', function()
    for _ = 1, 100 do
      refusal(function() end, nil, torch.ones(10), { { {} }, coroutine.create(print) })
    end
    local sum
    pool:addjob(function(x) return x:sum() end, function(y) sum = y end, torch.ones(10))
    pool:synchronize()
    assert.equal(10, sum)
  end)
end)
