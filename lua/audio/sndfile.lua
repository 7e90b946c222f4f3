--- Sound files through libsndfile: FLAC, Ogg Vorbis and Opus, MP3 (from 1.1 on), AIFF, AU, WAV and others.
-- @module audio.sndfile
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local library = require 'torch.library'

local sndfile = {}

local library_

local function opened()
  if library_ then return library_ end
  local found = library.system('sndfile', 'audio')
  ffi.cdef [[
    typedef struct { int64_t frames; int samplerate, channels, format, sections, seekable; } mt_sf_info;
    void *sf_open(const char *path, int mode, mt_sf_info *info);
    int sf_close(void *file);
    int sf_error(void *file);
    const char *sf_strerror(void *file);
    int sf_format_check(const mt_sf_info *info);
    int sf_command(void *file, int command, void *data, int bytes);
    int64_t sf_readf_double(void *file, double *samples, int64_t frames);
    int64_t sf_writef_double(void *file, const double *samples, int64_t frames);
  ]]
  library_ = found
  return found
end

local readMode, writeMode = 0x10, 0x20
local setClipping, setQuality = 0x10C0, 0x1300
local mostChannels = 1024

-- Extensions: the container, and the coding of samples by their bits; without one, the coding determines it.
local pcm = { [8] = 0x0001, [16] = 0x0002, [24] = 0x0003, [32] = 0x0004, float = 0x0006 }
local wav = { [8] = 0x0005, [16] = 0x0002, [24] = 0x0003, [32] = 0x0004, float = 0x0006 }
local formats = {
  wav = { 0x010000, wav }, aiff = { 0x020000, pcm }, aif = { 0x020000, pcm }, au = { 0x030000, pcm }, snd = { 0x030000, pcm },
  caf = { 0x180000, pcm }, w64 = { 0x0B0000, wav }, flac = { 0x170000, { [8] = 0x0001, [16] = 0x0002, [24] = 0x0003 } },
  ogg = { 0x200000, 0x0060 }, oga = { 0x200000, 0x0060 }, opus = { 0x200000, 0x0064 }, mp3 = { 0x230000, 0x0082 },
}

--- Whether an extension is known.
-- @string extension
function sndfile.knows(extension) return formats[extension] ~= nil end

local function failure(lib, file) return ffi.string(lib.sf_strerror(file)) end

--- Reads a file.
-- @string name
-- @treturn torch.DoubleTensor samples x channels, -1 to 1
-- @treturn int samples per second
-- @raise the error, without a position
function sndfile.read(name)
  local lib, info = opened(), ffi.new 'mt_sf_info'
  local file = lib.sf_open(name, readMode, info)
  if file == nil then error(failure(lib, nil), 0) end
  file = ffi.gc(file, lib.sf_close)
  local channels = info.channels
  if channels < 1 or channels > mostChannels then error(('%d channels, expected 1 to %d'):format(channels, mostChannels), 0) end
  -- In parts, since the length in the header may be wrong.
  local parts, block = {}, 65536
  repeat
    local part = torch.DoubleTensor(block, channels)
    local got = tonumber(lib.sf_readf_double(file, C.lend(part):data(), block))
    if got > 0 then parts[#parts + 1] = got < block and part:narrow(1, 1, got):clone() or part end
  until got < block
  local message = lib.sf_error(file) ~= 0 and failure(lib, file)
  lib.sf_close(ffi.gc(file, nil))
  if message then error(message, 0) end
  local x = #parts == 1 and parts[1] or #parts > 1 and torch.cat(parts, 1) or torch.DoubleTensor(0, channels)
  return x, info.samplerate
end

--- Writes a file.
-- @string name
-- @string extension a known one
-- @tparam torch.DoubleTensor x samples x channels, contiguous, -1 to 1; louder samples are clipped
-- @int rate samples per second
-- @param bits 8, 16, 24, 32 or 'float', for codings with bits
-- @number[opt] quality 0 to 1, for codings with a quality
-- @raise the error, without a position
function sndfile.write(name, extension, x, rate, bits, quality)
  local lib, info = opened(), ffi.new 'mt_sf_info'
  local container, coding = unpack(formats[extension])
  if type(coding) == 'table' then
    if not coding[bits] then error(('bits: %s, expected a number of bits of %s'):format(tostring(bits), extension), 0) end
    coding = coding[bits]
  end
  info.samplerate, info.channels, info.format = rate, x:size(2), container + coding
  if lib.sf_format_check(info) == 0 then
    error(('%s can not hold %d channels at %d samples a second'):format(extension, x:size(2), rate), 0)
  end
  local file = lib.sf_open(name, writeMode, info)
  if file == nil then error(failure(lib, nil), 0) end
  file = ffi.gc(file, lib.sf_close)
  lib.sf_command(file, setClipping, nil, 1)
  if quality then lib.sf_command(file, setQuality, ffi.new('double[1]', quality), 8) end
  local samples, done, block = C.lend(x), 0, 4096      -- encoders keep a block on the stack
  local count, channels = x:size(1), x:size(2)
  local from = ffi.cast('const double *', samples:data())
  while done < count do
    local now = math.min(block, count - done)
    local written = tonumber(lib.sf_writef_double(file, from + done * channels, now))
    if written < now then error(failure(lib, file), 0) end
    done = done + now
  end
  if lib.sf_close(ffi.gc(file, nil)) ~= 0 then error('the file could not be closed', 0) end
end

return sndfile
