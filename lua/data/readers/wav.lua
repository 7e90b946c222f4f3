--- WAV files: sound as samples x channels, read and written.
-- Format: Microsoft and IBM, "Multimedia Programming Interface and Data Specifications 1.0" (1991), and WAVE_FORMAT_EXTENSIBLE.
-- PCM of 8, 16, 24 and 32 bits and floats of 32 and 64 bits are read and written; PCM of other numbers of bits (12, 20), big-endian files
-- (RIFX) and files of 4 GB and more (RF64: EBU Tech 3306) are only read; `audio.load` reads other codings through libsndfile.
-- @module data.readers.wav
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local atomic = require 'torch.file.atomic'
local damage = require 'torch.file.damage'
local outside = require 'torch.file.outside'
local reverse = require('torch.file.binary').reverse

local little = outside.littleEndian

local wav = {}

local pcm, float, extensible = 1, 3, 0xfffe
local unknownLength = 0xffffffff      -- in streams of unknown length, and in RF64, which has the length elsewhere
local mostChannels = 1024
local names = { [6] = 'A-law', [7] = 'mu-law', [2] = 'ADPCM', [17] = 'IMA ADPCM', [85] = 'MP3' }

-- The samples of a coding: the type that stores them unchanged, and the largest magnitude.
local codings = {
  [pcm] = { [8] = { 'Byte', 128 }, [16] = { 'Short', 2 ^ 15 }, [24] = { 'Int', 2 ^ 23 }, [32] = { 'Int', 2 ^ 31 } },
  [float] = { [32] = { 'Float', 1 }, [64] = { 'Double', 1 } },
}

-- An unsigned big-endian integer of a file.
local function bigInteger(text, at, size)
  local value = 0
  for i = at, at + size - 1 do value = value * 256 + text:byte(i) end
  return value
end

local function readFormat(text, at, integer)
  local format = {
    coding = integer(text, 1, 2), channels = integer(text, 3, 2), rate = integer(text, 5, 4),
    frame = integer(text, 13, 2), bits = integer(text, 15, 2), isBig = integer == bigInteger,
  }
  if format.coding == extensible and #text >= 26 then format.coding = integer(text, 25, 2) end
  local widths = codings[format.coding]
  if not widths then
    local coding = names[format.coding] or tostring(format.coding)
    damage.raise(at, 'a coding that is PCM (1) or float (3)', ('coding %s (audio.load reads others)'):format(coding))
  end
  -- Samples of 12 or 20 bits are stored in the upper bits of 16 or 24.
  format.stored = format.coding == pcm and format.bits >= 8 and 8 * math.ceil(format.bits / 8) or format.bits
  if not widths[format.stored] then
    damage.raise(at + 14, 'samples of ' .. (format.coding == pcm and '8 to 32' or '32 or 64') .. ' bits', tostring(format.bits))
  end
  if format.channels < 1 or format.channels > mostChannels then
    damage.raise(at + 2, ('1 to %d channels'):format(mostChannels), tostring(format.channels))
  end
  if format.frame ~= format.channels * format.stored / 8 then
    damage.raise(at + 12, ('frames of %d bytes'):format(format.channels * format.stored / 8), tostring(format.frame))
  end
  return format
end

local starts = { RIFF = outside.integer, RF64 = outside.integer, BW64 = outside.integer, RIFX = bigInteger }

