-- torch.toDLPack and torch.fromDLPack: DLPack's structures, as its header and specification describe them.
local torch = require 'torch'
local ffi = require 'ffi'
local C = require 'libmoontorch'
assert(torch.toDLPack)      -- declares the structures

local function collect() for _ = 1, 4 do collectgarbage() end end
local function addressOf(pointer) return tonumber(ffi.cast('intptr_t', pointer)) end
local function doubles(x) return (x:isComplex() and torch.real(x) or x):double() end
local function withoutPlace(text) return (tostring(text):gsub('^[^ ]*:%d+: ', '')) end
local function refused(f, ...)
  local good, message = pcall(f, ...)
  assert.is_false(good)
  return withoutPlace(message)
end

-- DLDataTypeCode of dlpack.h and the number of bits.
local codes = {
  uint8 = { 1, 8 }, int8 = { 0, 8 }, int16 = { 0, 16 }, int32 = { 0, 32 }, int64 = { 0, 64 }, float16 = { 2, 16 }, float32 = { 2, 32 },
  float64 = { 2, 64 }, bool = { 6, 8 }, bfloat16 = { 4, 16 }, uint16 = { 1, 16 }, uint32 = { 1, 32 }, uint64 = { 1, 64 },
  float8_e4m3fn = { 10, 8 }, float8_e5m2 = { 12, 8 }, complex64 = { 5, 64 }, complex128 = { 5, 128 },
}

