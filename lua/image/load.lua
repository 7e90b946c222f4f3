--- Reading pictures, from files and from memory.
-- @module image.load
local torch = require 'torch'
local check = require 'torch.check'
local formats = require('image.native').formats
local PictureFile = require 'image.picture_file'

local loading = {}

-- Decodes the picture of a file and closes the file.
local function decoded(file, depth, type, options)
  local picture = file:decode(depth, type, options)
  file:close()
  return picture
end

local headBytes = 65536      -- contain the header, except if a camera's maker notes precede it

--- Opens a picture file and reads its header, which has the size. The picture or a part of it can be decoded later, once.
-- @string file
-- @treturn PictureFile with the fields `format` ('PNG', 'JPEG', ...), `channels`, `height`, `width`, `bits` and `orientation`, and the
-- methods `decode(depth, type, options)`, whose arguments are those of `load`, `decodeAll`, `frames()` and `close()`
-- @usage local file = image.open 'cat.jpg'
-- local left = file:decode(3, 'byte', { part = { 0, 0, math.floor(file.width / 2), file.height } })
function loading.open(file) return (PictureFile.open('image.open', file)) end

--- Reads a picture from a file: PNG, JPEG, PPM, PGM, PBM, GIF, BMP, TIFF or WebP, recognised by its first bytes, or its ending.
-- @string file
-- @int[opt] depth channels of the result: 1 (grey, as `rgb2y`), 3 or 4; default: those of the file
-- @string[opt] type 'byte': 0 to 255; 'float', 'double' (and 'half', 'bfloat16'): 0 to 1; 'int', 'long' and 'uint16': the file's numbers;
-- default: the default type
-- @tparam[opt] table options `exif = true` rotates the picture upright, by the camera's orientation. `part = { x, y, width, height }`, with
-- x and y from 0, reads only this part. `atLeast = n` or `{ height, width }` decodes a JPEG file at a half, a quarter or an eighth of its
-- size, which is faster, if the result is not smaller than this.
-- @treturn torch.Tensor channels x height x width
-- @raise if the file is missing, damaged, or larger than `image.maxPixels` or `image.maxBytes`
function loading.load(file, depth, type, options) return decoded(PictureFile.open('image.load', file), depth, type, options) end

local function loader(suffix, format)
  local where = 'image.load' .. suffix
  loading['load' .. suffix] = function(file, depth, type, options)
    return decoded(PictureFile.open(where, file, formats[format]), depth, type, options)
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

--- Reads a picture that must have a Netpbm format: PPM, PGM, PBM.
-- @function loadPPM
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
loader('PPM', 'PPM')

--- Reads a GIF picture: its first frame, or that of the option `frame`.
-- @function loadGIF
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
loader('GIF', 'GIF')

--- Reads a BMP picture.
-- @function loadBMP
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
loader('BMP', 'BMP')

--- Reads a TIFF picture: its first page, or that of the option `frame`. 32-bit samples, signed ones and floats are returned unchanged.
-- @function loadTIFF
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
loader('TIFF', 'TIFF')

--- Reads a WebP picture: its first frame, or that of the option `frame`.
-- @function loadWEBP
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
loader('WEBP', 'WEBP')

--- Reads all frames of a GIF or WebP file, or all pages of a TIFF file.
-- @string file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
-- @treturn torch.Tensor|{torch.Tensor,...} frames x channels x height x width; a list if pages have different sizes
-- @treturn torch.DoubleTensor duration of each frame in seconds; 0 for pages
function loading.frames(file, depth, type, options) return PictureFile.open('image.frames', file):decodeAll(depth, type, options) end

local function decompressor(suffix, format)
  local where = 'image.decompress' .. suffix
  loading['decompress' .. suffix] = function(bytes, depth, type, options)
    local file, problem = PictureFile.borrow(where, bytes, formats[format])
    if not file then check.raise(('%s: bytes: %s'):format(where, problem)) end
    return decoded(file, depth, type, options)
  end
end

--- Reads a picture from memory.
-- @function decompress
-- @tparam torch.ByteTensor|string bytes of a file
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
-- @treturn torch.Tensor channels x height x width
decompressor('', nil)

--- Reads a PNG picture from memory.
-- @function decompressPNG
-- @tparam torch.ByteTensor|string bytes
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
decompressor('PNG', 'PNG')

--- Reads a Netpbm picture (PPM, PGM, PBM) from memory.
-- @function decompressPPM
-- @tparam torch.ByteTensor|string bytes
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
decompressor('PPM', 'PPM')

--- Reads a JPEG picture from memory.
-- @tparam torch.ByteTensor|string bytes
-- @int[opt] depth
-- @string[opt] type
-- @tparam[opt] table options as for `load`
-- @treturn ?torch.Tensor nil and a message if the bytes are damaged
-- @raise if they are not a JPEG file
function loading.decompressJPG(bytes, depth, type, options)
  local where = 'image.decompressJPG'
  local file, problem = PictureFile.borrow(where, bytes, formats.JPEG)
  PictureFile.checkRequest(where, depth, type, options)
  if not file and not PictureFile.begins(bytes, 0xff, 0xd8) then check.raise(('%s: bytes: %s'):format(where, problem)) end
  if not file then return nil, problem end
  local good, picture = pcall(file.decode, file, depth, type, options)
  if good then return picture end
  return nil, tostring(picture)
end

--- The size of the picture in a file, from its header, without decoding.
-- @string file
-- @treturn torch.LongTensor channels, height, width
function loading.getSize(file)
  local opened = PictureFile.open('image.getSize', file, nil, headBytes)
  opened:close()
  return torch.LongTensor { opened.channels, opened.height, opened.width }
end

local function sizer(suffix, format)
  local where = ('image.get%ssize'):format(suffix)
  loading[('get%ssize'):format(suffix)] = function(file)
    local opened = PictureFile.open(where, file, formats[format], headBytes)
    opened:close()
    return opened.channels, opened.height, opened.width
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

--- Channels, height and width of a Netpbm file, three numbers.
-- @function getPPMsize
-- @string file
sizer('PPM', 'PPM')

return loading
