-- Pointers, C structs and handles by address, and information about the environment.
local ffi = require 'ffi'
local torch = require 'torch'
local program = require 'spec.support.program'

describe('cdata', function()
  it('shows a tensor as the struct that C code knows', function()
    local x = torch.range(1, 12):view(3, 4):float():narrow(2, 2, 2)
    local c = x:cdata()
    assert.is_true(ffi.istype('THFloatTensor *', c))
    assert.same({ 2, 3, 2, 4, 1, 1 },
      { c.nDimension, tonumber(c.size[0]), tonumber(c.size[1]), tonumber(c.stride[0]), tonumber(c.stride[1]), tonumber(c.storageOffset) })
    assert.equal(12, tonumber(c.storage.size))
    c.storage.data[c.storageOffset] = 50
    assert.equal(50, x[1][1])
    assert.is_true(torch.cdata(x) == c)
    assert.is_true(torch.cdata(x, true) == ffi.cast('intptr_t', c))
    assert.is_true(rawequal(x, require('torch.tensor.ffi_types').owner(c)))
    assert.equal(3, tonumber(torch.LongStorage({ 1, 2, 3 }):cdata().size))
    assert.equal(0, torch.Tensor():cdata().nDimension)
  end)

  it('has types that declarations can name from the start', function()
    local code = [[ffi = require 'ffi'
      ffi.cdef 'typedef struct { THFloatTensor *x; THLongStorage *sizes; } call_of_mine;'
      call = ffi.new('call_of_mine')
      x = torch.FloatTensor{1, 2}
      call.x = x:cdata()
      print(call.x.storage.data[1])]]
    assert.equal('2\t\n', (program.run { '-e', code }))
  end)

  it('exists for every type, and follows a resize when asked again', function()
    for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' } do
      local x = torch[name .. 'Tensor'](2)
      assert.equal(2, tonumber(x:cdata().size[0]))
      x:resize(5, 6)
      assert.equal(30, tonumber(x:cdata().storage.size))
      assert.is_true(ffi.istype('TH' .. name .. 'Storage *', x:storage():cdata()))
    end
  end)

  it('takes another storage for a tensor, or none: its memory goes to whoever has the address', function()
    local x = torch.FloatTensor(2, 3):fill(4)
    local address = tonumber(ffi.cast('intptr_t', torch.pointer(x:storage())))
    x:cdata().storage = nil
    assert.equal(0, x:nElement())
    x = nil      -- luacheck: ignore 311
    collectgarbage()
    collectgarbage()
    local y = torch.FloatTensor(3, 2)
    ffi.cdef 'void THFloatStorage_free(THFloatStorage *self);'
    ffi.C.THFloatStorage_free(ffi.cast('THFloatStorage *', torch.pointer(y:storage())))
    y:cdata().storage = ffi.cast('THFloatStorage *', address)
    assert.same({ { 4, 4 }, { 4, 4 }, { 4, 4 } }, y:totable())
    local z = torch.FloatTensor(6)
    z:cdata().storage = y:cdata().storage
    z:fill(2)
    assert.equal(12, y:sum())
    assert.error_matches(function() z:cdata().storage = ffi.cast('THFloatStorage *', 4096) end, 'nothing was retained at that address')
    assert.error_matches(function() z:cdata().storage = torch.DoubleTensor(6):cdata().storage end,
      'torch.DoubleStorage, expected torch.FloatStorage')
    assert.error_matches(function() return z:cdata().weight end, "cdata: a tensor's struct has no field weight")
  end)

  it('and data pass nil through and refuse the rest', function()
    assert.is_nil(torch.cdata(nil))
    assert.is_nil(torch.data(nil))
    local x = torch.ones(2)
    assert.is_true(torch.data(x) == x:data())
    assert.is_true(torch.data(x, true) == ffi.cast('intptr_t', x:data()))
    assert.error_matches(function() torch.cdata(3) end, 'cdata: x: number')
    assert.error_matches(function() torch.data {} end, 'data: x: table')
  end)

  it('finds the storage of a struct as long as its tensor lives', function()
    local x, y = torch.FloatTensor(2, 3):fill(5), torch.FloatTensor(3, 2)
    local struct = x:cdata()
    collectgarbage()
    collectgarbage()
    y:cdata().storage = struct.storage
    assert.equal(30, y:sum())
  end)
end)