-- A structure of this spec's own. Its deleter is a function of C that subtracts 1 from the word at its argument, a counter of references:
-- from the version, or from the address of the data. A callback of Lua must not run while Lua collects. fields: those of DLTensor, flags
-- and the version.
ffi.cdef 'void spec_release(void *x) asm("mt_tensor_release");'
local engine = ffi.load(('build/%s/lib/libmoontorch.so'):format(os.getenv 'MT_PRESET' or 'release'))
local function structure(fields, unversioned)
  local own = { memory = fields.memory }
  local kind = unversioned and 'mt_DLManagedTensor' or 'mt_DLManagedTensorVersioned'
  own.managed = ffi.new(kind)
  own.pointer = ffi.cast(kind .. ' *', own.managed)
  local array = own.managed.dl_tensor
  if fields.memory then array.data = fields.memory end
  array.device.device_type, array.device.device_id = fields.device or 1, fields.number or 0
  array.dtype.code, array.dtype.bits, array.dtype.lanes = fields.code or 2, fields.bits or 32, fields.lanes or 1
  array.ndim = fields.ndim or fields.shape and #fields.shape or 0
  if fields.shape then
    own.shape = ffi.new('int64_t[?]', #fields.shape + 1, fields.shape)
    array.shape = own.shape
  end
  if fields.strides then
    own.strides = ffi.new('int64_t[?]', #fields.strides + 1, fields.strides)
    array.strides = own.strides
  end
  array.byte_offset = fields.offset or 0
  if not unversioned then
    own.managed.version.major, own.managed.version.minor = fields.major or 1, fields.minor or 1
    own.managed.flags = fields.flags or 0
  end
  if not fields.withoutDeleter then own.managed.deleter = ffi.cast(('void (*)(struct %s *)'):format(kind), engine.spec_release) end
  local word = ffi.cast('int64_t *', own.managed)
  local before = word[0]
  function own.deleted() return tonumber(before - word[0]) end
  return own
end

-- A structure over float32 numbers 1, 2, ..., n.
local function floats(n, fields, unversioned)
  local memory = ffi.new('float[?]', n)
  for i = 0, n - 1 do memory[i] = i + 1 end
  fields.memory = memory
  return structure(fields, unversioned)
end

describe('torch.toDLPack', function()
  it('describes every type as the header does', function()
    assert.equal(#C.dtypes, 17)
    for _, info in ipairs(C.dtypes) do
      local x = torch[info.torch .. 'Tensor'](2, 3)
      local capsule = x:dlpack()
      local managed = capsule:pointer()
      assert.equal(1, managed.version.major)
      assert.equal(0, tonumber(managed.flags))
      local array = managed.dl_tensor
      assert.same({ 1, 0 }, { array.device.device_type, array.device.device_id })
      assert.same(codes[info.name], { array.dtype.code, array.dtype.bits })
      assert.equal(1, array.dtype.lanes)
      assert.same({ 2, 2, 3, 3, 1 }, { array.ndim, tonumber(array.shape[0]), tonumber(array.shape[1]), tonumber(array.strides[0]),
        tonumber(array.strides[1]) })
      assert.equal(addressOf(x:data()), addressOf(array.data) + tonumber(array.byte_offset))
    end
  end)

  it('has strides and offsets of views, and size 0 of a tensor without dimensions', function()
    local x = torch.range(1, 24):resize(4, 6)
    local array = x:narrow(2, 3, 2):t():dlpack():pointer().dl_tensor
    assert.same({ 2, 4, 1, 6 }, { tonumber(array.shape[0]), tonumber(array.shape[1]), tonumber(array.strides[0]),
      tonumber(array.strides[1]) })
    assert.equal(3, ffi.cast('double *', ffi.cast('char *', array.data) + array.byte_offset)[0])
    local none = torch.Tensor():dlpack():pointer().dl_tensor
    assert.same({ 1, 0 }, { none.ndim, tonumber(none.shape[0]) })
    assert.equal(0, torch.fromDLPack(torch.Tensor()):nElement())
  end)

  it('is consumed once through its pointer, which keeps it', function()
    local capsule = torch.range(1, 3):dlpack()
    local pointer = capsule:pointer()
    assert.equal(6, torch.fromDLPack(pointer):sum())
    assert.is_true(capsule:isConsumed())
    local others = {}
    for i = 1, 100 do others[i] = torch.range(1, i):dlpack():pointer() end
    collect()
    for i = 1, 100 do others[i] = torch.fromDLPack(ffi.cast('void *', others[i]), { versioned = true }) end
    collect()
    for i = 1, 100 do assert.equal(i * (i + 1) / 2, others[i]:sum()) end
    capsule = torch.ones(2):dlpack { readOnly = true }
    refused(torch.fromDLPack, capsule:pointer(), { copy = false })
    assert.is_false(capsule:isConsumed())
    assert.equal(2, torch.fromDLPack(capsule):sum())
  end)

  it('keeps the elements after the tensor, until the deleter is called', function()
    local function export() return torch.range(1, 1e6):dlpack():release() end
    local managed = export()
    collect()
    local values = ffi.cast('double *', managed.dl_tensor.data)
    assert.same({ 1, 1e6 }, { values[0], values[999999] })
    managed.deleter(managed)
  end)

  it('keeps its memory when the tensor is resized', function()
    local x = torch.range(1, 3)
    local capsule = x:dlpack()
    x:resize(100000):fill(7)
    local y = torch.fromDLPack(capsule)
    assert.same({ 1, 2, 3 }, y:totable())
    assert.same({ 7 }, x:narrow(1, 100000, 1):totable())
  end)

  it('makes capsules that are consumed once', function()
    local capsule = torch.ones(2):dlpack()
    assert.is_false(capsule:isConsumed())
    assert.equal('torch.DLPack (DLManagedTensorVersioned)', tostring(capsule))
    assert.same({ 1, 1 }, torch.fromDLPack(capsule):totable())
    assert.is_true(capsule:isConsumed())
    assert.equal('torch.DLPack (consumed)', tostring(capsule))
    local message = 'a capsule that was consumed, expected a new one: each is used once'
    assert.equal('torch.fromDLPack: source: ' .. message, refused(torch.fromDLPack, capsule))
    assert.equal('pointer: self: ' .. message, refused(capsule.pointer, capsule))
    assert.equal('release: self: ' .. message, refused(capsule.release, capsule))
  end)

  it('refuses what can not be shared', function()
    local function grad(x)
      x:requiresGrad(true)
      return x
    end
    local expected = 'torch.toDLPack: x: it requires a gradient, which writes of others would make wrong; expected x:detach()'
    assert.equal(expected, refused(torch.toDLPack, grad(torch.ones(2))))
    assert.equal(expected, refused(torch.toDLPack, grad(torch.ones(2)) * 2))
    assert.same({ 1, 1 }, torch.fromDLPack(grad(torch.ones(2)):detach()):totable())
    assert.equal('torch.toDLPack: x: it is on meta, expected the CPU or a CUDA device', refused(torch.toDLPack, torch.zeros(2, 'meta')))
    assert.equal("torch.toDLPack: x: 'text', expected a tensor", refused(torch.toDLPack, 'text'))
    assert.equal('torch.toDLPack: options: copy, expected one of versioned, readOnly',
      refused(torch.toDLPack, torch.ones(1), { copy = true }))
    assert.equal('torch.toDLPack: readOnly: true, expected a structure with a version, which has flags',
      refused(torch.toDLPack, torch.ones(1), { readOnly = true, versioned = false }))
  end)

  it('computes lazy results first', function()
    local capsule = torch.lazy(function() return (torch.ones(3) * 2):dlpack() end)
    assert.same({ 2, 2, 2 }, torch.fromDLPack(capsule):totable())
  end)
end)

describe('torch.fromDLPack', function()
  it('shares the elements of every type, in both directions', function()
    for _, versioned in ipairs { true, false } do
      for _, info in ipairs(C.dtypes) do
        local x = torch.ones(2, 3):type('torch.' .. info.torch .. 'Tensor')
        local y = torch.fromDLPack(x:dlpack { versioned = versioned })
        assert.equal(x:type(), y:type())
        assert.equal(addressOf(x:data()), addressOf(y:data()))
        assert.same({ 2, 3 }, y:size():totable())
        x:zero()
        assert.equal(0, doubles(y):sum())
      end
    end
  end)

  it('calls the deleter once, when the last tensor over the memory is collected', function()
    for _, unversioned in ipairs { false, true } do
      local own = floats(6, { shape = { 2, 3 } }, unversioned)
      local function narrow() return torch.fromDLPack(own.pointer):narrow(1, 2, 1) end
      local view = narrow()
      collect()
      assert.same({ { 4, 5, 6 } }, view:totable())
      own.memory[3] = 40
      assert.equal(40, view[1][1])
      view:fill(-1)
      assert.equal(-1, own.memory[5])
      assert.equal(0, own.deleted())
      view = nil
      collect()
      assert.is_nil(view)
      assert.equal(1, own.deleted())
      collect()
      assert.equal(1, own.deleted())
    end
  end)

  it('reads strides, offsets, numbers and structures without a deleter', function()
    local own = floats(12, { shape = { 2, 3 }, strides = { 1, 4 }, offset = 4 })
    assert.same({ { 2, 6, 10 }, { 3, 7, 11 } }, torch.fromDLPack(own.pointer):totable())
    local one = floats(1, { ndim = 0, withoutDeleter = true })
    assert.same({ 1 }, torch.fromDLPack(one.pointer):totable())
    local row = floats(3, { shape = { 1, 3 }, strides = { -999, 1 } })      -- a stride that nobody uses
    local x = torch.fromDLPack(row.pointer, { copy = false })
    assert.same({ { 1, 2, 3 } }, x:totable())
    local expanded = floats(1, { shape = { 2, 2 }, strides = { 0, 0 } })
    assert.same({ { 1, 1 }, { 1, 1 } }, torch.fromDLPack(expanded.pointer):totable())
    local none = structure { shape = { 0, 3 } }
    assert.same({ 0, 3 }, torch.fromDLPack(none.pointer):size():totable())
    collect()
  end)

  it('copies memory that can not be shared', function()
    local reversed = floats(6, { shape = { 2, 3 }, strides = { -3, -1 }, offset = 20 })
    local readOnly = floats(3, { shape = { 3 }, flags = 1 })
    local bytes = ffi.new('char[16]')
    ffi.copy(bytes + 1, ffi.new('float[3]', 1, 2, 3), 12)
    local misaligned = structure { memory = bytes, offset = 1, shape = { 3 } }
    local cases = {
      { reversed, { { 6, 5, 4 }, { 3, 2, 1 } }, 'it has a negative stride' }, { readOnly, { 1, 2, 3 }, 'it may only be read' },
      { misaligned, { 1, 2, 3 }, "its address is no multiple of an element's size" },
    }
    for _, case in ipairs(cases) do
      local own, expected, reason = unpack(case)
      assert.equal("torch.fromDLPack: copy: never, but the memory can't be shared: " .. reason,
        refused(torch.fromDLPack, own.pointer, { copy = false }))
      assert.equal(0, own.deleted())
      local x = torch.fromDLPack(own.pointer)
      assert.equal(1, own.deleted())
      assert.same(expected, x:totable())
      x:zero()
    end
    assert.same({ 1, 1 }, { readOnly.memory[0], reversed.memory[0] })
    local own = floats(4, { shape = { 2, 2 }, strides = { 1, 2 } })
    local x = torch.fromDLPack(own.pointer, { copy = true })
    assert.equal(1, own.deleted())
    assert.same({ { 1, 3 }, { 2, 4 } }, x:totable())
    assert.is_true(x:isContiguous())
  end)

  it('knows a program\'s own declarations of the structures', function()
    ffi.cdef 'typedef struct DLManagedTensorVersioned DLManagedTensorVersioned; typedef struct DLManagedTensor DLManagedTensor;'
    local x = torch.range(1, 3)
    local managed = ffi.cast('DLManagedTensorVersioned *', x:dlpack():release())
    assert.same({ 1, 2, 3 }, torch.fromDLPack(managed):totable())
    managed = ffi.cast('DLManagedTensor *', x:dlpack({ versioned = false }):release())
    assert.same({ 1, 2, 3 }, torch.fromDLPack(managed):totable())
    managed = ffi.cast('void *', x:dlpack():release())
    assert.equal('torch.fromDLPack: source: void *, expected a pointer to a DLManagedTensor or DLManagedTensorVersioned; the option ' ..
      'versioned tells which of them another pointer is', refused(torch.fromDLPack, managed))
    assert.same({ 1, 2, 3 }, torch.fromDLPack(managed, { versioned = true }):totable())
  end)

  it('refuses other values', function()
    assert.equal('torch.fromDLPack: source: 7, expected a capsule, a pointer to a structure of DLPack or a tensor',
      refused(torch.fromDLPack, 7))
    assert.equal('torch.fromDLPack: source: it does not point to a structure',
      refused(torch.fromDLPack, ffi.cast('struct mt_DLManagedTensorVersioned *', nil)))
    assert.equal('torch.fromDLPack: options: copies, expected one of copy, versioned',
      refused(torch.fromDLPack, torch.ones(1), { copies = true }))
    assert.equal("torch.fromDLPack: copy: 'yes', expected true or false", refused(torch.fromDLPack, torch.ones(1), { copy = 'yes' }))
  end)

  it('refuses structures without sense by one error each, and leaves them to the caller', function()
    local big = 2 ^ 40
    local cases = {
      { 'version: 2.0, expected 1.x', { shape = { 3 }, major = 2, minor = 0 } },
      { 'version: 0.8, expected 1.x', { shape = { 3 }, major = 0, minor = 8 } },
      { 'device: type 7, expected 1 (CPU) or 2 (CUDA)', { shape = { 3 }, device = 7 } },
      { 'device: type -1, expected 1 (CPU) or 2 (CUDA)', { shape = { 3 }, device = -1 } },
      { 'device: CUDA device 900, expected one of ', { shape = { 3 }, device = 2, number = 900 } },
      { 'device: CUDA device -5, expected one of ', { shape = { 3 }, device = 2, number = -5 } },
      { 'dtype: code 3 with 64 bits, expected bool', { shape = { 3 }, code = 3, bits = 64 } },
      { 'dtype: code 2 with 80 bits, expected bool', { shape = { 3 }, bits = 80 } },
      { 'dtype: code 17 with 4 bits, expected bool', { shape = { 3 }, code = 17, bits = 4 } },
      { 'dtype: 4 lanes, expected 1', { shape = { 3 }, lanes = 4 } }, { 'dtype: 0 lanes, expected 1', { shape = { 3 }, lanes = 0 } },
      { 'ndim: -1, expected 0..64', { shape = { 3 }, ndim = -1 } }, { 'ndim: 65, expected 0..64', { shape = { 3 }, ndim = 65 } },
      { 'ndim: 2147483647, expected 0..64', { shape = { 3 }, ndim = 2147483647 } },
      { 'shape: NULL, expected an address', { ndim = 2 } }, { 'data: NULL, expected an address', { shape = { 3 }, null = true } },
      { '-3', { shape = { -3 } } }, { 'sizes', { shape = { big, big } } }, { 'sizes', { shape = { 2 ^ 62 } } },
      { 'strides: [1099511627776] with sizes [1099511627776] don\'t fit in 64 bits', { shape = { big }, strides = { big } } },
      { 'strides: [-1099511627776] with sizes [1099511627776] don\'t fit in 64 bits', { shape = { big }, strides = { -big } } },
      { 'sizes: [4] with strides [-1099511627776] pass the end of memory', { shape = { 4 }, strides = { -(2 ^ 40) }, low = true } },
      { 'byte_offset: it passes the end of memory', { shape = { 3 }, offset = -1ULL } },
    }
    for _, unversioned in ipairs { false, true } do
      for _, case in ipairs(cases) do
        local fields = case[2]
        if not (unversioned and fields.major) then
          local own = floats(3, fields, unversioned)
          local array = own.managed.dl_tensor
          if fields.null then array.data = nil end
          if fields.low then array.data = ffi.cast('void *', 65536) end
          local address = array.data
          local message = refused(torch.fromDLPack, own.pointer)
          assert.equal('torch.fromDLPack: ', message:sub(1, 18))
          assert.is_truthy(message:find(case[1], 1, true), message .. ' / ' .. case[1])
          assert.is_nil(message:find '\n')
          assert.equal(address, array.data)      -- no deleter was called
        end
      end
    end
  end)

  it('withstands structures of random fields', function()
    local numbers = { 0, 1, 2, 3, -1, 7, 64, 65, 2 ^ 31 - 1, -2 ^ 31, 2 ^ 40, 2 ^ 53, -2 ^ 53, 2 ^ 62, -2 ^ 63 }
    local function any() return numbers[torch.random(#numbers)] end
    local accepted, kept = 0, {}
    for i = 1, 3000 do
      local n = torch.random(0, 3)
      local shape, strides = {}, {}
      for d = 1, n do shape[d], strides[d] = torch.random(3) > 1 and torch.random(0, 4) or any(), any() end
      local own = floats(64, { shape = shape, strides = torch.random(2) == 1 and strides or nil, code = torch.random(0, 14),
        bits = 2 ^ torch.random(2, 7), lanes = torch.random(8) > 1 and 1 or 0, device = torch.random(8) > 1 and 1 or torch.random(0, 20),
        offset = torch.random(0, 64), flags = 0, withoutDeleter = true, major = torch.random(0, 20) > 0 and 1 or any() % 2 ^ 32 },
        torch.random(2) == 1)
      kept[i] = own
      local good, x = pcall(torch.fromDLPack, own.pointer, { copy = false })
      accepted = accepted + (good and 1 or 0)
      if good then
        for d = 1, n do assert.equal(shape[d], x:size(d)) end
      else
        assert.equal('torch.fromDLPack: ', withoutPlace(x):sub(1, 18), x)
      end
    end
    assert.is_true(accepted > 100)
    collect()
    assert.equal(3000, #kept)      -- a structure lives as long as a tensor over it
  end)

  it('takes structures from a state that has ended', function()
    local threads = require 'threads'
    local pool, address = threads.Threads(1), nil
    pool:addjob(function()
      local inner = require 'torch'
      local pointer = inner.range(1, 5):dlpack():release()
      return tonumber(require('ffi').cast('intptr_t', pointer))
    end, function(result) address = result end)
    pool:synchronize()
    pool:terminate()
    local x = torch.fromDLPack(ffi.cast('struct mt_DLManagedTensorVersioned *', address))
    assert.same({ 1, 2, 3, 4, 5 }, x:totable())
    x = nil
    collect()
    assert.is_nil(x)
  end)
end)
