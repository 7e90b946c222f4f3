--- NumPy's .npy files: one array each.
-- Format: "NEP 1, A Simple File Format for NumPy Arrays", versions 1.0 to 3.0.
-- @module torch.file.npy
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local class = require 'torch.class'
local damage = require 'torch.file.damage'
local kinds = require 'torch.file.kinds'
local outside = require 'torch.file.outside'
local utf8 = require('torch.file.utf8').char
local atomic = require 'torch.file.atomic'
local reverse = require('torch.file.binary').reverse

local npy = {}

local magic, alignment, longestShape = '\147NUMPY', 64, 32
local nativeOrder = ffi.abi 'le' and '<' or '>'

-- NumPy's kind and size -> element type. Types that NumPy lacks have the forms of ml_dtypes: opaque bytes, or f1.
local kindOf = {
  b1 = 'Bool', u1 = 'Byte', u2 = 'UInt16', u4 = 'UInt32', u8 = 'UInt64', i1 = 'Char', i2 = 'Short', i4 = 'Int', i8 = 'Long', f2 = 'Half',
  f4 = 'Float', f8 = 'Double', c8 = 'ComplexFloat', c16 = 'ComplexDouble', V2 = 'BFloat16', V1 = 'Float8E4m3', f1 = 'Float8E5m2',
}
local descrOf = {}
for descr, kind in pairs(kindOf) do
  descrOf[kind] = descr
  if not kinds[kind] then kindOf[descr] = nil end      -- a minimal library has fewer types
end

local readable = 'a type of numbers (b1, i1 to i8, u1 to u8, f1 to f8, c8, c16, or V1 and V2 for float8 and bfloat16) or texts (U or S)'
local mostEmpty = 65536      -- maximum number of empty texts

