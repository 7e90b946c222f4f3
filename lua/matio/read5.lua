--- Arrays of a MAT-file of version 5 as values of Lua.
-- @module matio.read5
local torch = require 'torch'
local damage = require 'torch.file.damage'
local raw = require 'torch.file.raw_elements'
local elements, lists, texts = require 'matio.elements', require 'matio.lists', require 'matio.texts'
local sparse = require 'matio.sparse'

local read5 = {}

local int32, uint32, int8, uint8, deepest, mostDimensions, mostWithoutBytes = 5, 6, 1, 2, 100, 32, 65536
local isComplex, isLogical = 0x800, 0x200
local cell, struct, object, char, sparseClass, functionHandle, opaque = 1, 2, 3, 4, 5, 16, 17
local classes = {
  [6] = raw.types.F64, [7] = raw.types.F32, [8] = raw.types.I8, [9] = raw.types.U8, [10] = raw.types.I16, [11] = raw.types.U16,
  [12] = raw.types.I32, [13] = raw.types.U32, [14] = raw.types.I64, [15] = raw.types.U64,
}

local function nameOf(block, tag)
  if tag.type ~= int8 and tag.type ~= elements.utf8 then damage.raise(tag.at + 1, 'a name as bytes (1)', tostring(tag.type)) end
  return (block:text(tag.first, tag.bytes):gsub('%z+$', ''))
end

local function sizesOf(block, tag)
  if tag.type ~= int32 and tag.type ~= uint32 then damage.raise(tag.at + 1, 'sizes as integers of 4 bytes (5)', tostring(tag.type)) end
  if tag.bytes % 4 ~= 0 or tag.bytes < 8 or tag.bytes > 4 * mostDimensions then
    damage.raise(tag.at + 1, ('2 to %d sizes'):format(mostDimensions), ('%.0f bytes'):format(tag.bytes))
  end
  local sizes = {}
  for i = 1, tag.bytes / 4 do
    sizes[i] = block:int(tag.first + 4 * (i - 1))
    if sizes[i] < 0 then damage.raise(tag.first + 4 * i - 3, 'a size of 0 or more', tostring(sizes[i])) end
  end
  local room = 1
  for _, size in ipairs(sizes) do room = room * math.max(size, 1) end
  if room > 2 ^ 53 then damage.raise(tag.first + 1, 'at most 2^53 elements', table.concat(sizes, ' x ')) end
  return sizes
end

--- Reads the start of an array.
-- @tparam table block
-- @tparam table tag its tag (`matio.elements`)
-- @treturn table `class`, `flags`, `sizes`, `name`, `at` (the offset after it), `stop`; without `class` for an empty one
function read5.header(block, tag)
  if tag.type ~= elements.matrix then damage.raise(tag.at + 1, 'an array (14)', tostring(tag.type)) end
  local at, stop = tag.first, tag.first + tag.bytes
  if tag.bytes == 0 then return { name = '', sizes = { 0, 0 }, at = at, stop = stop } end
  local flags = elements.tag(block, at, stop, 'flags')
  if flags.type ~= uint32 or flags.bytes ~= 8 then
    damage.raise(at + 1, 'flags of 8 bytes (6)', ('%d bytes (%d)'):format(flags.bytes, flags.type))
  end
  local word = block:word(flags.first)
  local head = { class = word % 256, flags = word, stop = stop }
  at = flags.next
  if head.class ~= opaque then
    local sizes = elements.tag(block, at, stop, 'sizes')
    head.sizes, at = sizesOf(block, sizes), sizes.next
  end
  local name = elements.tag(block, at, stop, 'a name')
  head.name, head.at = nameOf(block, name), name.next
  return head
end

-- Reads the next element of an array.
local function nextTag(block, head, what)
  local tag = elements.tag(block, head.at, head.stop, what)
  head.at = tag.next
  return tag
end

local function has(head, flag) return bit.band(head.flags, flag) ~= 0 end

-- Returns real numbers and, if there are some, imaginary ones as one tensor of the class.
local function numbers(block, head, type, count)
  local tag = nextTag(block, head, 'elements')
  if head.class == sparseClass and has(head, isLogical) then tag.type = uint8 end      -- MATLAB calls these bytes doubles
  local real = elements.read(block, tag, 'elements', count)
  if not has(head, isComplex) then
    return has(head, isLogical) and real:ne(0):bool() or real:type('torch.' .. type.kind.name .. 'Tensor')
  end
  local part = type == raw.types.F32 and 'torch.FloatTensor' or 'torch.DoubleTensor'      -- complex integers become doubles
  local imaginary = elements.read(block, nextTag(block, head, 'imaginary parts'), 'imaginary parts', real:nElement())
  return torch.complex(real:type(part), imaginary:type(part))
end

