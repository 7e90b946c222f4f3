--- zlib, opened at its first use: raw deflate streams and CRC-32 for ZIP archives, gzip streams, and zlib's own.
-- @module torch.file.zlib
local ffi = require 'ffi'
require 'torch.file.libc'
local library = require 'torch.library'

ffi.cdef [[
typedef struct {
  const uint8_t *next_in; unsigned avail_in; unsigned long total_in;
  uint8_t *next_out; unsigned avail_out; unsigned long total_out;
  const char *msg; void *state; void *zalloc; void *zfree; void *opaque; int data_type; unsigned long adler; unsigned long reserved;
} mt_z_stream;
const char *mt_zlibVersion(void) asm("zlibVersion");
int mt_inflateInit2_(mt_z_stream *stream, int windowBits, const char *version, int size) asm("inflateInit2_");
int mt_inflate(mt_z_stream *stream, int flush) asm("inflate");
int mt_inflateReset(mt_z_stream *stream) asm("inflateReset");
int mt_inflateEnd(mt_z_stream *stream) asm("inflateEnd");
int mt_deflateInit2_(mt_z_stream *stream, int level, int method, int windowBits, int memLevel, int strategy, const char *version,
                     int size) asm("deflateInit2_");
int mt_deflate(mt_z_stream *stream, int flush) asm("deflate");
int mt_deflateEnd(mt_z_stream *stream) asm("deflateEnd");
unsigned long mt_crc32(unsigned long crc, const uint8_t *bytes, unsigned n) asm("crc32");
]]

local raw, own, gzip, finish, streamEnd, noProgress, deflated, level, memory = -15, 15, 31, 4, 1, -5, 8, 6, 8
local mostAtOnce = 2 ^ 30      -- avail_in and avail_out are 32 bits
local bytePtr = ffi.typeof 'uint8_t *'

local zlib = {}

local opened
local function open()
  opened = opened or library.system('zlib', 'torch')
  return opened
end

-- Runs a stream to its end. Returns the number of output bytes, or nil if the input was damaged or the output too small.
local function run(step, stream, from, n, to, room)
  stream.next_in, stream.next_out = from, to
  local given, taken = 0, 0
  while true do
    if stream.avail_in == 0 and given < n then
      stream.avail_in = math.min(n - given, mostAtOnce)
      given = given + stream.avail_in
    end
    local space = math.min(room - taken, mostAtOnce)
    stream.avail_out = space
    local code = step(stream, given == n and finish or 0)
    taken = taken + space - stream.avail_out
    if code == streamEnd then return taken end
    local stuck = code < 0 and not (code == noProgress and (stream.avail_in == 0 and given < n or stream.avail_out == 0 and taken < room))
    if stuck then return nil end
  end
end

--- Decompresses n bytes to exactly `size` bytes.
-- @treturn bool false if they are not such a stream
function zlib.inflate(from, n, to, size)
  local C, stream = open(), ffi.new 'mt_z_stream'
  if C.mt_inflateInit2_(stream, raw, C.mt_zlibVersion(), ffi.sizeof 'mt_z_stream') ~= 0 then error('not enough memory to unpack', 0) end
  local out = run(C.mt_inflate, stream, ffi.cast(bytePtr, from), n, ffi.cast(bytePtr, to), size)
  C.mt_inflateEnd(stream)
  return out == size
end

local Unpacker = {}
Unpacker.__index = Unpacker

--- Decompresses as much of n bytes as fits into `room` bytes.
-- @treturn ?int number of output bytes; nil if there is damage
-- @treturn int number of consumed bytes
-- @treturn bool whether the stream ends with them
function Unpacker:step(from, n, to, room)
  local stream = self._stream
  n, room = math.min(n, mostAtOnce), math.min(room, mostAtOnce)
  stream.next_in, stream.avail_in, stream.next_out, stream.avail_out = from, n, to, room
  local code = opened.mt_inflate(stream, 0)
  if code < 0 and code ~= noProgress or code > streamEnd then return nil, 0, false end
  return room - stream.avail_out, n - stream.avail_in, code == streamEnd
end

--- Restarts for the next stream.
function Unpacker:again() opened.mt_inflateReset(self._stream) end

--- Frees zlib's memory, like the collector.
function Unpacker:close()
  if self._stream then opened.mt_inflateEnd(ffi.gc(self._stream, nil)) end
  self._stream = nil
end

--- Creates an object that decompresses a stream in parts.
-- @bool[opt=false] isOwn whether it has zlib's header and checksum (RFC 1950), not those of gzip
function zlib.unpacker(isOwn)
  local C, stream, form = open(), ffi.new 'mt_z_stream', isOwn and own or gzip
  if C.mt_inflateInit2_(stream, form, C.mt_zlibVersion(), ffi.sizeof 'mt_z_stream') ~= 0 then error('not enough memory to unpack', 0) end
  return setmetatable({ _stream = ffi.gc(stream, C.mt_inflateEnd) }, Unpacker)
end

-- Compresses n bytes into a block of memory; windowBits selects the format of the stream.
local function pack(from, n, windowBits)
  local C, stream = open(), ffi.new 'mt_z_stream'
  if C.mt_deflateInit2_(stream, level, deflated, windowBits, memory, 0, C.mt_zlibVersion(), ffi.sizeof 'mt_z_stream') ~= 0 then
    error('not enough memory to pack', 0)
  end
  local room = n + math.floor(n / 1000) + 64        -- more than deflate can require
  local to = ffi.gc(ffi.cast(bytePtr, ffi.C.mt_malloc(room)), ffi.C.mt_free)
  if to == nil then error('not enough memory to pack', 0) end
  local out = run(C.mt_deflate, stream, ffi.cast(bytePtr, from), n, to, room)
  C.mt_deflateEnd(stream)
  return to, assert(out)
end

--- Compresses n bytes.
-- @treturn cdata bytes
-- @treturn int their number
function zlib.deflate(from, n) return pack(from, n, raw) end

--- Compresses n bytes as a gzip stream; results as for `deflate`.
function zlib.gzip(from, n) return pack(from, n, gzip) end

--- Compresses n bytes as a stream with zlib's header and checksum; results as for `deflate`.
function zlib.compress(from, n) return pack(from, n, own) end

--- Returns the CRC-32 of n bytes, after those with the CRC `crc`.
function zlib.crc(from, n, crc)
  local C, p = open(), ffi.cast(bytePtr, from)
  crc = crc or 0
  while n > 0 do
    local part = math.min(n, mostAtOnce)
    crc = C.mt_crc32(crc, p, part)
    p, n = p + part, n - part
  end
  return tonumber(crc)
end

return zlib
