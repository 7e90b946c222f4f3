--- What Lua has for the contents of datasets and attributes: tensors, numbers, booleans, strings and lists of strings.
-- @module hdf5.values
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local class = require 'torch.class'
local kinds = require 'torch.file.kinds'
local library, space, types = require 'hdf5.library', require 'hdf5.space', require 'hdf5.types'

local values = {}

local pointers, bytes = ffi.typeof 'char *[?]', ffi.typeof 'char[?]'

--- Whether a table is a list of strings, which is one value rather than a group.
-- @tparam table data
-- @treturn boolean
function values.isText(data)
  if #data == 0 then return false end
  local count = 0
  for _, text in pairs(data) do
    if type(text) ~= 'string' then return false end
    count = count + 1
  end
  return count == #data
end

local function ofTensor(x)
  local kind = C.dtypeOf(x)
  local inFile, inMemory = types.of(kind)
  if not inFile then error(('Cannot find hdf5 file type for %s'):format(torch.type(x)), 0) end
  local elements = C.lend(C.onHost(x):contiguous())
  local sizes = elements:size():totable()
  if #sizes == 0 then sizes = { 0 } end
  return { inFile = inFile, inMemory = inMemory, sizes = sizes, buffer = elements:data(), held = elements }
end

local function ofTexts(texts, sizes)
  local buffer, held = pointers(#texts), {}
  for i, text in ipairs(texts) do
    if text:find('%z') then error(('hdf5: string %d holds a zero byte, at which HDF5 ends strings'):format(i), 0) end
    held[i] = bytes(#text + 1, text)
    buffer[i - 1] = held[i]
  end
  local kind = types.text()
  return { inFile = kind, inMemory = kind, sizes = sizes, buffer = buffer, held = held }
end

--- How a value is written.
-- @param data tensor, number, boolean, string or list of strings
-- @treturn table fields `inFile` and `inMemory` (types), `sizes` (nil for a single value), `buffer`, `held` (keeps the buffer alive)
-- @raise what files have no form for
function values.writing(data)
  if torch.isTensor(data) then return ofTensor(data) end
  if type(data) == 'number' then
    local x = ofTensor(torch.DoubleTensor { data })
    x.sizes = nil
    return x
  elseif type(data) == 'boolean' then
    local x = ofTensor(torch.BoolTensor { data and 1 or 0 })
    x.sizes = nil
    return x
  elseif type(data) == 'string' then
    return ofTexts({ data })
  elseif type(data) == 'table' and values.isText(data) then
    return ofTexts(data, { #data })
  elseif type(data) == 'userdata' then
    error('torch-hdf5: writing non-Tensor userdata is not supported', 0)
  end
  error(('torch-hdf5: writing data of type %s is not supported'):format(class.type(data)), 0)
end

-- A list of lists as deep as there are sizes.
local function nested(flat, sizes)
  for level = #sizes, 2, -1 do
    local outer, size = {}, sizes[level]
    for i = 1, size > 0 and #flat / size or 0 do
      outer[i] = {}
      for j = 1, size do outer[i][j] = flat[(i - 1) * size + j] end
    end
    flat = outer
  end
  return flat
end

local function fixedText(buffer, size, padding)
  local text = ffi.string(buffer, size)
  text = text:match '^[^%z]*'
  return padding == 2 and text:gsub(' +$', '') or text
end

local function readTexts(type, form, count, read)
  local H, texts = library.open(), {}
  if form.isVariable then
    local buffer = pointers(math.max(count, 1))
    read(type.id, buffer)
    for i = 1, count do texts[i] = buffer[i - 1] ~= nil and ffi.string(buffer[i - 1]) or '' end
    local flat = space.new { count }
    H.H5Dvlen_reclaim(type.id, flat.id, 0, buffer)
    library.close(flat)
    return texts
  end
  local buffer, padding = bytes(math.max(count * form.size, 1)), H.H5Tget_strpad(type.id)
  read(type.id, buffer)
  for i = 1, count do texts[i] = fixedText(buffer + (i - 1) * form.size, form.size, padding) end
  return texts
end

local function single(x, form)
  if form.isComplex then return x:view(2) end
  local value = x:view(1)[1]
  if form.kind == 'Bool' then return value == true or value == 1 end
  return value
end

--- Reads a value.
-- @tparam cdata type of the file, a handle
-- @tparam ?{int,...} sizes nil for a single value
-- @int count elements in all
-- @bool widen as `hdf5.types.reading` takes it
-- @tparam function read of a type in memory and a buffer
-- @return a tensor, number, boolean, string or (nested) list of strings
function values.read(type, sizes, count, widen, read)
  local form = types.reading(type.id, widen)
  if form.isText then
    local texts = readTexts(type, form, count, read)
    if sizes then return nested(texts, sizes) end
    return texts[1]
  end
  local shape = {}
  for i, size in ipairs(sizes or { 1 }) do shape[i] = size end
  if form.isComplex then shape[#shape + 1] = 2 end
  local x = torch[form.kind .. 'Tensor']()
  if count > 0 then
    x:resize(torch.LongStorage(shape))
    local lent = C.lend(x)
    read(form.memory.id, ffi.cast(kinds[form.kind].pointer, lent:data()))
  end
  if sizes then return x end
  return single(x, form)
end

return values