-- Parses a header: a Python dictionary of strings, booleans and tuples of integers.
local function parseHeader(text, at)
  local fields = {}
  local inside = text:match '^%s*{(.*)}%s*$'
  if not inside then damage.raise(at, 'a header in braces', ('%q'):format(text:sub(1, 40))) end
  local place = 1
  while inside:find('%S', place) do
    local quote, key, after = inside:match([[^%s*(['"])([%w_]+)%1%s*:%s*()]], place)
    if not quote then damage.raise(at, "a header's key", ('%q'):format(inside:sub(place, place + 40))) end
    local value, stop = inside:match([[^(%b'')()]], after)
    if not value then value, stop = inside:match([[^(%b"")()]], after) end
    if not value then value, stop = inside:match('^(%([%d%sL,]*%))()', after) end
    if not value then value, stop = inside:match('^(%a+)()', after) end
    if not value then value, stop = inside:match('^(%b[])()', after) end      -- the fields of records
    if not value then damage.raise(at, 'a plain value of ' .. key, ('%q'):format(inside:sub(after, after + 40))) end
    fields[key] = value
    place = inside:match('^%s*,()', stop) or stop
  end
  return fields
end

local function parseShape(text, at)
  local sizes, count = {}, 1
  if not text or not text:find '^%(' then damage.raise(at, 'a shape', tostring(text)) end
  for digits in text:gmatch '%d+' do
    local size = tonumber(digits)
    if size > 2 ^ 53 or #sizes == longestShape then
      damage.raise(at, ('at most %d sizes of at most 2^53'):format(longestShape), text:sub(1, 60))
    end
    sizes[#sizes + 1], count = size, count * size
  end
  return sizes, count
end

local function readHeader(channel)
  local start = outside.text(channel, 8, 'a header')
  if start:sub(1, 6) ~= magic then damage.raise(1, 'the bytes \\147NUMPY', ('%q'):format(start:sub(1, 6))) end
  local major = start:byte(7)
  if major < 1 or major > 3 then damage.raise(7, 'version 1, 2 or 3', tostring(major)) end
  local width = major == 1 and 2 or 4
  local length = outside.integer(outside.text(channel, width, 'a length'), 1, width)
  local at = channel:position() + 1
  return parseHeader(outside.text(channel, length, 'a header'), at), at
end

-- Parses the type of the elements: byte order, kind and size.
local function parseType(text, at)
  local order, what = (text or ''):match [[^['"]([<>=|]?)([%a?]%d*)['"]$]]
  local isKnown = what and (kindOf[what] or what:find '^[US]%d+$')
  if not isKnown then damage.raise(at, readable, tostring(text), true) end
  return what, (order == '<' or order == '>') and order ~= nativeOrder
end

local function readElements(channel, kind, count, swapped)
  local storage = torch[kind.name .. 'Storage'](count)
  local p = ffi.cast('uint8_t *', storage:data())
  if count > 0 then outside.fill(channel, p, count * kind.size, 'the elements') end
  if swapped and kind.size > 1 then reverse(p, count * kind.parts, kind.size / kind.parts) end
  if kind.name == 'Bool' then
    for i = 0, count - 1 do p[i] = p[i] ~= 0 and 1 or 0 end
  end
  return storage
end

-- Returns column-major strides: the first dimension is innermost.
local function fortranStrides(sizes)
  local strides, stride = {}, 1
  for i = 1, #sizes do
    strides[i] = stride
    stride = stride * math.max(sizes[i], 1)
  end
  return torch.LongStorage(strides)
end

-- Returns a text of `length` characters of four bytes each, without zeros at its end.
local function wideText(p, length, at)
  while length > 0 and p[length - 1] == 0 do length = length - 1 end
  local parts = {}
  for i = 0, length - 1 do
    if p[i] > 0x10ffff then damage.raise(at + 4 * i, 'a character of Unicode', ('%08x'):format(tonumber(p[i]))) end
    parts[i + 1] = utf8(p[i])
  end
  return table.concat(parts)
end

-- Returns a nested list of texts with the sizes; without sizes, the single text. `step` has the stride of each dimension.
local function nested(texts, sizes, step, level, place)
  if level > #sizes then return texts[place] end
  local list = {}
  for i = 1, sizes[level] do list[i] = nested(texts, sizes, step, level + 1, place + (i - 1) * step[level]) end
  return list
end

-- Reads texts: of `U`, four bytes per character, or `S`, bytes.
local function readTexts(channel, what, sizes, count, swapped, fortran)
  local isWide, length = what:sub(1, 1) == 'U', tonumber(what:sub(2))
  local size, at = isWide and 4 * length or length, channel:position() + 1
  if count * size > channel:remaining() or size == 0 and count > mostEmpty then
    damage.raise(at, ('%.0f texts of %d bytes'):format(count, size), ('%.0f bytes to the end of the file'):format(channel:remaining()))
  end
  local bytes = ffi.new('uint8_t[?]', math.max(count * size, 1))
  if count * size > 0 then outside.fill(channel, bytes, count * size, 'the elements') end
  if isWide and swapped then reverse(bytes, count * length, 4) end
  local texts = {}
  for i = 0, count - 1 do
    local p = bytes + i * size
    texts[i + 1] = isWide and wideText(ffi.cast('uint32_t *', p), length, at + i * size) or (ffi.string(p, size):gsub('%z+$', ''))
  end
  local step, run = {}, 1
  for k = 1, #sizes do
    local d = fortran and k or #sizes + 1 - k
    step[d], run = run, run * sizes[d]
  end
  return nested(texts, sizes, step, 1, 1)
end

--- Returns whether an error of `read` means that an array is intact, but of a type that this library doesn't support.
-- @param err
-- @treturn boolean
function npy._isOther(err) return damage.is(err) and err.isOther == true end

-- Raises damage unless all elements are there.
local function expectElements(channel, kind, count)
  if count * kind.size <= channel:remaining() then return end
  damage.raise(channel:position() + 1, ('%.0f elements of %d bytes'):format(count, kind.size),
    ('%.0f bytes to the end of the file'):format(channel:remaining()))
end

--- Makes the tensor of an array.
-- @tparam table kind of its elements
-- @tparam Storage storage
-- @tparam {int,...} sizes; none for an array without dimensions
-- @bool fortran whether the first dimension is innermost
-- @treturn torch.Tensor
function npy._tensor(kind, storage, sizes, fortran)
  if #sizes == 0 then sizes = { 1 } end
  local newTensor = torch[kind.name .. 'Tensor']
  if fortran then return newTensor(storage, 1, torch.LongStorage(sizes), fortranStrides(sizes)) end
  return newTensor(storage, 1, torch.LongStorage(sizes))
end

-- Reads a header: NumPy's name of the type, sizes, the number of elements, whether their bytes are reversed and the order is Fortran's.
local function readLayout(channel)
  local fields, headerAt = readHeader(channel)
  local what, swapped = parseType(fields.descr, headerAt)
  local sizes, count = parseShape(fields.shape, headerAt)
  if fields.fortran_order ~= 'True' and fields.fortran_order ~= 'False' then
    damage.raise(headerAt, 'fortran_order True or False', tostring(fields.fortran_order))
  end
  return what, sizes, count, swapped, fields.fortran_order == 'True', headerAt
end

--- Reads the header of an array of numbers whose elements can be used where they are; raises damage for others.
-- @tparam table channel at whose position the elements begin afterwards
-- @treturn table kind of its elements
-- @treturn {int,...} sizes
-- @treturn int number of elements, all of which are in the file
-- @treturn bool whether the first dimension is innermost
function npy._mapped(channel)
  local what, sizes, count, swapped, fortran, headerAt = readLayout(channel)
  local kind = kinds[kindOf[what]]
  if not kind then damage.raise(headerAt, 'numbers, which can be mapped', 'texts', true) end
  if swapped and kind.size > 1 then damage.raise(headerAt, "this processor's order of bytes", 'the other one', true) end
  expectElements(channel, kind, count)
  return kind, sizes, count, fortran
end

--- Reads an array from a channel of bytes; raises damage as `torch.file.damage`.
-- @tparam table channel
-- @treturn torch.Tensor|string|table
function npy.read(channel)
  local what, sizes, count, swapped, fortran = readLayout(channel)
  if what:find '^[US]' then return readTexts(channel, what, sizes, count, swapped, fortran) end
  local kind = kinds[kindOf[what]]
  expectElements(channel, kind, count)
  return npy._tensor(kind, readElements(channel, kind, count, swapped), sizes, fortran)
end

-- Returns the header of an array, in C's order or in Fortran's.
local function headerOf(descr, shape, fortran)
  local header = ("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }"):format(descr, fortran and 'True' or 'False', shape)
  local padding = -(#magic + 4 + #header + 1) % alignment
  header = header .. (' '):rep(padding) .. '\n'
  local length = string.char(#header % 256, math.floor(#header / 256))
  return magic .. '\1\0' .. length .. header
end

--- Returns the header of a file.
-- @tparam table kind from `torch.file.kinds`
-- @tparam {int,...} sizes
-- @bool[opt] fortran whether the first dimension is innermost
-- @treturn string
function npy._header(kind, sizes, fortran)
  local shape = {}
  for i = 1, #sizes do shape[i] = ('%.0f'):format(sizes[i]) end
  return headerOf((kind.size == 1 and '|' or nativeOrder) .. descrOf[kind.name], table.concat(shape, ', ') .. (#sizes == 1 and ',' or ''),
    fortran)
end

--- Returns the header and the bytes of a text, an array of `S` without dimensions.
-- @string text not empty
-- @treturn string header
-- @treturn torch.ByteTensor
-- @treturn int number of bytes
function npy._textParts(text)
  return headerOf('|S' .. #text, ''), torch.ByteTensor(torch.ByteStorage():string(text)), #text
end

-- Returns the element type of a tensor; nil for any other value.
local function kindOfTensor(x) return torch.isTensor(x) and kinds[C.dtypeOf(x)] end

--- Returns the header and the elements of a tensor.
-- @string op the start of messages
-- @tparam torch.Tensor x
-- @treturn string header
-- @treturn torch.Tensor x, contiguous, in a handle that other code can't resize
-- @treturn int bytes of the elements
function npy.parts(op, x)
  local kind = kindOfTensor(x)
  if not kind then error(('%s: tensor: %s, expected a tensor'):format(op, class.type(x)), 3) end
  local elements = C.lend(C.onHost(x):contiguous())
  local sizes = elements:size():totable()
  return npy._header(kind, #sizes == 0 and { 0 } or sizes), elements, elements:nElement() * kind.size
end

--- Reads a .npy file.
-- Types: b1, i1 to i8, u1 to u8, f2, f4, f8, c8, c16 become the tensor type with the same elements, as do the types that ml_dtypes adds: V2
-- (bfloat16), V1 (float8_e4m3fn), f1 (float8_e5m2); U and S
-- strings, in nested lists with one level per dimension. Either byte order; Fortran order becomes a transposed tensor. An array without
-- dimensions has size 1.
-- @string name file
-- @tparam[opt] table options `mmapMode`: 'r', 'c' or 'r+' maps the file, as `torch.npy.openMemmap` does, instead of reading it
-- @treturn torch.Tensor|string|table
-- @raise if a file is damaged or of another format: `torch.npy.load: <name>: at byte N: expected ..., read ...`
-- @usage torch.npy.load('x.npy')
function npy.load(name, options)
  local mode = check.options('torch.npy.load', options, { 'mmapMode' }).mmapMode
  if mode == nil then return (outside.open('torch.npy.load', name, npy.read)) end
  check.choice('torch.npy.load', 'mmapMode', mode, { 'r', 'c', 'r+' })
  return require('torch.file.memmap').npy('torch.npy.load', name, mode)
end

--- Maps a .npy file, as NumPy's `open_memmap`: a tensor over its elements, which are read when they are used (see `torch.memmap`).
-- @string name file
-- @tparam[opt] table options `mode`: 'r+' (default), 'r', 'c', or 'w+' for a new file with zeros; for the latter `dtype` (default
--   'float64'), `shape` and `fortranOrder`
-- @treturn torch.Tensor
-- @raise as `load`; for texts and elements in the other byte order; if a new file can't be created
-- @usage local x = torch.npy.openMemmap('x.npy', { mode = 'w+', dtype = 'float32', shape = { 1000, 20 } })
function npy.openMemmap(name, options) return require('torch.file.memmap').openNpy(name, options) end

-- Returns the sizes, the element type, whether bytes are reversed, and where the elements of an array of numbers in C's order begin.
local function layoutOf(channel)
  local fields, headerAt = readHeader(channel)
  local what, swapped = parseType(fields.descr, headerAt)
  local sizes = parseShape(fields.shape, headerAt)
  if not kindOf[what] or fields.fortran_order ~= 'False' or #sizes == 0 then
    damage.raise(headerAt, 'rows of numbers in the order of C', ("%s, fortran_order %s, shape %s"):format(fields.descr,
      fields.fortran_order or '', fields.shape or ''), true)
  end
  return sizes, kinds[kindOf[what]], swapped, channel:position()
end

--- Reads some rows of an array of numbers, without the others.
-- @string name file
-- @int[opt=1] first row
-- @int[opt] count of rows; default: all from `first` on
-- @treturn torch.Tensor with `count` rows
-- @treturn int the number of rows in the file
-- @raise as `load` does; if the file doesn't have the rows, or has other elements than numbers in the order of C
-- @usage torch.npy.rows('x.npy', 101, 50)
function npy.rows(name, first, count)
  return outside.open('torch.npy.rows', name, function(channel)
    local sizes, kind, swapped, start = layoutOf(channel)
    local total, row = sizes[1], 1
    first = first or 1
    count = count or total - first + 1
    if first % 1 ~= 0 or count % 1 ~= 0 or first < 1 or count < 0 or first + count - 1 > total then
      error(('rows: %s rows from %s on, expected some of %d'):format(tostring(count), tostring(first), total), 0)
    end
    for d = 2, #sizes do row = row * sizes[d] end
    channel:seek(start + (first - 1) * row * kind.size)
    if count * row * kind.size > channel:remaining() then
      damage.raise(channel:position() + 1, ('%.0f elements of %d bytes'):format(count * row, kind.size),
        ('%.0f bytes to the end of the file'):format(channel:remaining()))
    end
    sizes[1] = count
    return torch[kind.name .. 'Tensor'](readElements(channel, kind, count * row, swapped), 1, torch.LongStorage(sizes)), total
  end)
end

--- Writes a tensor to a .npy file, which is replaced atomically.
-- @string name file
-- @tparam torch.Tensor x any type; bfloat16 as V2 and float8_e4m3fn as V1, which NumPy reads with `.view(ml_dtypes.bfloat16)`; float8_e5m2
-- as f1, like ml_dtypes, although NumPy 2 does not read its own file
function npy.save(name, x)
  local header, elements, bytes = npy.parts('torch.npy.save', x)
  atomic.write('torch.npy.save', name, function(channel)
    local _, message = channel:write(header, #header)
    if bytes > 0 and not message then _, message = channel:write(elements:data(), bytes) end
    if message then error(message, 0) end
  end)
end

return npy
