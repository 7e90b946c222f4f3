--- Writing pictures, to files and to memory.
-- @module image.save
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local image = require 'image'
local native = require 'image.native'

local saving = {}

local formats = native.formats
local optionNames = { 'quality', 'subsampling', 'progressive', 'bits', 'level', 'interlaced', 'palette', 'lossless', 'compression' }
local eightBits = { [formats.JPEG] = true, [formats.BMP] = true, [formats.WEBP] = true }
local defaults = { quality = 75, subsampling = 420, bits = 8, level = 6 }
local compressions = { none = 1, lzw = 5, deflate = 8 }      -- TIFF's

local function fail(where, name, text) check.raise(('%s: %s: %s'):format(where, name, text)) end

-- Checks the number of bits; TIFF's 32 and 64 keep the numbers of the picture's type.
local function bitsOf(where, format, picture, wanted)
  local bits = wanted or torch.isTensor(picture) and C.dtypeOf(picture) == 'UInt16' and not eightBits[format] and 16 or defaults.bits
  if bits == 8 or bits == 16 then return bits end
  if format ~= formats.TIFF then fail(where, 'bits', tostring(bits) .. ', expected 8 or 16') end
  if bits ~= 32 and bits ~= 64 then fail(where, 'bits', tostring(bits) .. ', expected 8, 16, 32 or 64') end
  return bits
end

local function optionsOf(where, format, picture, options)
  if type(options) == 'number' then options = { quality = options } end
  options = check.options(where, options, optionNames)
  local subsampling = tonumber(options.subsampling or defaults.subsampling)
  if subsampling ~= 444 and subsampling ~= 422 and subsampling ~= 420 then
    fail(where, 'subsampling', tostring(options.subsampling) .. ', expected 444, 422 or 420')
  end
  local bits, compression = bitsOf(where, format, picture, options.bits), options.compression
  if compression ~= nil then check.choice(where, 'compression', compression, { 'none', 'lzw', 'deflate' }) end
  return {
    quality = math.floor(check.number(where, 'quality', options.quality or defaults.quality, { min = 0, max = 100 })),
    subsampling = subsampling, bits = bits, level = check.whole(where, 'level', options.level or defaults.level, { min = 0, max = 9 }),
    progressive = (check.flag(where, 'progressive', options.progressive) or check.flag(where, 'interlaced', options.interlaced)) and 1 or 0,
    palette = check.flag(where, 'palette', options.palette) and 1 or 0,
    lossless = check.flag(where, 'lossless', options.lossless) and 1 or 0, compression = compression and compressions[compression] or 0,
  }
end

-- The picture in a type that TIFF's 32 or 64 bits keep: floats, doubles, or ints.
local function unscaled(where, x, bits)
  if bits == 64 then return x:type 'torch.DoubleTensor' end
  if x:isFloatingPoint() then return x:type 'torch.FloatTensor' end
  if C.dtypeOf(x) == 'Long' and (x:max() > 2 ^ 31 - 1 or x:min() < -2 ^ 31) then
    fail(where, 'picture', 'numbers beyond 32 bits; 64 bits are those of doubles')
  end
  return x:type 'torch.IntTensor'
end

-- The picture as channels x height x width elements that the native part reads.
local function planesOf(where, picture, bits)
  check.tensor(where, 'picture', picture)
  if picture:isComplex() then fail(where, 'picture', picture:type() .. ', expected real numbers') end
  local dim = picture:dim()
  if dim ~= 2 and dim ~= 3 or picture:nElement() == 0 or dim == 3 and picture:size(1) > 4 then
    fail(where, 'picture', ('%s, expected channels (1 to 4) x height x width or height x width'):format(
      require('torch.check.message').tensor(picture)))
  end
  local x = C.onHost(picture)
  if bits > 16 then x = unscaled(where, x, bits) end
  local dtype = C.dtypeOf(x)
  local stored, element = native.element(dtype)
  if dtype == 'Bool' then
    x = x:byte():mul(255)
  elseif dtype ~= stored then
    if dtype == 'Long' then x = torch.clamp(x, 0, 2 ^ bits - 1) end
    x = x:type(('torch.%sTensor'):format(stored))
  end
  return dim == 2 and x:unsqueeze(1) or x, element
