-- tds: hashes, vectors and counters outside Lua's heap.
local torch = require 'torch'
local tds = require 'tds'
local program = require 'spec.support.program'

describe('tds.Hash', function()
  it('holds what Lua tables hold, by the same keys', function()
    local h, inner = tds.Hash(), tds.Vec(1)
    local values = { 1, -0.5, 'text', '', 'a\0b', true, false, torch.FloatTensor { 1, 2 }, torch.LongStorage { 3 }, inner }
    local keys = { 1, 2.5, 'k', '', true, false, inner, -7, 1e300, '1' }
    for i, key in ipairs(keys) do h[key] = values[i] end
    assert.equal(#keys, #h)
    for i, key in ipairs(keys) do assert.equal(torch.type(values[i]), torch.type(h[key])) end
    assert.equal('text', h.k)
    assert.equal('a\0b', h[true])
    assert.equal(2, h[-7][2])
    assert.is_true(h['1'] == inner)
    assert.is_nil(h.unknown)
    h[0] = 'zero'
    assert.equal('zero', h[-0])
  end)

  it('shares the elements of tensors', function()
    local h, x = tds.Hash(), torch.zeros(2)
    h.x = x
    x[1] = 5
    h.x[2] = 6
    assert.same({ 5, 6 }, h.x:totable())
    assert.same({ 5, 6 }, x:totable())
  end)

  it('agrees with a table under random changes', function()
    local h, t, n = tds.Hash(), {}, 0
    for i = 1, 20000 do
      local key = math.random(1, 500)
      if key % 2 == 0 then key = 'k' .. key end
      local value = math.random() < 0.4 and nil or i
      if t[key] == nil and value ~= nil then n = n + 1 elseif t[key] ~= nil and value == nil then n = n - 1 end
      h[key], t[key] = value, value
      assert(#h == n)
    end
    local seen = 0
    for key, value in pairs(h) do
      seen = seen + 1
      assert(t[key] == value)
    end
    assert.equal(n, seen)
  end)

  it('iterates in the order of insertion, and may lose pairs meanwhile', function()
    local h = tds.Hash()
    for i = 1, 100 do h[i] = i end
    local order = {}
    for key in pairs(h) do
      order[#order + 1] = key
      h[key] = nil
    end
    assert.equal(100, #order)
    for i = 1, 100 do assert.equal(i, order[i]) end
    assert.equal(0, #h)
    h[1] = 'a'
    h[3] = 'c'
    local found = {}
    for i, value in ipairs(h) do found[i] = value end
    assert.same({ 'a' }, found)
  end)

  it('is made from tables, nested ones too', function()
    local h = tds.Hash { a = 1, b = { c = { 'x' } } }
    assert.equal('x', h.b.c[1])
    assert.equal('tds.Hash', torch.typename(h.b))
    assert.equal('tds.Hash[1]{\n  a : tds.Vec[2]{\n    1 : x\n    2 : DoubleTensor - size: 2x3\n  }\n}',
      tostring(tds.Hash { a = tds.Vec('x', torch.zeros(2, 3)) }))
    local ring = tds.Hash()
    ring.me = ring
    assert.matches('me : tds%.Hash{%.%.%.}\n', tostring(ring))
    local vec = tds.Vec()
    for i = 1, 3 do vec[i] = vec end
    assert.equal('tds.Vec[3]{\n  1 : tds.Vec{...}\n  2 : tds.Vec{...}\n  3 : tds.Vec{...}\n}', tostring(vec))
    vec:resize(0)      -- counted references don't free a circle
    local twice = tds.Vec(1)
    assert.equal('tds.Vec[2]{\n  1 : tds.Vec[1]{\n    1 : 1\n  }\n  2 : tds.Vec[1]{\n    1 : 1\n  }\n}', tostring(tds.Vec(twice, twice)))
    ring.me = nil
  end)

  it('refuses unsupported values', function()
    local h = tds.Hash()
    for pattern, f in pairs {
      ['tds%.Hash: value: table'] = function() h.x = {} end,
      ['tds%.Hash: value: function'] = function() h.x = print end,
      ['tds%.Hash: key: nan'] = function() h[0 / 0] = 1 end,
      ['tds%.Hash: key: nil'] = function() h[nil] = 1 end,
      ['tds%.Hash: key: a tensor'] = function() h[torch.zeros(1)] = 1 end,
      ['expected a table'] = function() tds.Hash(3) end,
    } do
      assert.error_matches(f, pattern)
    end
    assert.equal(0, #h)
  end)

  it('may nest deeply and still be freed', function()
    local h = tds.Hash()
    local top = h
    for _ = 1, 100000 do
      h.inner = tds.Hash()
      h = h.inner
    end
    assert.equal(1, #top)
    h, top = nil, nil      -- luacheck: ignore
    collectgarbage()
    collectgarbage()
  end)
end)

describe('tds.Vec', function()
  it('has the operations of an array', function()
    local v = tds.Vec(3, 'x')
    assert.equal(2, #v)
    v:insert 'end'
    v:insert(1, 0)
    assert.equal('0,3,x,end', v:concat ',')
    assert.equal('3-x', v:concat('-', 2, 3))
    assert.equal('end', v:remove())
    assert.equal(3, v:remove(2))
    assert.is_nil(v:remove(9))
    assert.equal('0x', v:concat())
    assert.equal(0, v:remove(1))
    v:insert(1, 0)
    assert.equal('0x', v:concat())
    v[5] = true
    assert.equal(5, #v)
    assert.is_nil(v[4])
    assert.equal(5, #v:resize(5))
    assert.equal(1, #v:resize(1))
    assert.is_nil(v[2])
    assert.is_nil(v[0])
    assert.equal(0, #tds.Vec())
    assert.equal(0, #tds.Vec {})
    assert.equal('b', tds.Vec { { 'b' } }[1][1])
  end)

  it('loses nothing of the tables that it is made of', function()
    local samples = tds.Vec { { name = 'a', size = { 2, 3 } }, { 4, 5, label = 'both' }, { 6 }, {} }
    assert.same({ 'tds.Hash', 'tds.Hash', 'tds.Vec', 'tds.Vec' }, {
      torch.typename(samples[1]), torch.typename(samples[2]), torch.typename(samples[3]), torch.typename(samples[4]),
    })
    assert.same({ 'a', 3, 5, 'both', 6 }, { samples[1].name, samples[1].size[2], samples[2][2], samples[2].label, samples[3][1] })
    assert.error_matches(function() tds.Vec { 1, 2, a = 3 } end, '^tds%.Vec: table: key a, expected an array')
    assert.error_matches(function() tds.Vec { [0.5] = 3 } end, 'key 0%.5, expected an array')
  end)

  it('sorts numbers, strings, and by a function', function()
    assert.equal('1 2 3', tds.Vec(3, 1, 2):sort():concat ' ')
    assert.equal('a b', tds.Vec('b', 'a'):sort():concat ' ')
    assert.equal('3 2 1', tds.Vec(3, 1, 2):sort(function(a, b) return a > b end):concat ' ')
    assert.error_matches(function() tds.Vec(1, 'a'):sort() end, 'tds%.Vec: sort: expected numbers alone')
  end)

  it('sorts elements that are nil by what the function says of nil', function()
    local v = tds.Vec(3, 1)
    v[5] = 2
    v:sort(function(a, b) return (a or 9) < (b or 9) end)
    assert.same({ 1, 2, 3, nil, nil, 5 }, { v[1], v[2], v[3], v[4], v[5], #v })
    v:sort(function(a, b) return (a or 0) > (b or 0) end)
    assert.same({ 3, 2, 1, nil, nil, 5 }, { v[1], v[2], v[3], v[4], v[5], #v })
    v:sort(function(a, b) return (a or 0) < (b or 0) end)
    assert.same({ nil, nil, 1, 2, 3, 5 }, { v[1], v[2], v[3], v[4], v[5], #v })
  end)

  it('iterates with pairs, and up to the first nil with ipairs', function()
    local v, all, first = tds.Vec('a'), {}, {}
    v[3] = 'c'
    for i, value in pairs(v) do all[#all + 1] = i .. tostring(value) end
    for i, value in ipairs(v) do first[#first + 1] = i .. value end
    assert.same({ '1a', '2nil', '3c' }, all)
    assert.same({ '1a' }, first)
  end)

  it('refuses bad positions and unsupported values', function()
    local v = tds.Vec(1)
    for pattern, f in pairs {
      ['tds%.Vec: index: expected a position'] = function() v[0] = 1 end,
      ['tds%.Vec: index: expected a position, 1'] = function() v.x = 1 end,
      ['tds%.Vec: resize: %-1'] = function() v:resize(-1) end,
      ['tds%.Vec: size: 2199023255552, expected 0 to 1099511627776'] = function() v:resize(2 ^ 41) end,
      ['tds%.Vec: value: table'] = function() v[1] = {} end,
      ['concat: element 2: nil'] = function() v:concat('', 1, 2) end,
    } do
      assert.error_matches(f, pattern)
    end
  end)
end)

describe('tds.AtomicCounter', function()
  it('counts', function()
    local c = tds.AtomicCounter()
    assert.equal(1, c:inc())
    assert.equal(11, c:inc(10))
    assert.equal(10, c:dec())
    c:set(-3)
    assert.equal(-3, c:get())
    assert.equal('tds.AtomicCounter[-3]', tostring(c))
    assert.equal(7, tds.AtomicCounter(7):get())
  end)
end)

describe('tds', function()
  it('leaves pairs and ipairs of tables as they were', function()
    local keys = {}
    for key in pairs { a = 1 } do keys[#keys + 1] = key end
    for i in ipairs { 'x' } do keys[#keys + 1] = i end
    assert.same({ 'a', 1 }, keys)
    assert.has_error(function() pairs(newproxy()) end)
  end)

  it('goes through files, shared parts once', function()
    local inner = tds.Vec(1, 'two', torch.ones(2))
    inner[5] = 'five'
    local h = tds.Hash { a = inner, b = inner, n = tds.AtomicCounter(9) }
    for _, mode in ipairs { 'binary', 'ascii' } do
      local copy = torch.deserialize(torch.serialize(h, mode), mode)
      assert.equal(3, #copy)
      assert.equal(5, #copy.a)
      assert.equal('two', copy.a[2])
      assert.equal(2, copy.a[3]:sum())
      assert.is_true(copy.a == copy.b)
      assert.is_false(copy.a == inner)
      assert.equal(9, copy.n:get())
    end
  end)

  it('is there when a file needs it', function()
    local name = os.tmpname()
    torch.save(name, tds.Hash { a = 5 })
    local output = program.run { '-e', ('io.write(torch.load(%q).a)'):format(name) }
    os.remove(name)
    assert.equal('5', output)
  end)

  it('is shared by address', function()
    local h = tds.Hash()
    tds.retain(h)
    local same = torch.pushudata(torch.pointer(h), 'tds.Hash')
    same.x = 1
    assert.equal(1, h.x)
    assert.is_true(h == same)
    assert.is_true(torch.isequal(h, same))
    local c = tds.AtomicCounter():retain()
    assert.equal(1, torch.pushudata(torch.pointer(c), torch.typename(c)):inc())
    assert.equal(1, c:get())
  end)
end)

describe('a Lua state', function()
  local ffi = require 'ffi'
  ffi.cdef [[
    typedef struct lua_State lua_State;
    lua_State *luaL_newstate(void);
    void luaL_openlibs(lua_State *);
    int luaL_loadstring(lua_State *, const char *);
    int lua_pcall(lua_State *, int, int, int);
    const char *lua_tolstring(lua_State *, int, size_t *);
    void lua_close(lua_State *);
  ]]
  local lua = ffi.C

  local function run(state, code)
    local text = ('package.path, package.cpath = %q, %q\n'):format(package.path, package.cpath) .. code
    local good = lua.luaL_loadstring(state, text) == 0 and lua.lua_pcall(state, 0, 1, 0) == 0
    local result = ffi.string(lua.lua_tolstring(state, -1, nil))
    if not good then error(result) end
    return result
  end

  it('shares containers and tensors with another one, and may end before it', function()
    local h, x = tds.Hash { count = 1 }, torch.zeros(2)
    tds.retain(h)
    x:retain()
    local state = lua.luaL_newstate()
    lua.luaL_openlibs(state)
    local answer = run(state, ([[
      local torch = require 'torch'
      local h = torch.pushudata(%.0f, 'tds.Hash')
      local x = torch.pushudata(%.0f, 'torch.DoubleTensor')
      h.count = h.count + 1
      h.list = require('tds').Vec('from', 'there')
      h.t = torch.ones(3)
      x[2] = 7
      local back = require('tds').retain(h.list)
      return ('%%.0f'):format(torch.pointer(back))
    ]]):format(torch.pointer(h), torch.pointer(x)))
    lua.lua_close(state)
    assert.equal(2, h.count)
    assert.equal(7, x[2])
    assert.equal(3, h.t:sum())
    local list = torch.pushudata(tonumber(answer), 'tds.Vec')
    assert.equal('from there', list:concat ' ')
    assert.is_true(list == h.list)
  end)
end)

describe('tds.hash, tds.vec and tds.atomic_counter', function()
  it('are the older names of the classes', function()
    assert.equal(tds.Hash, tds.hash)
    assert.equal(tds.Vec, tds.vec)
    assert.equal(tds.AtomicCounter, tds.atomic_counter)
    assert.equal(3, tds.hash { a = 3 }.a)
  end)
end)
