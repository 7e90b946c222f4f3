--- Converts elements that the library read into memory to tensors, texts, tables of records' members, or lists.
-- @module hdf5.elements
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local library = require 'hdf5.library'

local elements = {}

local bytePtr, pointerPtr = ffi.typeof 'uint8_t *', ffi.typeof 'const char **'
ffi.cdef 'typedef struct { size_t length; uint8_t *elements; } mt_hdf5_list;'
local listPtr = ffi.typeof 'mt_hdf5_list *'
--- The type of an array of lists, each with `length` and `elements`.
elements.lists = ffi.typeof 'mt_hdf5_list[?]'

local padsWithBlanks = 2

-- Nested lists, one level per size; the single value for nil.
local function nested(flat, sizes)
  if not sizes then return flat[1] end
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

--- A tensor for numbers, with the sizes of the data, then those of each element.
-- @tparam table node
-- @tparam ?{int,...} sizes
-- @treturn torch.Tensor
function elements.tensor(node, sizes)
  local shape = {}
  for i, size in ipairs(sizes or { #node.extra == 0 and 1 or nil }) do shape[i] = size end
  for _, size in ipairs(node.extra) do shape[#shape + 1] = size end
  return torch[node.kind .. 'Tensor']():resize(torch.LongStorage(shape))
end

--- Converts a tensor that was read: a single value whose element has no sizes becomes a number or boolean.
-- @tparam table node
-- @tparam torch.Tensor x
-- @bool isSingle
function elements.finished(node, x, isSingle)
  if node.finish then x = node.finish(x) end
  if not isSingle or #node.extra > 0 then return x end
  local value = x:view(1)[1]
  if node.kind == 'Bool' then return value == true or value == 1 end
  return value
end

local function readNumbers(node, p, stride, count, sizes)
  local x = elements.tensor(node, sizes)
  if x:nElement() > 0 then
    local to = ffi.cast(bytePtr, C.lend(x):data())
    if stride == node.size then
      ffi.copy(to, p, count * node.size)
    else
      for i = 0, count - 1 do ffi.copy(to + i * node.size, p + i * stride, node.size) end
    end
  end
  return elements.finished(node, x, not sizes)
end

local function fixedText(node, p)
  local text = ffi.string(p, node.size):match '^[^%z]*'
  return node.padding == padsWithBlanks and (text:gsub(' +$', '')) or text
end

-- The path of a reference's target; an empty text for a null reference.
local function pathOf(node, p, place)
  local id = library.try('Rdereference2', place, 0, node.isRegion and 1 or 0, p)
  if not id then return '' end
  local object = library.own(id)
  local length = library.try('Iget_name', object.id, nil, 0) or 0
  local text = ffi.new('char[?]', tonumber(length) + 1)
  if length > 0 then library.try('Iget_name', object.id, text, length + 1) end
  library.close(object)
  return ffi.string(text)
end

-- The text, the bytes, or the path of the reference's target at p.
local function single(node, p, place)
  if node.isOpaque then return ffi.string(p, node.size) end
  if node.isReference then return pathOf(node, p, place) end
  if not node.isVariable then return fixedText(node, p) end
  local text = ffi.cast(pointerPtr, p)[0]
  return text ~= nil and ffi.string(text) or ''
end

--- Converts elements in memory.
-- @tparam table node from `hdf5.types.reading`
-- @tparam cdata p the first element
-- @int stride bytes from one to the next
-- @int count
-- @tparam ?{int,...} sizes of the data; nil for one value
-- @tparam cdata place an object of the file, for looking up references
-- @return numbers as a tensor; texts, bytes and references as a (nested) list; records as a table of the members' values by name; arrays
-- and lists of numbers as tensors, of others as lists
function elements.read(node, p, stride, count, sizes, place)
  if node.kind then return readNumbers(node, p, stride, count, sizes) end
  if node.members then
    local record = {}
    for _, member in ipairs(node.members) do
      record[member.name] = elements.read(member.node, p + member.offset, stride, count, sizes, place)
    end
    return record
  end
  local list = {}
  for i = 0, count - 1 do
    local at, element = p + i * stride, node.element
    if node.isList then
      local inner = ffi.cast(listPtr, at)
      local length = inner.elements ~= nil and tonumber(inner.length) or 0
      list[i + 1] = elements.read(element, inner.elements, element.size, length, { length }, place)
    elseif element then
      list[i + 1] = elements.read(element, at, element.size, node.count, node.sizes, place)
    else
      list[i + 1] = single(node, at, place)
    end
  end
  if sizes and sizes.isNull and node.isText then return '' end
  return nested(list, sizes)
end

return elements
