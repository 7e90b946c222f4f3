--- Tensors of PyTorch's files: storages by their keys, and the functions that make tensors of them. The tensors are created empty and are
-- set to their storages at the end, because some forms of the file have the storages after the pickle.
-- @module torch.file.pt_tensors
local torch = require 'torch'
local damage = require 'torch.file.damage'
local objects = require 'torch.file.python_tables'
local raw = require 'torch.file.raw_elements'

local none, noteOf = objects.none, objects.note
local exactIntegers, mostDims = 2 ^ 53, 64
local place = '^[^:\n]*/torch/[%w_/]+%.lua:%d+: '      -- of the library, in errors

local function plain(name) return { type = raw.types[name], parts = 1 } end

-- PyTorch's dtypes. parts: elements of `type` in an element; 2 for complex numbers of 16-bit floats, which become a last dimension of 2.
local dtypes = {
  bool = plain 'BOOL', uint8 = plain 'U8', int8 = plain 'I8', int16 = plain 'I16', int32 = plain 'I32', int64 = plain 'I64',
  float16 = plain 'F16', bfloat16 = plain 'BF16', float32 = plain 'F32', float64 = plain 'F64', uint16 = plain 'U16', uint32 = plain 'U32',
  uint64 = plain 'U64', float8_e5m2 = plain 'F8_E5M2', float8_e4m3fn = plain 'F8_E4M3', complex32 = { type = raw.types.F16, parts = 2 },
  complex64 = plain 'C64', complex128 = plain 'C128',
}
for name, dtype in pairs(dtypes) do
  dtype.name = name
  if not dtype.type then dtypes[name] = nil end      -- a minimal library has fewer types
end

local storageClasses = {
  Bool = 'bool', Byte = 'uint8', Char = 'int8', Short = 'int16', Int = 'int32', Long = 'int64', Half = 'float16', BFloat16 = 'bfloat16',
  Float = 'float32', Double = 'float64', ComplexFloat = 'complex64', ComplexDouble = 'complex128', Untyped = 'uint8',
  QInt8 = 'int8', QUInt8 = 'uint8', QInt32 = 'int32',      -- of quantized tensors, which are refused
}

local tensors = {}

--- Returns the dtype of a storage's class: 'FloatStorage' of torch, torch.cuda or torch.storage; nil for others.
function tensors.ofStorageClass(module, name)
  local kind = module:find '^torch' and name:match '^_?(%a[%w]*)Storage$'
  return kind and storageClasses[kind] and dtypes[storageClasses[kind]]
end

--- Returns the dtype 'torch.float32', ...; nil for others.
function tensors.dtype(module, name) return module == 'torch' and dtypes[name] or nil end

local function size(dtype) return dtype.type.size * dtype.parts end

local Tensors = {}
Tensors.__index = Tensors

--- Creates the tensors and storages of a file.
function tensors.new() return setmetatable({ records = {}, recordOf = {}, queue = {} }, Tensors) end

local function isCount(x) return type(x) == 'number' and x >= 0 and x <= exactIntegers and x % 1 == 0 end

--- Returns the value of a storage, always the same for a key: a tensor of all its elements.
-- @tparam table state of the pickle
-- @string key
-- @tparam table dtype
-- @int count elements
function Tensors:storage(state, key, dtype, count)
  local record = self.records[key]
  if not record then
    if not isCount(count) then state:fail('a number of elements', state.shown(count)) end
    record = { key = key, dtype = dtype, count = count, at = state.first + state.opcodeAt + 1, storages = {} }
    record.value = torch[dtype.type.kind.name .. 'Tensor']()
    self.records[key], self.recordOf[record.value] = record, record
    self.queue[#self.queue + 1] = {
      x = record.value, record = record, dtype = dtype, first = 0, sizes = { count }, strides = { 1 }, at = record.at,
    }
  elseif record.dtype ~= dtype or record.count ~= count then
    state:fail(('storage "%s" with %.0f elements of %s, as before'):format(key, record.count, record.dtype.name),
      ('%s of %s'):format(state.shown(count), dtype.name))
  end
  return record.value
