--- MNIST's IDX files, gzipped or not.
-- Layout: bytes 0 0 8 (unsigned bytes) and the number of dimensions, each size as a big-endian 32-bit number, the data.
-- Source: Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits", section on file formats.
-- @module digits.idx
local ffi = require 'ffi'

local idx = {}

ffi.cdef [[
  typedef struct moontorch_gzfile moontorch_gzfile;
  moontorch_gzfile *gzopen(const char *path, const char *mode);
  int gzread(moontorch_gzfile *file, void *buffer, unsigned length);
  int gzclose(moontorch_gzfile *file);
]]

-- The library without its development link is called libz.so.1.
local function loadZlib()
  for _, name in ipairs { 'z', 'libz.so.1' } do
    local found, library = pcall(ffi.load, name)
    if found then return library end
  end
  error('idx: zlib is needed to read data files; install the package zlib1g', 3)
end

local function readExactly(zlib, file, path, part, buffer, length)
  local got = zlib.gzread(file, buffer, length)
  if got ~= length then
    error(('idx: %s: ends or is damaged after %d of %d bytes of its %s'):format(path, math.max(got, 0), length, part), 0)
  end
end

local function bigEndian(bytes, at)
  return ((bytes[at] * 256 + bytes[at + 1]) * 256 + bytes[at + 2]) * 256 + bytes[at + 3]
end

local function readOpened(zlib, file, path, ndim)
  local header = ffi.new('uint8_t[16]')
  readExactly(zlib, file, path, 'header', header, 4)
  if header[0] ~= 0 or header[1] ~= 0 or header[2] ~= 8 or header[3] ~= ndim then
    error(('idx: %s: begins with %02x %02x %02x %02x, expected 00 00 08 %02x'):format(path, header[0], header[1], header[2],
      header[3], ndim), 0)
  end
  readExactly(zlib, file, path, 'header', header, 4 * ndim)
  local sizes, total = {}, 1
  for d = 1, ndim do
    sizes[d] = bigEndian(header, 4 * (d - 1))
    total = total * sizes[d]
  end
  if total == 0 or total >= 2 ^ 31 then
    error(('idx: %s: header says %s, expected 1 to 2^31 - 1 bytes'):format(path, table.concat(sizes, ' x ')), 0)
  end
  local data = ffi.new('uint8_t[?]', total)
  readExactly(zlib, file, path, 'data', data, total)
  if zlib.gzread(file, header, 1) ~= 0 then
    error(('idx: %s: more than the %d bytes that its header announces'):format(path, total), 0)
  end
  return data, sizes
end

--- Reads one file.
-- @tparam string path of the file, gzipped or not
-- @tparam int ndim number of dimensions expected: 3 for pictures, 1 for labels
-- @treturn cdata `uint8_t[]`
-- @treturn {int,...} sizes
-- @raise if the file can't be opened, its header is another or its length is not what the header says
function idx.read(path, ndim)
  local zlib = loadZlib()
  local file = zlib.gzopen(path, 'rb')
  if file == nil then error(('idx: %s: cannot be opened'):format(path), 0) end
  local read, data, sizes = pcall(readOpened, zlib, file, path, ndim)
  zlib.gzclose(file)
  if not read then error(data, 0) end
  return data, sizes
end

--- The path of `name` or `name`.gz in `folder`, or nil.
function idx.find(folder, name)
  for _, ending in ipairs { '', '.gz' } do
    local path = folder .. '/' .. name .. ending
    local file = io.open(path, 'rb')
    if file then
      file:close()
      return path
    end
  end
end

return idx
