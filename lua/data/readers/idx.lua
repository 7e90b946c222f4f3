--- IDX files, the format of MNIST and similar data sets: one array of numbers each, optionally compressed by gzip.
-- Format: Y. LeCun, "The MNIST database of handwritten digits". All numbers are big-endian.
-- @module data.readers.idx
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local atomic = require 'torch.file.atomic'
local damage = require 'torch.file.damage'
local kinds = require 'torch.file.kinds'
local outside = require 'torch.file.outside'
local reverse = require('torch.file.binary').reverse
local zlib = require 'torch.file.zlib'

local idx = {}

local mostDimensions = 32
local kindOf = { [0x08] = 'Byte', [0x09] = 'Char', [0x0b] = 'Short', [0x0c] = 'Int', [0x0d] = 'Float', [0x0e] = 'Double' }
local codeOf = {}
for code, kind in pairs(kindOf) do codeOf[kind] = code end

-- The size in four bytes of a string, the high byte first.
local function sizeAt(text, at)
  local a, b, c, d = text:byte(at, at + 3)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local function readHeader(channel)
  local start = outside.text(channel, 4, 'a header')
  local zero, kind, dimensions = sizeAt(start, 1) < 65536, kindOf[start:byte(3)], start:byte(4)
  if not zero then damage.raise(1, 'two zero bytes', ('%q'):format(start:sub(1, 2))) end
  if not kind then damage.raise(3, 'a type of numbers (8, 9, 11, 12, 13 or 14)', tostring(start:byte(3))) end
  if dimensions < 1 or dimensions > mostDimensions then
    damage.raise(4, ('1 to %d dimensions'):format(mostDimensions), tostring(dimensions))
  end
  local text = outside.text(channel, 4 * dimensions, 'sizes')
  local sizes, count = {}, 1
  for i = 1, dimensions do
    sizes[i] = sizeAt(text, 4 * i - 3)
    count = count * sizes[i]
  end
  return kinds[kind], sizes, count
end

--- Reads an array from a channel of bytes; raises damage as `torch.file.damage`.
-- @tparam table channel
-- @treturn torch.Tensor
function idx.read(channel)
  local kind, sizes, count = readHeader(channel)
  local at, left = channel:position() + 1, channel:remaining()
  if count * kind.size > left then
    damage.raise(at, ('%s elements of %d bytes, %.0f in all'):format(table.concat(sizes, ' x '), kind.size, count),
      ('%s%.0f bytes to the end of the file'):format(channel:size() == math.huge and 'at most ' or '', left))
  end
  local storage = torch[kind.name .. 'Storage'](count)
  local p = ffi.cast('uint8_t *', storage:data())
  if count > 0 then outside.fill(channel, p, count * kind.size, 'the elements') end
  local _, more = channel:peek()
  if more > 0 then damage.raise(channel:position() + 1, 'the end of the file after the last element', 'more bytes') end
  if kind.size > 1 and ffi.abi 'le' then reverse(p, count, kind.size) end
  return torch[kind.name .. 'Tensor'](storage, 1, torch.LongStorage(sizes))
end

--- Reads an IDX file, optionally compressed by gzip.
-- @string name file
-- @treturn torch.Tensor a ByteTensor, CharTensor, ShortTensor, IntTensor, FloatTensor or DoubleTensor, by the file's type
-- @raise for a file that is damaged or has another format: `data.idx.load: <name>: at byte N: expected ..., read ...`
-- @usage local digits = require('data').idx.load 'train-images-idx3-ubyte.gz'
function idx.load(name) return (outside.openPacked('data.idx.load', name, idx.read)) end

local function bigEndian(value)
  return string.char(math.floor(value / 2 ^ 24), math.floor(value / 65536) % 256, math.floor(value / 256) % 256, value % 256)
end

local function headerOf(kind, x)
  local text = string.char(0, 0, codeOf[kind.name], x:dim())
  for i = 1, x:dim() do
    check.that(x:size(i) < 2 ^ 32, ('data.idx.save: x: size %.0f, expected less than 2^32'):format(x:size(i)))
    text = text .. bigEndian(x:size(i))
  end
  return text
end

--- Writes a tensor to an IDX file atomically.
-- @string name file; compressed by gzip if it ends in .gz
-- @tparam torch.Tensor x of bytes, chars, shorts, ints, floats or doubles
function idx.save(name, x)
  name = check.name('data.idx.save', 'name', name)
  check.tensor('data.idx.save', 'x', x)
  local kind = kinds[C.dtypeOf(x)]
  check.that(codeOf[kind.name] and x:dim() > 0, ('data.idx.save: x: %s of %d dimensions, expected one or more of '
    .. 'ByteTensor, CharTensor, ShortTensor, IntTensor, FloatTensor or DoubleTensor'):format(x:type(), x:dim()))
  local header, bytes = headerOf(kind, x), x:nElement() * kind.size
  local whole = torch.ByteStorage(#header + bytes)
  local p = ffi.cast('uint8_t *', whole:data())
  ffi.copy(p, header, #header)
  local elements = C.lend(C.onHost(x):contiguous())
  if bytes > 0 then ffi.copy(p + #header, elements:data(), bytes) end
  if kind.size > 1 and ffi.abi 'le' then reverse(p + #header, x:nElement(), kind.size) end
  local block, n = p, whole:size()
  if name:find '%.gz$' then block, n = zlib.gzip(p, n) end
  atomic.write('data.idx.save', name, function(channel)
    local _, message = channel:write(block, n)
    if message then error(message, 0) end
  end)
end

return idx
