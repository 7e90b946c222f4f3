--- Lua values for the contents of datasets and attributes: tensors, numbers, booleans, strings, lists, and tables of records' members.
-- @module hdf5.values
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local class = require 'torch.class'
local isComplex = require('torch.check.message').isComplex
local kinds = require 'torch.file.kinds'
local elements, library, space, types = require 'hdf5.elements', require 'hdf5.library', require 'hdf5.space', require 'hdf5.types'

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
  local lent = C.lend(C.onHost(x):contiguous())
  local sizes = lent:size():totable()
  if #sizes == 0 then sizes = { 0 } end
  return { inFile = inFile, inMemory = inMemory, sizes = sizes, buffer = lent:data(), held = lent, kind = kind }
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

--- Whether a table is a list of vectors with equal types, which is one value: variable-length lists.
-- @tparam table data
-- @treturn boolean
function values.isRagged(data)
  local count, kind = 0, nil
  for _, x in pairs(data) do
    if not torch.isTensor(x) or x:dim() > 1 then return false end
    kind = kind or C.dtypeOf(x)
    if C.dtypeOf(x) ~= kind then return false end
    count = count + 1
  end
  return count > 0 and count == #data
end

--- Whether a table is one value rather than a group.
-- @tparam table data
-- @treturn boolean
function values.isOne(data) return torch.typename(data) ~= nil or values.isText(data) or values.isRagged(data) end

-- Variable-length lists.
local function ofRagged(list)
  local inFile, inMemory = types.of(C.dtypeOf(list[1]))
  if not inFile then error(('Cannot find hdf5 file type for %s'):format(torch.type(list[1])), 0) end
  local buffer, held = elements.lists(#list), {}
  for i, x in ipairs(list) do
    held[i] = C.lend(C.onHost(x):contiguous())
    buffer[i - 1].length, buffer[i - 1].elements = x:nElement(), x:nElement() > 0 and ffi.cast('uint8_t *', held[i]:data()) or nil
  end
  return { inFile = types.list(inFile), inMemory = types.list(inMemory), sizes = { #list }, buffer = buffer, held = held }
end

-- A column of a frame as the texts or the tensor to write.
local function columnOf(frame, name)
  local column = frame.columns[name]
  if frame.types[name] ~= 'category' then return column end
  local texts = {}
  for i = 1, frame:size() do texts[i] = frame.categories[name][column[i]] or '' end
  return texts
end

-- Records, one for each row of a data frame.
local function ofFrame(frame)
  local members, inFile, size, fileSize, held, count = {}, {}, 0, 0, {}, frame:size()
  for j, name in ipairs(frame.names) do
    local column = columnOf(frame, name)
    local form = torch.isTensor(column) and ofTensor(column) or ofTexts(column, { count })
    local width = types.size(form.inMemory)
    members[j] = { name = name, offset = size, type = form.inMemory, from = ffi.cast('const uint8_t *', form.buffer), width = width }
    inFile[j] = { name = name, offset = fileSize, type = form.inFile }
    size, fileSize, held[j] = size + width, fileSize + types.size(form.inFile), form
  end
  if #members == 0 then error('torch-hdf5: a frame without columns has no form in a file', 0) end
  local buffer = ffi.new('uint8_t[?]', math.max(size * count, 1))
  for _, member in ipairs(members) do
    for i = 0, count - 1 do ffi.copy(buffer + i * size + member.offset, member.from + i * member.width, member.width) end
  end
  return {
    inFile = types.record(inFile, fileSize), inMemory = types.record(members, size), sizes = { count }, buffer = buffer, held = held,
  }
end

--- The description for writing a value.
-- @param data tensor, number, also a complex one, boolean, string, list of strings, list of vectors (HDF5's variable-length type) or
-- data.Frame (a compound type)
-- @treturn table fields `inFile` and `inMemory` (types), `sizes` (nil for a single value), `buffer`, `held` (keeps the buffer alive), and
-- the `kind` of a tensor's elements
-- @raise for values that files can't represent
function values.writing(data)
  if torch.isTensor(data) then return ofTensor(data) end
  if type(data) == 'number' or isComplex(data) then
    local x = ofTensor((isComplex(data) and torch.ComplexDoubleTensor or torch.DoubleTensor) { data })
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
  elseif torch.type(data) == 'data.Frame' then
    return ofFrame(data)
  elseif type(data) == 'table' and not torch.typename(data) and values.isRagged(data) then
    return ofRagged(data)
  elseif type(data) == 'userdata' then
    error('torch-hdf5: writing non-Tensor userdata is not supported', 0)
  end
  error(('torch-hdf5: writing data of type %s is not supported'):format(class.type(data)), 0)
end

-- Reads elements that are not numbers into memory, and converts them.
local function readOthers(node, sizes, count, read, place)
  local size = math.max(count * node.size, 1)
  local storage = torch.ByteStorage(size)
  local memory = C.lend(storage)
  local p = ffi.cast('uint8_t *', memory:data())
  ffi.fill(p, size)
  if count > 0 then read(node.memory.id, p) end
  local good, value = pcall(elements.read, node, p, node.size, count, sizes, place)
  if node.hasPointers and count > 0 then
    local flat = space.new { count }
    library.open().H5Dvlen_reclaim(node.memory.id, flat.id, 0, p)
    library.close(flat)
  end
  if not good then error(value, 0) end
  return value
end

--- Reads a value.
-- @tparam cdata type of the file, a handle
-- @tparam ?{int,...} sizes nil for a single value
-- @int count total number of elements
-- @bool widen as for `hdf5.types.reading`
-- @tparam function read reads elements of a type in memory into a buffer
-- @tparam cdata place an object of the file, for looking up references
-- @return a tensor, number, boolean, string, (nested) list, or table of a record's members
function values.read(type, sizes, count, widen, read, place)
  local node = types.reading(type.id, widen)
  if not node.kind then return readOthers(node, sizes, count, read, place) end
  local x = elements.tensor(node, sizes)
  if x:nElement() > 0 then
    local lent = C.lend(x)
    read(node.memory.id, ffi.cast(kinds[node.kind].pointer, lent:data()))
  end
  return elements.finished(node, x, not sizes)
end

return values
