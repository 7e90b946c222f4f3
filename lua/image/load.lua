--- Reading pictures, from files and from memory.
-- @module image.load
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local deviceTypes = require 'torch.device_types'
local native = require 'image.native'
local typeName = require 'torch.type_name'
local image = require 'image'

local loading = {}

local headBytes = 65536      -- headers are here, but for those behind a camera's own notes
local formats = native.formats
local formatOf = { png = 'PNG', jpg = 'JPEG', jpeg = 'JPEG', ppm = 'PPM', pgm = 'PPM', pbm = 'PPM', pnm = 'PPM' }
local optionNames = { 'exif', 'atLeast', 'part' }

local function fail(where, name, text, ...)
  check.raise(('%s: %s: %s'):format(where, name, select('#', ...) > 0 and text:format(...) or text))
end

-- The whole name of the result's type, and its dtype.
local function typeOf(where, kind)
  local name = typeName(kind == nil and torch.getdefaulttensortype() or kind)
  if not name then fail(where, 'type', "%s came, 'byte', 'float', 'double' or another type of tensors was expected", tostring(kind)) end
  return name, C.dtypes[deviceTypes.parse(name:match '^torch%.(.*)Tensor$')].torch
end

local function channelsOf(where, depth, own)
  if depth == nil then return own end
  if depth ~= 1 and depth ~= 3 and depth ~= 4 then fail(where, 'depth', '%s came, 1, 3 or 4 was expected', tostring(depth)) end
  return depth
end

-- Two numbers of `atLeast`: one number is for both sides.
local function leastSides(where, least)
  if type(least) == 'table' then
    return check.number(where, 'atLeast: height', least[1], { min = 0 }), check.number(where, 'atLeast: width', least[2], { min = 0 })
  end
  check.number(where, 'atLeast', least, { min = 0 })
  return least, least
end

-- The part of a picture that is wanted: x, y (from 0), width, height.
local function partOf(where, part, info)
  local width, height = tonumber(info.width), tonumber(info.height)
  if part == nil then return 0, 0, width, height end
  check.table(where, 'part', part)
  local x, y, wide, high = unpack(part, 1, 4)
  check.int(where, 'part: x', x, { min = 0 })
  check.int(where, 'part: y', y, { min = 0 })
  check.int(where, 'part: width', wide, { min = 1 })
  check.int(where, 'part: height', high, { min = 1 })
  if x + wide > width or y + high > height then
    fail(where, 'part', '%d x %d pixels from (%d, %d) came, a part of %d x %d pixels was expected', high, wide, x, y, height, width)
  end
  return x, y, wide, high
end

-- A JPEG file is decoded smaller by a half, a quarter or an eighth while neither side becomes less than is asked for.
local function eighthsOf(where, least, info, width, height)
  if least == nil or info.format ~= formats.JPEG then return 8 end
  local leastHeight, leastWidth = leastSides(where, least)
  local eighths = 8
  while eighths > 1 and math.floor(height * eighths / 16) >= leastHeight and math.floor(width * eighths / 16) >= leastWidth do
    eighths = eighths / 2
  end
  return eighths
end

-- What an opened file says of itself; no more pixels than are allowed.
local function describe(where, name, file)
  local info, problem = native.describe(file)
  if not info then fail(where, name, problem) end
  if info.width * info.height > image.maxPixels then
    fail(where, name, '%d x %d pixels are more than image.maxPixels, %.0f', tonumber(info.height), tonumber(info.width), image.maxPixels)
  end
  return info
end

-- Where a part of the whole picture lies in one that is smaller, and how much it is there: all pixels that show some of it.
local function shrunk(first, count, eighths)
  local from = math.floor(first * eighths / 8)
  return from, math.ceil((first + count) * eighths / 8) - from
end

-- The picture of an opened file.
local function decode(where, name, file, depth, kind, options)
  options = check.options(where, options, optionNames)
  local whole, dtype = typeOf(where, kind)
  local info = describe(where, name, file)
  local channels = channelsOf(where, depth, info.channels)
  local x, y, width, height = partOf(where, options.part, info)
  local eighths = eighthsOf(where, options.atLeast, info, width, height)
  x, width = shrunk(x, width, eighths)
  y, height = shrunk(y, height, eighths)
  local orientation = check.flag(where, 'exif', options.exif) and info.orientation or 1
  local stored, element = native.element(dtype)
  local turned = orientation > 4
  local picture = torch[stored .. 'Tensor'](channels, turned and width or height, turned and height or width)
  local memory = picture:data()
  check.that(memory ~= nil, where .. ': a picture needs memory of the host')
  local good, problem = native.decode(file, memory, element, channels, orientation, eighths, x, y, height, width)
  if not good then fail(where, name, problem) end
  native.close(file)
  return picture:type() == whole and picture or picture:type(whole)
end

-- Opens a file by its name; what it is, its first bytes say, and where they don't, the name's ending.
local function open(where, name, format, head)
  if name == nil then check.raise(where .. ': missing file name') end
  name = check.name(where, 'file', name)
  local file, problem = native.open(name, format or 0, image.maxBytes, head or image.maxBytes)
  if not file then fail(where, name, problem) end
  if format then return file, name end
  local info
  info, problem = native.describe(file)
  if info and info.format ~= 0 then return file, name end
  if head and not info then return open(where, name, nil, nil) end
  if not info then fail(where, name, problem) end
  local ending = name:match '%.([^./]+)$'
  if not ending then fail(where, name, 'unable to determine image type for file: %s', name) end
  if not formatOf[ending:lower()] then fail(where, name, 'unknown image type: %s', ending) end
  return open(where, name, formats[formatOf[ending:lower()]], head)
