--- The native part (packages/image/image.h), called through FFI.
-- @module image.native
local ffi = require 'ffi'
local lib = require('torch.native').functions 'image'

ffi.cdef [[
typedef struct mt_image mt_image;
typedef struct mt_image_info {
  size_t size;
  int32_t format, channels, bits, orientation;
  int64_t height, width, delay;
} mt_image_info;
typedef struct mt_image_request {
  size_t size;
  int32_t element, channels, orientation, eighths;
  int64_t x, y, height, width;
} mt_image_request;
typedef struct mt_image_picture {
  size_t size;
  int32_t format, element, channels, bits, quality, subsampling, progressive, level, palette, lossless, compression;
  int64_t height, width, pages;
  const void *data;
} mt_image_picture;
const char *mt_image_error(void);
int32_t mt_image_knows(int32_t format);
int32_t mt_image_open(const char *path, int32_t format, int64_t most_bytes, int64_t head_bytes, mt_image **out);
int32_t mt_image_borrow(const void *bytes, size_t length, int32_t format, mt_image **out);
int32_t mt_image_describe(mt_image *file, mt_image_info *out);
int32_t mt_image_frames(mt_image *file, int32_t *out);
int32_t mt_image_choose(mt_image *file, int32_t frame);
int32_t mt_image_decode(mt_image *file, const mt_image_request *request, void *out);
int32_t mt_image_encode(const mt_image_picture *pictures, int64_t count, mt_image **out);
const void *mt_image_bytes(const mt_image *file, size_t *length);
void mt_image_close(mt_image *file);
]]

local native = {}

--- The numbers of formats; 0 is unknown.
native.formats = { PNG = 1, JPEG = 2, PPM = 3, GIF = 4, BMP = 5, TIFF = 6, WEBP = 7 }

-- The element types that the native part reads and writes; the substitutes for other dtypes.
local elements = { Byte = 0, Float = 1, Double = 2, Int = 3 }
local by = { Bool = 'Byte', Half = 'Float', BFloat16 = 'Float', Char = 'Int', Short = 'Int', UInt16 = 'Int', Long = 'Int' }

--- The dtype that represents a dtype in the native part, and its number.
-- @string dtype such as 'Float'
function native.element(dtype)
  local stored = by[dtype] or dtype
  return stored, elements[stored]
end

local handle, sizes, counts = ffi.typeof 'mt_image *[1]', ffi.typeof 'size_t[1]', ffi.typeof 'int32_t[1]'
local infoType, requestType = ffi.typeof 'mt_image_info', ffi.typeof 'mt_image_request'
local infoSize, requestSize = ffi.sizeof(infoType), ffi.sizeof(requestType)
local picture, pictures = ffi.typeof 'mt_image_picture', ffi.typeof 'mt_image_picture[?]'

local function problem() return nil, ffi.string(lib.mt_image_error()) end

local function opened(status, out)
  if status ~= 0 then return problem() end
  return ffi.gc(out[0], lib.mt_image_close)
end

--- Opens a file.
-- @string path
-- @int format the assumed format, or 0 to recognise it
-- @int most maximum number of bytes
-- @int head number of bytes that are enough
-- @return the file, or nil and a message
function native.open(path, format, most, head)
  local out = handle()
  return opened(lib.mt_image_open(path, format, most, head, out), out)
end

--- Opens bytes in memory, which the caller must keep alive.
-- @param bytes a string or pointer
-- @int length
-- @int format as for `open`
function native.borrow(bytes, length, format)
  local out = handle()
  return opened(lib.mt_image_borrow(bytes, length, format, out), out)
end

--- Closes a file now, before the garbage collector does.
function native.close(file) lib.mt_image_close(ffi.gc(file, nil)) end

--- The header's format, channels, bits, orientation, height and width.
-- @return a struct, or nil and a message
function native.describe(file)
  local info = infoType(infoSize)
  if lib.mt_image_describe(file, info) ~= 0 then return problem() end
  return info
end

--- The number of frames or pages of a file.
-- @treturn ?int nil and a message if it is damaged
function native.frames(file)
  local count = counts()
  if lib.mt_image_frames(file, count) ~= 0 then return problem() end
  return count[0]
end

--- Selects the frame to describe and decode from now on.
-- @param file
-- @int frame from 1
-- @return true, or nil and a message
function native.choose(file, frame)
  if lib.mt_image_choose(file, frame - 1) ~= 0 then return problem() end
  return true
end

--- Decodes into memory.
-- @return true, or nil and a message
function native.decode(file, out, element, channels, orientation, eighths, x, y, height, width)
  local request = requestType(requestSize, element, channels, orientation, eighths, x, y, height, width)
  if lib.mt_image_decode(file, request, out) ~= 0 then return problem() end
  return true
end

--- Encodes a picture, or several as pages.
-- @tparam {table,...} list of fields of mt_image_picture
-- @return the file, or nil and a message
function native.encode(list)
  local out, described = handle(), pictures(#list)
  for i, fields in ipairs(list) do
    described[i - 1] = picture(fields)
    described[i - 1].size = ffi.sizeof(picture)
  end
  return opened(lib.mt_image_encode(described, #list, out), out)
end

--- The bytes of a file.
-- @return a pointer, valid as long as the file, and their number
function native.bytes(file)
  local length = sizes()
  local bytes = lib.mt_image_bytes(file, length)
  return bytes, tonumber(length[0])
end

--- Whether this build reads and writes a format.
-- @int format
function native.knows(format) return lib.mt_image_knows(format) ~= 0 end

return native
