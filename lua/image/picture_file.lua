--- A picture file from `image.open`: its header has been read, its picture not yet.
-- Fields: `format` ('PNG', 'JPEG', 'PPM', 'GIF', 'BMP', 'TIFF' or 'WEBP'), `channels`, `height`, `width`, `bits` (8, 16, or 32 for numbers
-- that are returned unchanged), `orientation` (Exif's, 1 is upright).
-- @module image.picture_file
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local deviceTypes = require 'torch.devices.types'
local image = require 'image'
local native = require 'image.native'
local recognise = require 'torch.file.recognise'
local typeName = require 'torch.class.type_name'

local PictureFile = {}
PictureFile.__index = PictureFile

local formats = native.formats
local formatName = {}
for name, number in pairs(formats) do formatName[number] = name end
local formatOf = {
  png = 'PNG', jpg = 'JPEG', jpeg = 'JPEG', ppm = 'PPM', pgm = 'PPM', pbm = 'PPM', pnm = 'PPM', gif = 'GIF', bmp = 'BMP', tif = 'TIFF',
  tiff = 'TIFF', webp = 'WEBP',
}
local optionNames = { 'exif', 'atLeast', 'part', 'frame' }

local largestOf = { Char = 127, Short = 32767, UInt16 = 65535 }      -- of types whose range may be too small for a picture's numbers

local function fail(where, name, text, ...)
  check.raise(('%s: %s: %s'):format(where, name, select('#', ...) > 0 and text:format(...) or text))
end

-- The full name of the result's type, and its dtype.
local function typeOf(where, kind)
  local name = typeName(kind == nil and torch.getdefaulttensortype() or kind)
  if not name then fail(where, 'type', "%s, expected 'byte', 'float', 'double' or another type of tensors", tostring(kind)) end
  return name, C.dtypes[deviceTypes.parse(name:match '^torch%.(.*)Tensor$')].torch
end

local function channelsOf(where, depth, own)
  if depth == nil then return own end
  if depth ~= 1 and depth ~= 3 and depth ~= 4 then fail(where, 'depth', '%s, expected 1, 3 or 4', tostring(depth)) end
  return depth
end

-- The two numbers of `atLeast`; a single number applies to both sides.
local function leastSides(where, least)
  if type(least) == 'table' then
    return check.number(where, 'atLeast: height', least[1], { min = 0 }), check.number(where, 'atLeast: width', least[2], { min = 0 })
  end
  check.number(where, 'atLeast', least, { min = 0 })
  return least, least
end

-- The requested part of a picture: x, y (from 0), width, height.
local function partOf(where, part, self)
  if part == nil then return 0, 0, self.width, self.height end
  check.table(where, 'part', part)
  local x, y, wide, high = unpack(part, 1, 4)
  x = check.whole(where, 'part: x', x, { min = 0 })
  y = check.whole(where, 'part: y', y, { min = 0 })
  wide = check.whole(where, 'part: width', wide, { min = 1 })
  high = check.whole(where, 'part: height', high, { min = 1 })
  if x + wide > self.width or y + high > self.height then
    fail(where, 'part', '%d x %d pixels from (%d, %d), expected a part of %d x %d pixels', high, wide, x, y, self.height,
      self.width)
  end
  return x, y, wide, high
end

-- The scale for a JPEG file, in eighths: a half, a quarter or an eighth if neither side becomes smaller than requested.
local function eighthsOf(where, least, self, width, height)
  if least == nil or self.format ~= 'JPEG' then return 8 end
  local leastHeight, leastWidth = leastSides(where, least)
  local eighths = 8
  while eighths > 1 and math.floor(height * eighths / 16) >= leastHeight and math.floor(width * eighths / 16) >= leastWidth do
    eighths = eighths / 2
  end
  return eighths
end

-- Position and length in the scaled picture of a part of the original: all pixels that overlap it.
local function shrunk(first, count, eighths)
  local from = math.floor(first * eighths / 8)
  return from, math.ceil((first + count) * eighths / 8) - from
end

--- Checks the arguments of `decode` before a file is opened.
-- @local
function PictureFile.checkRequest(where, depth, kind, options)
  channelsOf(where, depth, 3)
  typeOf(where, kind)
  check.options(where, options, optionNames)
end

-- Sets the fields from the header of the picture or of the selected frame.
local function take(self, info)
  self.channels, self.bits, self.orientation = info.channels, info.bits, info.orientation
  self.height, self.width = tonumber(info.height), tonumber(info.width)
  if self.height * self.width > image.maxPixels then
    fail(self.where, self.name, '%d x %d pixels are more than image.maxPixels, %.0f', self.height, self.width, image.maxPixels)
  end
end

--- The number of frames (GIF, WebP) or pages (TIFF); 1 for other files.
-- @treturn int
function PictureFile:frames()
  if not self.file then fail(self.where, self.name, 'it is closed') end
  local count, problem = native.frames(self.file)
  if not count then fail(self.where, self.name, '%s', problem) end
  return count
end

-- Selects a frame, from 1, and sets the fields from it.
local function choose(self, frame)
  check.int(self.where, 'frame', frame, { min = 1 })
  local good, problem = native.choose(self.file, frame)
  local info = good and native.describe(self.file)
  if not info then fail(self.where, self.name, '%s', problem or 'its frame is damaged') end
  take(self, info)
end

-- Decodes the selected frame, and leaves the file open.
local decode

--- Decodes all frames (GIF, WebP) or pages (TIFF).
-- @int[opt] depth
-- @string[opt] kind
-- @tparam[opt] table options except `frame`
-- @treturn torch.Tensor|{torch.Tensor,...} frames x channels x height x width; a list if pages have different sizes
-- @treturn torch.DoubleTensor duration of each frame in seconds; 0 for pages
function PictureFile:decodeAll(depth, kind, options)
  local count = self:frames()
  local list, delays, isSame = {}, torch.DoubleTensor(count):zero(), true
  for i = 1, count do
    choose(self, i)
    list[i] = decode(self, depth, kind, options)
    delays[i] = tonumber(native.describe(self.file).delay) / 1000
    isSame = isSame and list[i]:isSameSizeAs(list[1])
    if i * list[i]:nElement() / list[i]:size(1) > image.maxPixels then
      fail(self.where, self.name, 'its frames have more pixels in all than image.maxPixels, %.0f: decode them one by one, with the '
        .. 'option frame', image.maxPixels)
    end
  end
  self:close()
  return isSame and torch.stack(list, 1) or list, delays
end

--- Decodes the picture: once, or for files with frames any number of times until `close`.
-- @int[opt] depth
-- @string[opt] kind type of the result
-- @tparam[opt] table options as for `image.load`
-- @treturn torch.Tensor channels x height x width
function PictureFile:decode(depth, kind, options)
  options = check.options(self.where, options, optionNames)
  if not self.file then fail(self.where, self.name, 'its picture has been decoded already') end
  if options.frame ~= nil then choose(self, options.frame) end
  local picture = decode(self, depth, kind, options)
  if options.frame == nil then self:close() end
  return picture
end

function decode(self, depth, kind, options)
  local where, name = self.where, self.name
  options = check.options(where, options, optionNames)
  local whole, dtype = typeOf(where, kind)
  local largest = largestOf[dtype]
  if largest and largest < 2 ^ self.bits - 1 then
    fail(where, 'type', '%s, expected one that holds numbers up to %d', whole, 2 ^ self.bits - 1)
  end
  local channels = channelsOf(where, depth, self.channels)
  local x, y, width, height = partOf(where, options.part, self)
  local eighths = eighthsOf(where, options.atLeast, self, width, height)
  x, width = shrunk(x, width, eighths)
  y, height = shrunk(y, height, eighths)
  local orientation = check.flag(where, 'exif', options.exif) and self.orientation or 1
  local stored, element = native.element(dtype)
  local turned = orientation > 4
  local picture = torch[stored .. 'Tensor'](channels, turned and width or height, turned and height or width)
  local memory = check.call(picture.data, picture)
  local good, problem = native.decode(self.file, memory, element, channels, orientation, eighths, x, y, height, width)
  if not good then
    self:close()
    fail(where, name, '%s', problem)
  end
  return picture:type() == whole and picture or check.call(picture.type, picture, whole)
end

--- Frees the file's memory before the garbage collector does.
function PictureFile:close()
  if self.file then native.close(self.file) end
  self.file, self.held = nil, nil
end

-- The error in a file, and its format if it is not a picture.
local function explained(problem, head) return recognise.explained(problem, head, 'image.load') end

-- Creates the object for an opened file from its header; checks the limit of pixels.
local function described(where, name, file, info, held)
  local self = setmetatable({ where = where, name = name, file = file, held = held, format = formatName[info.format] }, PictureFile)
  take(self, info)
  return self
end

--- Opens a file by its name; its first bytes, or otherwise the name's ending, determine the format.
-- @string where prefix of error messages
-- @string name
-- @tparam ?int format required format
-- @tparam ?int head number of bytes that usually contain the header
-- @local
function PictureFile.open(where, name, format, head)
  if name == nil then check.raise(where .. ': missing file name') end
  name = check.name(where, 'file', name)
  local file, problem = native.open(name, format or 0, image.maxBytes, head or image.maxBytes)
  if not file then fail(where, name, problem) end
  local info
  info, problem = native.describe(file)
  if info and info.format ~= 0 then return described(where, name, file, info) end
  if not info and head then return PictureFile.open(where, name, format, nil) end
  if not info then fail(where, name, '%s', explained(problem, recognise.headOf(name))) end
  local ending = name:match '%.([^./]+)$'
  local known = ending and formatOf[ending:lower()]
  if not known then
    problem = ending and require('image.filetypes').unknown(ending) or 'unable to determine image type for file: ' .. name
    fail(where, name, '%s', explained(problem, recognise.headOf(name)))
  end
  return PictureFile.open(where, name, formats[formatOf[ending:lower()]], head)
end

--- Opens bytes in memory.
-- @string where
-- @tparam torch.ByteTensor|string bytes
-- @tparam ?int format required format
-- @return the file, or nil and a message if they are damaged
-- @local
function PictureFile.borrow(where, bytes, format)
  local pointer, length, held
  if type(bytes) == 'string' then
    pointer, length, held = ffi.cast('const char *', bytes), #bytes, bytes
  else
    if not torch.isTensor(bytes) or C.dtypeOf(bytes) ~= 'Byte' then
      check.raise(('%s: bytes: %s, expected a ByteTensor or a string'):format(where, torch.type(bytes)))
    end
    held = C.lend(C.onHost(bytes):contiguous())
    pointer, length = held:data(), held:nElement()
  end
  if length == 0 then fail(where, 'bytes', 'none, expected those of a picture file') end
  local file, problem = native.borrow(pointer, length, format or 0)
  if not file then return nil, problem end
  local info
  info, problem = native.describe(file)
  if not info then return nil, problem end
  if info.format == 0 then
    return nil, explained('they are of no PNG, JPEG, PPM, PGM, PBM, GIF, BMP, TIFF or WebP file',
      ffi.string(pointer, math.min(length, 512)))
  end
  return described(where, 'bytes', file, info, held)
end

--- Whether bytes in memory begin with these two.
-- @local
function PictureFile.begins(bytes, first, second)
  if type(bytes) == 'string' then return bytes:byte(1) == first and bytes:byte(2) == second end
  local flat = bytes:contiguous():view(-1)
  return flat:nElement() >= 2 and flat[1] == first and flat[2] == second
end

--- Whether a value is an opened file.
-- @local
function PictureFile.is(value) return type(value) == 'table' and getmetatable(value) == PictureFile end

return PictureFile