end

--- Returns the value of a part of a storage, as views of storages in old files.
function Tensors:part(state, whole, key, first, count)
  local from = self.recordOf[whole]
  if not isCount(first) or not isCount(count) or first + count > from.count then
    state:fail(('a part of %.0f elements'):format(from.count), ('%s from %s'):format(state.shown(count), state.shown(first)))
  end
  local record = self.records[key]
  if record then return record.value end
  record = { key = key, dtype = from.dtype, count = count, whole = from, first = first, at = from.at }
  record.value = torch[from.dtype.type.kind.name .. 'Tensor']()
  self.records[key], self.recordOf[record.value] = record, record
  self.queue[#self.queue + 1] = {
    x = record.value, record = from, dtype = from.dtype, first = first, sizes = { count }, strides = { 1 },
    at = from.at,
  }
  return record.value
end

-- Returns a tuple of at most 64 integers as a list.
local function integers(state, value, what)
  local note = type(value) == 'table' and noteOf(value)
  if not note or note.keys or #value > mostDims then state:fail(('%s, at most %d integers'):format(what, mostDims), state.shown(value)) end
  state:work(#value)
  local list = {}
  for i, n in ipairs(value) do
    if not isCount(n) then state:fail(what .. ' from 0 to 2^53', state.shown(n)) end
    list[i] = n
  end
  return list
end

--- Creates a tensor over a storage's value.
-- @tparam table state of the pickle
-- @param storage value from `storage`
-- @int first offset in elements
-- @tparam table sizes
-- @tparam table strides
-- @tparam[opt] table dtype default: the storage's
function Tensors:view(state, storage, first, sizes, strides, dtype)
  local record = self.recordOf[storage]
  if not record then state:fail('a storage', state.shown(storage)) end
  if record.whole then
    first = isCount(first) and first + record.first or first
    record = record.whole
  end
  dtype = dtype or record.dtype
  if not isCount(first) then state:fail('a storage offset', state.shown(first)) end
  sizes, strides = integers(state, sizes, 'sizes'), integers(state, strides, 'strides')
  if #sizes ~= #strides then state:fail(('%d strides'):format(#sizes), tostring(#strides)) end
  local last, isEmpty = first + 1, false
  for d = 1, #sizes do
    isEmpty = isEmpty or sizes[d] == 0
    last = last + (sizes[d] - 1) * strides[d]
  end
  local elements = math.floor(record.count * size(record.dtype) / size(dtype))
  if not isEmpty and last > elements then
    state:fail(('sizes, strides and offset within the %.0f elements of storage "%s"'):format(elements, record.key),
      ('a last element at %.0f'):format(last))
  end
  local x = torch[dtype.type.kind.name .. 'Tensor']()
  self.queue[#self.queue + 1] = {
    x = x, record = record, dtype = dtype, first = isEmpty and 0 or first, sizes = sizes, strides = strides,
    at = state.first + state.opcodeAt + 1, name = state:key(),
  }
  return x
end

-- Returns a record's storage of a dtype, created once.
local function storageOf(record, dtype, swapped)
  local found = record.storages[dtype]
  if found then return found end
  local whole = record.count * size(record.dtype)
  local count = math.floor(whole / size(dtype)) * dtype.parts
  found = raw.storage(record.block, record.first, dtype.type, count, swapped)
  record.storages[dtype] = found
  return found
end

local function set(item, swapped)
  local sizes, strides, first = item.sizes, item.strides, item.first
  if #sizes == 0 then sizes, strides = { 1 }, { 1 } end
  if item.dtype.parts == 2 then
    local paired, steps = {}, {}
    for d = 1, #sizes do paired[d], steps[d] = sizes[d], 2 * strides[d] end
    paired[#paired + 1], steps[#steps + 1] = 2, 1
    sizes, strides, first = paired, steps, 2 * first
  end
  item.x:set(storageOf(item.record, item.dtype, swapped), first + 1, torch.LongStorage(sizes), torch.LongStorage(strides))
end

--- Connects a storage with its bytes.
-- @string key
-- @tparam torch.ByteStorage block
-- @int first position in it, counted from 0
-- @int bytes their number
-- @int at position in the file, for messages
function Tensors:place(key, block, first, bytes, at)
  local record = self.records[key]
  local needed = record.count * size(record.dtype)
  if bytes < needed then damage.raise(at, ('%.0f bytes of storage "%s"'):format(needed, key), ('%.0f bytes'):format(bytes)) end
  record.block, record.first = block, first
end

--- Sets all tensors to their storages.
-- @tparam[opt=false] boolean swapped whether the elements have the other byte order
function Tensors:finish(swapped)
  for _, item in ipairs(self.queue) do
    local good, problem = pcall(set, item, swapped)
    if not good then
      if damage.is(problem) then error(problem, 0) end
      local name = item.name and (' "%s"'):format(item.name) or ''
      damage.raise(item.at, ('a tensor%s that memory can hold'):format(name), (tostring(problem):gsub(place, '')))
    end
  end
end

local function rebuild(self)
  return function(state, args) return self:view(state, args[1], args[2], args[3], args[4]) end
end

local function rebuildV2(self)
  return function(state, args)
    local metadata = args[7]
    if type(metadata) == 'table' and metadata ~= none and (metadata.conj or metadata.neg) then
      local key = state:key()
      state:fail(('a tensor%s with its values as they are'):format(key and (' "%s"'):format(key) or ''),
        metadata.conj and 'a conjugate view (save its clone)' or 'a negated view (save its clone)', true)
    end
    return self:view(state, args[1], args[2], args[3], args[4])
  end
end

local function rebuildV3(self)
  return function(state, args)
    local dtype = type(args[7]) == 'string' and dtypes[args[7]]
    if not dtype then state:fail('a dtype', state.shown(args[7])) end
    return self:view(state, args[1], args[2], args[3], args[4], dtype)
  end
end

local function first(_, args) return args[1] end

local function refused(what)
  return function(state)
    local key = state:key()
    state:fail(('a dense tensor%s'):format(key and (' "%s"'):format(key) or ''), what, true)
  end
end

--- Returns the functions of PyTorch that make tensors, by name.
function Tensors:calls()
  return {
    ['torch._utils._rebuild_tensor'] = rebuild(self), ['torch._utils._rebuild_tensor_v2'] = rebuildV2(self),
    ['torch._utils._rebuild_tensor_v3'] = rebuildV3(self), ['torch._utils._rebuild_parameter'] = first,
    ['torch._utils._rebuild_parameter_with_state'] = first, ['torch._utils._rebuild_device_tensor_from_numpy'] = first,
    ['torch._utils._rebuild_device_tensor_from_cpu_tensor'] = first,
    ['torch._tensor._rebuild_from_type_v2'] = function(state, args)
      local callee, inner = args[1], args[3]
      local note = type(callee) == 'table' and noteOf(callee)
      local isCall = note and note.call and note.name ~= 'torch._tensor._rebuild_from_type_v2' and type(inner) == 'table' and noteOf(inner)
      if not isCall then state:fail('a function of tensors and its arguments', state.shown(callee)) end
      return note.call(state, inner, note.name)
    end,
    ['torch._utils._rebuild_qtensor'] = refused 'a quantized tensor (save x.dequantize() or x.int_repr())',
    ['torch._utils._rebuild_sparse_tensor'] = refused 'a sparse tensor (save x.to_dense())',
    ['torch._utils._rebuild_sparse_csr_tensor'] = refused 'a sparse tensor (save x.to_dense())',
    ['torch._utils._rebuild_nested_tensor'] = refused 'a nested tensor (save x.to_padded_tensor(0))',
    ['torch._utils._rebuild_meta_tensor_no_storage'] = refused 'a tensor of the meta device, which has no elements',
  }
end

return tensors