end

-- The fields of mt_image_picture, and the owner of its memory.
local function fieldsOf(where, format, picture, options)
  local fields = optionsOf(where, format, picture, options)
  local x, element = planesOf(where, picture, fields.bits)
  if eightBits[format] then fields.bits = 8 end
  x = C.lend(x:contiguous())
  fields.format, fields.element, fields.data = format, element, x:data()
  fields.channels, fields.height, fields.width = x:size(1), x:size(2), x:size(3)
  return fields, x
end

-- The file of one picture or more, and the owners of their memory.
local function encode(where, format, pictures, options)
  local list, held = {}, {}
  for i = 1, math.max(#pictures, 1) do list[i], held[i] = fieldsOf(where, format, pictures[i], options) end
  local file, problem = native.encode(list)
  if not file then fail(where, 'picture', problem) end
  return file, held
end

local function write(where, name, format, pictures, options)
  local file = encode(where, format, pictures, options)
  local handle, problem = io.open(name, 'wb')
  if not handle then fail(where, name, problem:gsub('^.*: ', '')) end
  local written, why = handle:write(ffi.string(native.bytes(file)))
  native.close(file)
  local closed, later = handle:close()
  if not written or not closed then fail(where, name, tostring(why or later)) end
end

local function saver(suffix, format, convert)
  local where = 'image.save' .. suffix
  saving['save' .. suffix] = function(file, picture, options)
    if file == nil then check.raise(where .. ': missing file name') end
    file = check.name(where, 'file', file)
    write(where, file, formats[format], { convert and convert(where, picture) or picture }, options)
  end
end

--- Writes a PNG file.
-- @function savePNG
-- @string file
-- @tparam torch.Tensor picture
-- @tparam[opt] table options as for `save`
saver('PNG', 'PNG')

--- Writes a JPEG file.
-- @function saveJPG
-- @string file
-- @tparam torch.Tensor picture
-- @tparam[opt] table|number options as for `save`
saver('JPG', 'JPEG')

--- Writes a PPM file.
-- @function savePPM
-- @string file
-- @tparam torch.Tensor picture 3 x height x width
-- @tparam[opt] table options as for `save`
saver('PPM', 'PPM', function(where, picture)
  check.tensor(where, 'picture', picture)
  if picture:dim() ~= 3 or picture:size(1) ~= 3 then
    fail(where, 'picture', require('torch.check.message').tensor(picture) .. ', expected 3 x height x width')
  end
end)

--- Writes a PGM file, which is grey. Three channels are converted by `rgb2y`.
-- @function savePGM
-- @string file
-- @tparam torch.Tensor picture
-- @tparam[opt] table options as for `save`
saver('PGM', 'PPM', function(where, picture)
  check.tensor(where, 'picture', picture)
  if picture:dim() == 3 and picture:size(1) == 3 then return image.rgb2y(picture) end
end)

--- Writes a BMP file.
-- @function saveBMP
-- @string file
-- @tparam torch.Tensor picture
-- @tparam[opt] table options as for `save`
saver('BMP', 'BMP')

--- Writes a TIFF file with lossless compression.
-- @function saveTIFF
-- @string file
-- @tparam torch.Tensor picture
-- @tparam[opt] table options as for `save`
saver('TIFF', 'TIFF')

--- Writes a WebP file.
-- @function saveWEBP
-- @string file
-- @tparam torch.Tensor picture
-- @tparam[opt] table|number options as for `save`
saver('WEBP', 'WEBP')

--- Writes a picture to a file, in the format for its name's ending. Floats are clamped to 0..1, and rounded.
-- @string file
-- @tparam torch.Tensor picture channels (1 grey, 2 with alpha, 3 RGB, 4 with alpha) x height x width, or height x width
-- @tparam[opt] table|number options for JPEG: `quality` (75; options may be this number), `subsampling` of colours (420, 422 or 444),
-- `progressive`; for WebP: `quality` and `lossless`; for PNG: `bits` (8 or 16, also for PPM and TIFF; default: 8, for UInt16Tensors 16),
-- `level` of compression (6, from 0 to 9), `interlaced`, `palette` (writes a list of up to 256 colours, and their numbers); for TIFF:
-- `bits = 32` or 64, which keep numbers unchanged: signed integers, floats, or (64) doubles, and `compression` ('deflate', 'lzw', 'none')
function saving.save(file, picture, options)
  local where = 'image.save'
  if file == nil then check.raise(where .. ': missing file name') end
  file = check.name(where, 'file', file)
  local ending = file:match '%.([^./]+)$'
  if not ending then fail(where, file, ('unable to determine image type for file: %s'):format(file)) end
  local entry = image.supported_filetypes[ending:lower()]
  if entry and not entry.saver then fail(where, file, ('%s files are read, not written: PNG has more colours'):format(ending:upper())) end
  if not entry then fail(where, file, require('image.filetypes').unknown(ending)) end
  check.call(entry.saver, file, picture, options)
end

--- Writes pictures as the pages of a TIFF file, which `image.frames` reads: stacks of scans and of microscopes.
-- @string file
-- @tparam torch.Tensor|{torch.Tensor,...} frames frames x channels x height x width, frames x height x width, or a list of pictures, whose
-- sizes may differ
-- @tparam[opt] table options as for TIFF files of `save`
-- @usage image.saveFrames('stack.tif', volume:float(), { bits = 32, compression = 'lzw' })
-- local again = image.frames('stack.tif', nil, 'float'):squeeze(2)
function saving.saveFrames(file, frames, options)
  local where = 'image.saveFrames'
  if file == nil then check.raise(where .. ': missing file name') end
  file = check.name(where, 'file', file)
  if not file:lower():find '%.tiff?$' then fail(where, file, 'expected the ending .tif or .tiff: only TIFF files have pages') end
  local list = frames
  if torch.isTensor(frames) then
    if frames:dim() ~= 3 and frames:dim() ~= 4 then
      fail(where, 'frames', require('torch.check.message').tensor(frames) .. ', expected 3 or 4 dimensions, the first for frames')
    end
    list = {}
    for i = 1, frames:size(1) do list[i] = frames[i] end
  end
  if #check.table(where, 'frames', list) == 0 then fail(where, 'frames', 'none, expected one or more') end
  write(where, file, formats.TIFF, list, options)
end

local function compressor(suffix, format)
  local where = 'image.compress' .. suffix
  saving['compress' .. suffix] = function(picture, options)
    local file = encode(where, formats[format], { picture }, options)
    local bytes, length = native.bytes(file)
    local result = torch.ByteTensor(length)
    ffi.copy(result:data(), bytes, length)
    native.close(file)
    return result
  end
end

--- The bytes of a PNG file.
-- @function compressPNG
-- @tparam torch.Tensor picture
-- @tparam[opt] table options as for `save`
-- @treturn torch.ByteTensor
compressor('PNG', 'PNG')

--- The bytes of a JPEG file.
-- @function compressJPG
-- @tparam torch.Tensor picture
-- @tparam[opt=75] number|table quality or options as for `save`
-- @treturn torch.ByteTensor
compressor('JPG', 'JPEG')

--- The bytes of a PPM or PGM file.
-- @function compressPPM
-- @tparam torch.Tensor picture
-- @tparam[opt] table options as for `save`
-- @treturn torch.ByteTensor
compressor('PPM', 'PPM')

--- The bytes of a BMP file.
-- @function compressBMP
-- @tparam torch.Tensor picture
-- @tparam[opt] table options as for `save`
-- @treturn torch.ByteTensor
compressor('BMP', 'BMP')

--- The bytes of a TIFF file.
-- @function compressTIFF
-- @tparam torch.Tensor picture
-- @tparam[opt] table options as for `save`
-- @treturn torch.ByteTensor
compressor('TIFF', 'TIFF')

--- The bytes of a WebP file.
-- @function compressWEBP
-- @tparam torch.Tensor picture
-- @tparam[opt=75] number|table quality or options as for `save`
-- @treturn torch.ByteTensor
compressor('WEBP', 'WEBP')

return saving