-- Returns the characters of an array as a list of numbers.
local function codesOf(block, head, count)
  local tag = nextTag(block, head, 'characters')
  local codes = {}
  if tag.bytes == 0 and count <= mostWithoutBytes then      -- blanks, or no characters
    for i = 1, count do codes[i] = 32 end
    return codes
  end
  if tag.type == elements.utf8 then
    local text = block:text(tag.first, tag.bytes)
    codes = texts.characters(text)
    if #codes ~= count then codes = texts.units(text) end
    if #codes ~= count then damage.raise(tag.at + 1, ('%.0f characters'):format(count), tostring(#codes)) end
    return codes
  end
  local number = tag.type == elements.utf16 and 4 or tag.type == elements.utf32 and 6 or tag.type
  local x = elements.read(block, { type = number, first = tag.first, bytes = tag.bytes, at = tag.at }, 'characters', count)
  if number == 1 then x = x:byte() end
  for i, code in ipairs(x:double():totable()) do
    if code < 0 or code > 0x10ffff or code % 1 ~= 0 then damage.raise(tag.first + 1, 'codes of characters', tostring(code)) end
    codes[i] = code
  end
  return codes
end

local function sparseOf(block, head)
  local sizes = head.sizes
  if #sizes ~= 2 then damage.raise(head.at + 1, 'two sizes of a sparse array', tostring(#sizes)) end
  local at = head.at + 1
  local rows = elements.read(block, nextTag(block, head, 'rows'), 'rows')
  local starts = elements.read(block, nextTag(block, head, 'starts of columns'), 'starts of columns', sizes[2] + 1)
  local s, problem = sparse.matrix(rows, starts, numbers(block, head, classes[6]), sizes)
  if not s then damage.raise(at, 'a sparse array', problem) end
  return s
end

local readArray

local function readInner(block, head, options, depth)
  local tag = nextTag(block, head, 'an array')
  return (readArray(block, tag, options, depth + 1))
end

-- Checks that there is room for arrays, of 8 bytes or more each.
local function checkCount(head, count, what)
  if count * 8 > head.stop - head.at then
    damage.raise(head.at + 1, ('%.0f %s'):format(count, what), ('%.0f bytes to the end'):format(head.stop - head.at))
  end
end

local function cells(block, head, options, depth)
  local count, flat = lists.count(head.sizes), {}
  checkCount(head, count, 'cells')
  for i = 1, count do flat[i] = readInner(block, head, options, depth) end
  return lists.nested(flat, head.sizes)
end

-- Returns the names of fields; repeated ones get their number before them.
local function fieldsOf(block, head)
  local lengthTag = nextTag(block, head, 'the length of names')
  local length = lengthTag.type == int32 and lengthTag.bytes == 4 and block:int(lengthTag.first) or 0
  if length < 1 then damage.raise(lengthTag.at + 1, 'a length of names, 1 or more', tostring(length)) end
  local tag, names, seen = nextTag(block, head, 'names of fields'), {}, {}
  for i = 1, math.floor(tag.bytes / length) do
    local name = block:text(tag.first + (i - 1) * length, length):match '^[^%z]*'
    if seen[name] then name = ('_%d_%s'):format(i, name) end
    names[i], seen[name] = name, true
  end
  return names
end

local function structs(block, head, options, depth)
  local class = head.class == object and nameOf(block, nextTag(block, head, "a class's name")) or nil
  local names, count, flat = fieldsOf(block, head), lists.count(head.sizes), {}
  checkCount(head, count * #names, 'fields')
  if #names == 0 and count > mostWithoutBytes then
    damage.raise(head.at + 1, ('at most %d structs without fields'):format(mostWithoutBytes), ('%.0f'):format(count))
  end
  for i = 1, count do
    local one = { __class = class }
    for _, name in ipairs(names) do one[name] = readInner(block, head, options, depth) end
    flat[i] = one
  end
  return count == 1 and flat[1] or lists.nested(flat, head.sizes)
end

local function others(_, head)
  damage.raise(head.at + 1, 'numbers, characters, cells or structs', head.class == functionHandle and 'a function handle'
    or head.class == opaque and 'an object of a class' or ('class %d'):format(head.class), true)
end

local readers = {
  [cell] = cells, [struct] = structs, [object] = structs, [sparseClass] = sparseOf, [functionHandle] = others, [opaque] = others,
  [char] = function(block, head, options)
    return texts.value(codesOf(block, head, lists.count(head.sizes)), head.sizes, options.strings)
  end,
}

-- Returns an array as a value, and its name.
function readArray(block, tag, options, depth)
  if depth > deepest then damage.raise(tag.at + 1, ('at most %d arrays in each other'):format(deepest), 'more') end
  local head = read5.header(block, tag)
  if not head.class then return torch.DoubleTensor(0, 0), head.name end
  local type = classes[head.class]
  if type then return lists.shaped(numbers(block, head, type, lists.count(head.sizes)), head.sizes), head.name end
  return (readers[head.class] or others)(block, head, options, depth), head.name
end

--- Returns an array as a value of Lua, and its name; raises damage.
-- @tparam table block
-- @tparam table tag
-- @tparam table options `strings`: characters become strings, not tensors
function read5.array(block, tag, options) return readArray(block, tag, options, 1) end

return read5