-- Reads the chunks before the samples and leaves the channel at the samples. Returns the format, the bytes of the samples, and whether some
-- are missing.
local function findSamples(channel)
  local start = outside.text(channel, 12, 'a header')
  local integer = starts[start:sub(1, 4)]
  if not integer then damage.raise(1, 'the bytes RIFF, RIFX or RF64', ('%q'):format(start:sub(1, 4))) end
  if start:sub(9) ~= 'WAVE' then damage.raise(9, 'the bytes WAVE', ('%q'):format(start:sub(9))) end
  local format, long
  while true do
    local at = channel:position() + 1
    if channel:remaining() == 0 then damage.raise(at, 'a chunk of samples', 'the end of the file') end
    local head = outside.text(channel, 8, 'a chunk')
    local name, bytes, left = head:sub(1, 4), integer(head, 5, 4), channel:remaining()
    if name == 'data' and bytes == unknownLength then bytes = long or left end
    if bytes > left and name ~= 'data' then
      damage.raise(at + 4, ('the %.0f bytes of the chunk %q'):format(bytes, name), ('%.0f bytes to the end of the file'):format(left))
    end
    if name == 'data' then
      if not format then damage.raise(at, 'a format before the samples', 'none') end
      return format, math.min(bytes, left), bytes > left
    elseif name == 'fmt ' then
      if bytes < 16 or bytes > 65536 then damage.raise(at + 4, 'a format of 16 bytes or more', tostring(bytes)) end
      format = readFormat(outside.text(channel, bytes, 'a format'), at + 8, integer)
      if bytes % 2 == 1 then channel:seek(channel:position() + 1) end
    elseif name == 'ds64' and bytes >= 16 and bytes <= 65536 then      -- RF64's sizes of 8 bytes: of the file, and of the samples
      long = integer(outside.text(channel, bytes, 'sizes'), 9, 8)
      if bytes % 2 == 1 then channel:seek(channel:position() + 1) end
    else
      channel:seek(channel:position() + bytes + bytes % 2)
    end
  end
end

-- Converts samples of three bytes, little-endian unless `isBig`, to ints.
local function widen(bytes, count, isBig)
  local storage = torch.IntStorage(count)
  local from, to = ffi.cast('const uint8_t *', bytes:data()), ffi.cast('int32_t *', storage:data())
  local low, high = isBig and 2 or 0, isBig and 0 or 2
  for i = 0, count - 1 do
    to[i] = bit.arshift(bit.bor(bit.lshift(from[3 * i + low], 8), bit.lshift(from[3 * i + 1], 16), bit.lshift(from[3 * i + high], 24)), 8)
  end
  return storage
end

local function readSamples(channel, format, first, wanted)
  local kind, scale = unpack(codings[format.coding][format.stored])
  channel:seek(channel:position() + first * format.frame)
  local count = wanted * format.channels
  local storage
  if format.stored == 24 then
    local bytes = torch.ByteStorage(3 * count)
    if count > 0 then outside.fill(channel, bytes:data(), 3 * count, 'the samples') end
    storage = widen(bytes, count, format.isBig)
  else
    storage = torch[kind .. 'Storage'](count)
    if count > 0 then outside.fill(channel, storage:data(), count * format.stored / 8, 'the samples') end
    if format.isBig then reverse(ffi.cast('uint8_t *', storage:data()), count, format.stored / 8) end
  end
  return torch[kind .. 'Tensor'](storage, 1, torch.LongStorage { wanted, format.channels }), scale
end

-- Scales samples to floats from -1 to 1; 32 bits need doubles to be exact.
local function scaled(x, format, scale)
  if format.coding == float then return x end
  local y = format.stored == 32 and x:double() or x:float()
  if format.stored == 8 then y:add(-scale) end
  return y:mul(1 / scale)
end

--- Reads a file.
-- @string name file
-- @tparam[opt] table options
--
-- - `raw`: true returns the numbers of the file, a ByteTensor (128 is silence), ShortTensor, IntTensor (of 24 and 32 bits), FloatTensor or
--   DoubleTensor (12 and 20 bits are the upper ones of 16 and 24); without it they are scaled to -1..1, a FloatTensor, or a DoubleTensor
--   for 32 bits of PCM and 64 of floats
-- - `first`, `count`: read `count` samples from number `first` on, from 1 (all)
-- @treturn torch.Tensor samples x channels
-- @treturn int samples per second
-- @treturn table `channels`, `bits`, `coding` ('pcm' or 'float') and `samples` of the file; `truncated` is true if the file ends before
-- the number of samples in its header
-- @raise `data.wav.load: <name>: at byte N: expected ..., read ...`
-- @usage local sound, rate = require('data').wav.load 'voice.wav'
function wav.load(name, options)
  options = check.options('data.wav.load', options, { 'raw', 'first', 'count' })
  local first = check.int('data.wav.load', 'first', options.first or 1, { min = 1 }) - 1
  if options.count ~= nil then check.int('data.wav.load', 'count', options.count, { min = 0 }) end
  local format, samples, truncated
  local x, scale = outside.open('data.wav.load', name, function(channel)
    local bytes
    format, bytes, truncated = findSamples(channel)
    samples = math.floor(bytes / format.frame)
    local from = math.min(first, samples)
    return readSamples(channel, format, from, math.min(options.count or samples, samples - from))
  end)
  local about = { channels = format.channels, bits = format.bits, coding = format.coding == pcm and 'pcm' or 'float', samples = samples,
                  truncated = truncated or nil }
  return options.raw and x or scaled(x, format, scale), format.rate, about