end

--- Reads a picture from a file: PNG, JPEG, PPM, PGM or PBM, which its first bytes say, or its ending.
-- @string file
-- @int[opt] depth channels of the result: 1 (grey, as `rgb2y`), 3 or 4; those of the file unless given
-- @string[opt] type 'byte' keeps 0 to 255, 'float', 'double' (and 'half', 'bfloat16') are 0 to 1, 'int' and 'long' the file's own numbers;
-- the default type unless given
-- @tparam[opt] table options `exif = true` turns the picture as the camera was held. `part = { x, y, width, height }`, x and y from 0, is
-- read alone. `atLeast = n` or `{ height, width }` lets a JPEG file be decoded at a half, a quarter or an eighth of its size, which takes
-- less time, while the result's sides are not less than that.
-- @treturn torch.Tensor channels x height x width
-- @raise one sentence where the file is missing, damaged, or larger than `image.maxPixels` or `image.maxBytes`
function loading.load(file, depth, type, options)
  local opened, name = open('image.load', file)
  return decode('image.load', name, opened, depth, type, options)
end

local function loader(suffix, format)
  local where = 'image.load' .. suffix
  loading['load' .. suffix] = function(file, depth, type, options)
    local opened, name = open(where, file, formats[format])
    return decode(where, name, opened, depth, type, options)
  end
end

--- Reads a picture that must be PNG.
-- @function loadPNG
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
loader('PNG', 'PNG')

--- Reads a picture that must be JPEG.
-- @function loadJPG
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
loader('JPG', 'JPEG')

--- Reads a picture that must be one of Netpbm's: PPM, PGM, PBM.
-- @function loadPPM
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
loader('PPM', 'PPM')

-- Opens bytes in memory; what they must stay in, too.
local function borrow(where, bytes, format)
  local pointer, length, held
  if type(bytes) == 'string' then
    pointer, length, held = ffi.cast('const char *', bytes), #bytes, bytes
  else
    if not torch.isTensor(bytes) or C.dtypeOf(bytes) ~= 'Byte' then
      check.raise(('%s: bytes: %s came, a ByteTensor or a string was expected'):format(where, torch.type(bytes)))
    end
    held = C.lend(C.onHost(bytes):contiguous())
    pointer, length = held:data(), held:nElement()
  end
  if length == 0 then fail(where, 'bytes', 'none came, those of a picture file were expected') end
  local file, problem = native.borrow(pointer, length, format)
  if not file then fail(where, 'bytes', problem) end
  return file, held
end

local function decompress(where, bytes, format, ...)
  local file, held = borrow(where, bytes, format)
  local info, problem = native.describe(file)
  if not info then fail(where, 'bytes', problem) end
  if info.format == 0 then fail(where, 'bytes', 'they are of no PNG, JPEG, PPM, PGM or PBM file') end
  return decode(where, 'bytes', file, ...), held
end

--- Reads a picture from memory.
-- @tparam torch.ByteTensor|string bytes those of a file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
-- @treturn torch.Tensor channels x height x width
function loading.decompress(bytes, depth, type, options)
  local picture = decompress('image.decompress', bytes, 0, depth, type, options)
  return picture
end

--- Reads a PNG picture from memory.
-- @tparam torch.ByteTensor|string bytes
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
function loading.decompressPNG(bytes, depth, type, options)
  local picture = decompress('image.decompressPNG', bytes, formats.PNG, depth, type, options)
  return picture
end

--- Reads a picture of Netpbm's (PPM, PGM, PBM) from memory.
-- @tparam torch.ByteTensor|string bytes
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
function loading.decompressPPM(bytes, depth, type, options)
  local picture = decompress('image.decompressPPM', bytes, formats.PPM, depth, type, options)
  return picture
end

--- Reads a JPEG picture from memory.
-- @tparam torch.ByteTensor|string bytes
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
-- @treturn ?torch.Tensor nil, and a sentence, where the bytes are damaged
function loading.decompressJPG(bytes, depth, type, options)
  local where = 'image.decompressJPG'
  local file, held = borrow(where, bytes, formats.JPEG)
  typeOf(where, type)
  channelsOf(where, depth, 3)
  check.options(where, options, optionNames)
  local good, picture = pcall(decode, where, 'bytes', file, depth, type, options)
  if good then return picture, nil, held end
  return nil, tostring(picture)
end

--- The size of the picture in a file, which its header says: nothing is decoded.
-- @string file
-- @treturn torch.LongTensor channels, height, width
function loading.getSize(file)
  local opened, name = open('image.getSize', file, nil, headBytes)
  local info = describe('image.getSize', name, opened)
  native.close(opened)
  return torch.LongTensor { info.channels, tonumber(info.height), tonumber(info.width) }
end

local function sizer(suffix, format)
  local where = ('image.get%ssize'):format(suffix)
  loading[('get%ssize'):format(suffix)] = function(file)
    local opened, name = open(where, file, formats[format], headBytes)
    local info = native.describe(opened)
    if not info then
      opened = open(where, file, formats[format])
      info = describe(where, name, opened)
    end
    native.close(opened)
    return info.channels, tonumber(info.height), tonumber(info.width)
  end
end

--- Channels, height and width of a PNG file, three numbers.
-- @function getPNGsize
-- @string file
sizer('PNG', 'PNG')

--- Channels, height and width of a JPEG file, three numbers.
-- @function getJPGsize
-- @string file
sizer('JPG', 'JPEG')

--- Channels, height and width of a file of Netpbm's, three numbers.
-- @function getPPMsize
-- @string file
sizer('PPM', 'PPM')

return loading