describe('torch.pushudata', function()
  it('makes objects of retained addresses, that outlive the first handle', function()
    local function address()
      local x = torch.FloatTensor { 1, 2, 3 }
      return torch.pointer(x:retain())
    end
    local pointer = address()
    collectgarbage()
    collectgarbage()
    assert.same({ 1, 2, 3 }, torch.pushudata(pointer, 'torch.FloatTensor'):totable())
  end)

  it('shares elements with what lives at the address', function()
    local x = torch.zeros(2)
    local y = torch.pushudata(torch.pointer(x), 'torch.DoubleTensor')
    y:retain()
    y[1] = 3
    local s = torch.pushudata(torch.pointer(x:storage()), 'torch.DoubleStorage')
    s[2] = 4
    assert.same({ 3, 4 }, x:totable())
    x:storage():retain():free()
    assert.same({ 3, 4 }, x:totable())
  end)

  it('refuses other classes', function()
    local x = torch.zeros(2):retain()
    local pointer = torch.pointer(x)
    assert.error_matches(function() torch.pushudata(pointer, 'torch.FloatTensor') end, 'pushudata: name: .*another type')
    assert.error_matches(function() torch.pushudata(pointer, 'torch.Nothing') end, "pushudata: name: 'torch.Nothing'")
    assert.error_matches(function() torch.pushudata(0, 'torch.FloatTensor') end, 'pushudata: pointer')
  end)

  it('frees a tensor that nobody retained', function()
    local x = torch.zeros(2)
    x:free()
    assert.equal(0, x:nElement())
    assert.is_nil(x:storage())
  end)
end)

describe('torch', function()
  it("has a handle of its own generator's", function()
    assert.equal('torch.Generator', torch.type(torch._gen))
    torch.manualSeed(torch._gen, 123)
    assert.same({ 2991312382, 3062119789 }, { torch.random(torch._gen), torch.random() })
    local state = torch.getRNGState(torch._gen)
    local x = torch.rand(torch._gen, 3)
    torch.setRNGState(state)
    assert.same(x:totable(), torch.rand(3):totable())
  end)

  it('goes on with the generator that is put in the place of its own', function()
    torch.manualSeed(1)
    local before, g = torch._gen, torch.Generator()
    torch.manualSeed(g, 123)
    torch._gen = g
    assert.is_true(torch._gen == g)
    assert.equal(2991312382, torch.random())
    assert.equal(3062119789, torch.random(g))
    torch.manualSeed(2)
    assert.equal(2, torch.initialSeed(g))
    assert.equal(1, torch.initialSeed(before))
    torch._gen = before
    assert.equal(1, torch.initialSeed())
    assert.equal(2, torch.initialSeed(g))
    assert.error_matches(function() torch._gen = 3 end, '_gen: generator: number')
  end)

  it('tells where its packages are and what a terminal is', function()
    assert.matches('/lua/torch$', torch.packageLuaPath 'torch')
    assert.matches('/lua/torch/file$', torch.packageLuaPath 'torch.file')
    assert.matches('/lua$', torch.packageLuaPath())
    assert.is_nil(torch.packageLuaPath 'no.such.package')
    local file = io.tmpfile()
    assert.is_false(torch.isatty(file))
    file:close()
    assert.error_matches(function() torch.isatty(3) end, 'isatty: file: number')
  end)

  it('has the rest of the names that programs ask for', function()
    assert.is_true(torch._heaptracking)
    torch.setheaptracking(false)
    assert.is_false(torch._heaptracking)
    torch.setheaptracking(true)
    assert.error_matches(function() torch.setheaptracking(1) end, 'setheaptracking: on: number')
    torch.updateerrorhandlers()
    torch.updatethreadlocals()
    assert.error_matches(function() torch.Allocator() end, 'no constructor available')
    assert.is_function(rawget(string, 'gfind'))
    assert.is_function(rawget(table, 'unpack'))
  end)
end)