end

-- Converts samples to those of the file: a contiguous tensor of the coding's type. Clips values beyond the coding's range.
local function coded(x, coding, bits, raw)
  local kind, scale = unpack(codings[coding][bits])
  if coding == float then return C.onHost(x):type(('torch.%sTensor'):format(kind)):contiguous() end
  if not raw then
    x = torch.round(C.onHost(x):double() * scale):clamp(-scale, scale - 1)
    if bits == 8 then x:add(scale) end
  end
  return C.onHost(x):type(('torch.%sTensor'):format(kind)):contiguous()
end

-- The bytes of a block of samples: a pointer, their number, and the object that owns the memory.
local function bytesOf(x, bits)
  local elements = C.lend(x)
  local n = x:nElement()
  if bits ~= 24 then return elements:data(), n * bits / 8, elements end
  local storage = torch.ByteStorage(3 * n)
  local from, to = ffi.cast('const int32_t *', elements:data()), ffi.cast('uint8_t *', storage:data())
  for i = 0, n - 1 do
    local value = from[i]
    to[3 * i], to[3 * i + 1] = bit.band(value, 255), bit.band(bit.rshift(value, 8), 255)
    to[3 * i + 2] = bit.band(bit.rshift(value, 16), 255)
  end
  return storage:data(), 3 * n, storage
end

--- Writes a file atomically.
-- @string name file
-- @tparam torch.Tensor x samples x channels, or samples of one channel: floats from -1 to 1 (other values are clipped)
-- @int rate samples per second
-- @tparam[opt] table options
--
-- - `bits`: 8, 16, 24 or 32 (16, or 32 for floats)
-- - `coding`: 'pcm' (default) or 'float' (32 or 64 bits)
-- - `raw`: true writes the numbers unchanged, as returned by `load` with `raw`
-- @usage require('data').wav.save('tone.wav', torch.sin(torch.range(0, 4 * math.pi, 0.01)), 8000)
function wav.save(name, x, rate, options)
  local op = 'data.wav.save'
  name = check.name(op, 'name', name)
  check.tensor(op, 'x', x)
  check.int(op, 'rate', rate, { min = 1, max = 2 ^ 32 - 1 })
  options = check.options(op, options, { 'bits', 'coding', 'raw' })
  check.that(options.coding == nil or options.coding == 'pcm' or options.coding == 'float',
    ("%s: coding: %s, expected 'pcm' or 'float'"):format(op, tostring(options.coding)))
  local coding = options.coding == 'float' and float or pcm
  local bits = options.bits or (coding == float and 32 or 16)
  check.that(codings[coding][bits], ('%s: bits: %s, expected %s'):format(op, tostring(bits),
    coding == float and '32 or 64' or '8, 16, 24 or 32'))
  check.that(x:dim() == 1 or x:dim() == 2, ('%s: x: %d dimensions, expected samples x channels'):format(op, x:dim()))
  local channels = x:dim() == 2 and x:size(2) or 1
  check.that(channels >= 1 and channels <= mostChannels, ('%s: x: %d channels, expected 1 to %d'):format(op, channels, mostChannels))
  local p, bytes, keep = bytesOf(coded(x, coding, bits, options.raw), bits)
  check.that(bytes < 2 ^ 32 - 100, ('%s: x: %.0f bytes, expected less than 4 GB'):format(op, bytes))
  local frame = channels * bits / 8
  local format = little(coding, 2) .. little(channels, 2) .. little(rate, 4) .. little((rate * frame) % 2 ^ 32, 4) .. little(frame, 2)
    .. little(bits, 2)
  local padding = bytes % 2 == 1 and '\0' or ''
  local header = 'RIFF' .. little(4 + 24 + 8 + bytes + #padding, 4) .. 'WAVEfmt ' .. little(16, 4) .. format .. 'data' .. little(bytes, 4)
  atomic.write(op, name, function(channel)
    local _, message = channel:write(header, #header)
    if bytes > 0 and not message then _, message = channel:write(p, bytes) end
    if not message then _, message = channel:write(padding, #padding) end
    if message then error(message, 0) end
    return keep
  end)
end

return wav
