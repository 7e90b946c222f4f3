-- torch.fromBlob: memory of a program's own as a tensor.
local torch = require 'torch'
local ffi = require 'ffi'

local function collect() for _ = 1, 4 do collectgarbage() end end

describe('torch.fromBlob', function()
  it('shows the memory itself, of the pointer\'s own type', function()
    local values = ffi.new('double[6]', { 1, 2, 3, 4, 5, 6 })
    local x = torch.fromBlob(values, { 2, 3 })
    assert.equal('torch.DoubleTensor', x:type())
    x[2][1] = 40
    values[0] = 10
    assert.equal(40, values[3])
    assert.equal(10, x[1][1])
    assert.is_true(ffi.cast('double *', x:data()) == ffi.cast('double *', values))
  end)

  it('takes an address, a dtype and strides', function()
    local values = ffi.new('int32_t[8]', { 1, 2, 3, 0, 4, 5, 6, 0 })
    local address = tonumber(ffi.cast('intptr_t', values))
    local x = torch.fromBlob(address, torch.LongStorage { 2, 3 }, 'int32', { strides = { 4, 1 }, keep = values })
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, x:totable())
    assert.same({ 4, 1 }, x:stride():totable())
    assert.equal(21, x:sum())
  end)

  it('keeps the memory while a view shows it, and then releases it once', function()
    local released = {}
    local function show()
      local values = ffi.new('float[4]', { 1, 2, 3, 4 })
      return torch.fromBlob(values, { 4 }, nil, { release = function(pointer) released[#released + 1] = pointer[1] end }):narrow(1, 2, 2)
    end
    local view = show()
    collect()
    assert.same({ 2, 3 }, view:totable())
    assert.same({}, released)
    view = nil
    collect()
    assert.is_nil(view)
    assert.same({ 2 }, released)
    collect()
    assert.same({ 2 }, released)
  end)

  it('can be empty, and can not grow', function()
    local values = ffi.new 'float[2]'
    assert.equal(0, torch.fromBlob(values, { 0, 3 }):nElement())
    assert.error_matches(function() torch.fromBlob(values, { 2 }):resize(100) end, "can't grow")
  end)

  it('reports invalid arguments', function()
    local values = ffi.new 'float[4]'
    local cases = {
      { 'pointer: string', 'x', { 1 } }, { 'does not point to an element', 7, { 1 }, 'float' },
      { 'does not point to an element', ffi.cast('char *', values) + 1, { 1 }, 'float' }, { 'sizes: 1.5', values, { 1.5 } },
      { 'sizes: %-1', values, { -1 } }, { 'sizes: nil', values }, { 'dtype: foo', values, { 1 }, 'foo' },
      { 'dtype: none', ffi.cast('void *', values), { 1 } }, { 'strides: 2', values, { 1 }, nil, { strides = { 1, 1 } } },
      { 'release: number', values, { 1 }, nil, { release = 1 } }, { 'stride', values, { 1 }, nil, { stride = { 1 } } },
    }
    for _, case in ipairs(cases) do
      assert.error_matches(function() torch.fromBlob(case[2], case[3], case[4], case[5]) end, case[1])
    end
  end)
end)

describe('torch.memoryLimit', function()
  after_each(function() torch.memoryLimit(0, 0) end)

  it('refuses what passes it, and goes on', function()
    collect()
    torch.memoryLimit(1e6)
    assert.error_matches(function() torch.zeros(1e6) end, 'out of memory: 8000000 bytes')
    assert.error_matches(function() torch.FloatTensor(1e6) end, 'out of memory')
    assert.error_matches(function() torch.FloatStorage(1e6) end, 'out of memory')
    assert.error_matches(function() torch.FloatTensor(10):resize(1e6) end, 'out of memory')
    assert.equal(1000, torch.ones(1000):sum())
  end)

  it('has garbage collected first', function()
    collect()
    torch.memoryLimit(2e6)
    for _ = 1, 100 do torch.FloatTensor(200000) end
    for _ = 1, 100 do torch.zeros(100000):add(1) end
  end)

  it('counts what was there before, and what was let go', function()
    collect()
    local x = torch.FloatTensor(500000)
    torch.memoryLimit(3e6)
    assert.error_matches(function() torch.FloatTensor(500000) end, 'out of memory')
    x:resize(1)
    x = nil
    assert.is_nil(x)
    assert.equal(500000, torch.FloatTensor(500000):nElement())
  end)

  it('limits Lua\'s own heap', function()
    collect()
    torch.memoryLimit(nil, collectgarbage 'count' * 1024 + 8e6)
    local good, message = pcall(function()
      local list = {}
      for i = 1, 1e7 do list[i] = { i } end
      return list
    end)
    collect()
    assert.is_false(good)
    assert.equal('not enough memory', message)
    local list = {}
    for i = 1, 1e5 do list[i] = i end      -- there is room again
    assert.equal(1e5, #list)
  end)

  it('returns and resets its settings', function()
    assert.same({ 1e6, 1e9 }, { torch.memoryLimit(1e6, 1e9) })
    assert.same({ 1e6, 1e9 }, { torch.memoryLimit() })
    assert.same({}, { torch.memoryLimit(math.huge, 0) })
    assert.error_matches(function() torch.memoryLimit(-1) end, 'memoryLimit: tensors: %-1, expected 0 or more')
    assert.error_matches(function() torch.memoryLimit('a') end, 'memoryLimit: tensors: string')
  end)
end)

describe('a blob of an array', function()
  it('does not reach beyond it', function()
    local function refuses(array, ...)
      local arguments = { ... }
      assert.error_matches(function() torch.fromBlob(array, unpack(arguments, 1, 3)) end,
        'torch.fromBlob: sizes: %[.*%] reach %d+ bytes far, and the array has 24')
    end
    local array = ffi.new 'float[6]'
    refuses(array, { 1000 })
    refuses(array, { 7 })
    refuses(array, { 4 }, 'float64')
    refuses(array, { 2, 2 }, nil, { strides = { 5, 2 } })
    refuses(ffi.new('float[?]', 6), { 7 })
    refuses(ffi.new 'float[2][3]', { 2, 4 })
    assert.equal(6, torch.fromBlob(array, { 2, 3 }):nElement())
    assert.equal(3, torch.fromBlob(array, { 3 }, 'float64'):nElement())
    assert.equal(2, torch.fromBlob(array, { 2 }, nil, { strides = { 5 } }):nElement())
    assert.equal(5, torch.fromBlob(array + 1, { 5 }):nElement())      -- a pointer has no size
  end)
end)
