--- A picture file whose header has been read, and whose picture has not: `image.open` gives one.
-- Fields: `format` ('PNG', 'JPEG', 'PPM', 'GIF', 'BMP', 'TIFF' or 'WEBP'), `channels`, `height`, `width`, `bits` (8, 16, or 32 for numbers
-- that are given as they are), `orientation` (Exif's, 1 is upright).
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

local largestOf = { Char = 127, Short = 32767 }      -- of types that a picture's numbers may not fit into

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
local function partOf(where, part, self)
  if part == nil then return 0, 0, self.width, self.height end
  check.table(where, 'part', part)
  local x, y, wide, high = unpack(part, 1, 4)
  x = check.whole(where, 'part: x', x, { min = 0 })
  y = check.whole(where, 'part: y', y, { min = 0 })
  wide = check.whole(where, 'part: width', wide, { min = 1 })
  high = check.whole(where, 'part: height', high, { min = 1 })
  if x + wide > self.width or y + high > self.height then
    fail(where, 'part', '%d x %d pixels from (%d, %d) came, a part of %d x %d pixels was expected', high, wide, x, y, self.height,
      self.width)
  end
  return x, y, wide, high
end

-- A JPEG file is decoded smaller by a half, a quarter or an eighth while neither side becomes less than is asked for.
local function eighthsOf(where, least, self, width, height)
  if least == nil or self.format ~= 'JPEG' then return 8 end
  local leastHeight, leastWidth = leastSides(where, least)
  local eighths = 8
  while eighths > 1 and math.floor(height * eighths / 16) >= leastHeight and math.floor(width * eighths / 16) >= leastWidth do
    eighths = eighths / 2
  end
  return eighths
end

-- Where a part of the whole picture lies in one that is smaller, and how much it is there: all pixels that show some of it.
local function shrunk(first, count, eighths)
  local from = math.floor(first * eighths / 8)
  return from, math.ceil((first + count) * eighths / 8) - from
end

--- Checks what a picture is asked for, before there is one.
-- @local
function PictureFile.checkRequest(where, depth, kind, options)
  channelsOf(where, depth, 3)
  typeOf(where, kind)
  check.options(where, options, optionNames)
end

-- What the header says of the picture, or of the frame that was chosen.
local function take(self, info)
  self.channels, self.bits, self.orientation = info.channels, info.bits, info.orientation
  self.height, self.width = tonumber(info.height), tonumber(info.width)
  if self.height * self.width > image.maxPixels then
    fail(self.where, self.name, '%d x %d pixels are more than image.maxPixels, %.0f', self.height, self.width, image.maxPixels)
  end
end

--- How many frames (GIF, WebP) or pages (TIFF) there are; 1 in other files.
-- @treturn int
function PictureFile:frames()
  if not self.file then fail(self.where, self.name, 'it is closed') end
  local count, problem = native.frames(self.file)
  if not count then fail(self.where, self.name, '%s', problem) end
  return count
end

-- Goes to a frame, from 1: the fields are then its own.
local function choose(self, frame)
  check.int(self.where, 'frame', frame, { min = 1 })
  local good, problem = native.choose(self.file, frame)
  local info = good and native.describe(self.file)
  if not info then fail(self.where, self.name, '%s', problem or 'its frame is damaged') end
  take(self, info)
end

-- Decodes what is chosen, and leaves the file open.
local decode

--- Decodes all frames (GIF, WebP) or pages (TIFF).
-- @int[opt] depth
-- @string[opt] kind
-- @tparam[opt] table options but `frame`
-- @treturn torch.Tensor|{torch.Tensor,...} frames x channels x height x width; a list where pages have different sizes
-- @treturn torch.DoubleTensor how long each is shown, in seconds; 0 for pages
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

--- Decodes the picture: once, but of files with frames as often as wanted until `close`.
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
    fail(where, 'type', '%s came, one that holds numbers up to %d was expected', whole, 2 ^ self.bits - 1)
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

--- Gives the file's memory back before it is collected.
function PictureFile:close()
  if self.file then native.close(self.file) end
  self.file, self.held = nil, nil
end

-- What is wrong with a file, and what it is where it is no picture.
local function explained(problem, head) return recognise.explained(problem, head, 'image.load') end

-- An opened file with what its header says; no more pixels than are allowed.
local function described(where, name, file, info, held)
  local self = setmetatable({ where = where, name = name, file = file, held = held, format = formatName[info.format] }, PictureFile)
  take(self, info)
  return self
end

--- Opens a file by its name; what it is, its first bytes say, and where they don't, the name's ending.
-- @string where what messages begin with
-- @string name
-- @tparam ?int format what it must be
-- @tparam ?int head bytes that are enough for the header, as a rule
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
-- @tparam ?int format what they must be
-- @return the file, or nil and a sentence where they are damaged
-- @local
function PictureFile.borrow(where, bytes, format)
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
