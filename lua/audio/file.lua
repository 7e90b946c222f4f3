--- Sounds from and to files and memory. data.readers.wav reads and writes WAV, libsndfile all other formats.
-- @module audio.file
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local recognise = require 'torch.file.recognise'
local sndfile = require 'audio.sndfile'
local wav = require 'data.readers.wav'

local sound = {}

local fullScale = 2 ^ 31

local function extensionOf(name) return (name:match '%.([%w]+)$' or ''):lower() end

-- An error's text without its position.
local function plain(message) return (tostring(message):gsub('^.-data%.wav%.%w+: ', '')) end

-- Samples from -1 to 1, or the error.
local function read(name, extension)
  if extension == 'wav' then
    local good, x, rate = pcall(wav.load, name)
    if good then return true, x, rate end
    local done, other, otherRate = pcall(sndfile.read, name)      -- codings that data.readers.wav lacks
    if done then return true, other, otherRate end
    return false, plain(x)
  end
  return pcall(sndfile.read, name)
end

local function finished(x, normalized)
  x = torch.to(x, torch.getdefaulttensortype())
  return normalized and x or x:mul(fullScale)
end

--- Reads a sound file: WAV, and formats of libsndfile: FLAC, Ogg, Opus, MP3, AIFF, AU, ...
-- @string name file
-- @tparam[opt] table options `normalized`: true for samples from -1 to 1
-- @treturn torch.Tensor samples x channels, of the default type; from -2^31 to 2^31: a sample of 16 bits times 65536
-- @treturn int samples per second
-- @raise if the file is missing, damaged, or empty
-- @usage local sound, rate = audio.load 'voice.wav'
function sound.load(name, options)
  local where = 'audio.load'
  check.that(name ~= nil, where .. ': missing file name')
  name = check.name(where, 'name', name)
  options = check.options(where, options, { 'normalized' })
  local file = io.open(name, 'rb')
  check.that(file, ('%s: Specified filename: %s not found'):format(where, name))
  file:close()
  local good, x, rate = read(name, extensionOf(name))
  if not good then
    check.raise(('%s: [read_audio_file] Failure to read file %s: %s'):format(where, name,
      recognise.explained(plain(x), recognise.headOf(name), where)))
  end
  check.that(x:size(1) > 0, ('%s: [read_audio] Empty file or read failed: %s'):format(where, name))
  return finished(x, options.normalized), rate
end

local options_ = { 'normalized', 'bits', 'quality' }

-- Samples from -1 to 1 as contiguous doubles.
local function prepared(where, x, options)
  check.tensor(where, 'tensor', x)
  if x:dim() == 1 then x = x:view(-1, 1) end
  check.that(x:dim() == 2 and x:nElement() > 0, where .. ': tensor: expected samples x channels')
  local samples = C.onHost(x:detach()):double():contiguous()
  if not options.normalized then
    samples = torch.div(samples, fullScale)
  end
  return samples
end

local function write(name, extension, x, rate, options)
  local bits = options.bits or 16
  if extension == 'wav' then
    local coding = bits == 'float' and 'float' or 'pcm'
    return pcall(wav.save, name, x, rate, { bits = bits == 'float' and 32 or bits, coding = coding })
  end
  return pcall(sndfile.write, name, extension, x, rate, bits, options.quality)
end

local function checkWriting(where, x, rate, extension, options)
  check.that(x ~= nil, where .. ': filename or src tensor missing')
  check.that(type(rate) == 'number', where .. ': provide a sample rate (a number) such as 22050')
  check.int(where, 'sample_rate', rate, { min = 1, max = 2 ^ 31 - 1 })
  check.that(sndfile.knows(extension),
    ("%s: did not find extension %s: wav, flac, ogg, mp3, aiff, au, ... are known"):format(where, extension))
  options = check.options(where, options, options_)
  local bits = options.bits
  check.that(bits == nil or bits == 8 or bits == 16 or bits == 24 or bits == 32 or bits == 'float',
    ("%s: bits: %s, expected 8, 16, 24, 32 or 'float'"):format(where, tostring(bits)))
  if options.quality ~= nil then check.number(where, 'quality', options.quality, { min = 0, max = 1 }) end
  return options
end

--- Writes a sound file, in the format of its extension.
-- @string name file
-- @tparam torch.Tensor x samples x channels, or samples; with the scale of `load`. Louder samples are clipped
-- @int rate samples per second
-- @tparam[opt] table options
--
-- - `normalized`: true for samples from -1 to 1
-- - `bits`: 8, 16 (default), 24, 32 or 'float', for WAV, AIFF, AU and FLAC (up to 24)
-- - `quality`: 0 to 1, for Ogg and MP3
-- @usage audio.save('voice.flac', sound, rate)
function sound.save(name, x, rate, options)
  local where = 'audio.save'
  check.that(name ~= nil, where .. ': filename or src tensor missing')
  name = check.name(where, 'name', name)
  local extension = extensionOf(name)
  options = checkWriting(where, x, rate, extension, options)
  local good, message = write(name, extension, prepared(where, x, options), rate, options)
  check.that(good, ('%s: %s: %s'):format(where, name, plain(message)))
end

-- Calls f with the name of a temporary file.
local function withFile(extension, f)
  local name = C.temporaryName('.' .. extension)
  local results = { pcall(f, name) }
  os.remove(name)
  return unpack(results, 1, 4)
end

local function bytesOf(name)
  local file = assert(io.open(name, 'rb'))
  local text = file:read '*a'
  file:close()
  return text
end

--- A sound as the bytes of a file, in memory.
-- @tparam torch.Tensor x samples x channels
-- @int rate samples per second
-- @string extension of the format: 'mp3', 'ogg', 'flac', 'wav', ...
-- @tparam[opt] table options as for `save`
-- @treturn torch.CharTensor 8 bytes with the number of samples times channels, then the file
function sound.compress(x, rate, extension, options)
  local where = 'audio.compress'
  check.that(extension ~= nil, where .. ': extension string missing')
  extension = check.text(where, 'extension', extension):lower()
  options = checkWriting(where, x, rate, extension, options)
  local samples = prepared(where, x, options)
  local good, text = withFile(extension, function(name)
    local done, message = write(name, extension, samples, rate, options)
    if not done then error(plain(message), 0) end
    return bytesOf(name)
  end)
  check.that(good, ('%s: %s'):format(where, tostring(text)))
  local result = torch.CharTensor(8 + #text)
  local to = ffi.cast('char *', result:data())
  ffi.cast('int64_t *', to)[0] = samples:nElement()
  ffi.copy(to + 8, text, #text)
  return result
end

--- The sound from the bytes of `compress`.
-- @tparam torch.CharTensor bytes
-- @string extension of the format
-- @tparam[opt] table options `normalized`: true for samples from -1 to 1
-- @treturn torch.Tensor samples x channels
-- @treturn int samples per second
function sound.decompress(bytes, extension, options)
  local where = 'audio.decompress'
  check.that(bytes ~= nil, where .. ': src tensor missing')
  check.that(extension ~= nil, where .. ': extension string missing')
  check.tensor(where, 'bytes', bytes)
  check.that(C.dtypeOf(bytes) == 'Char' or C.dtypeOf(bytes) == 'Byte', where .. ': bytes: expected a torch.CharTensor')
  check.that(bytes:nElement() > 8, where .. ': bytes: expected more than the 8 bytes of a length')
  extension = check.text(where, 'extension', extension):lower()
  check.that(extension:match '^%w+$', where .. ': extension: expected letters and digits')
  options = check.options(where, options, { 'normalized' })
  local kept = C.lend(C.onHost(bytes):contiguous())
  local text = ffi.string(ffi.cast('const char *', kept:data()) + 8, bytes:nElement() - 8)
  local good, done, x, rate = withFile(extension, function(name)
    local file = assert(io.open(name, 'wb'))
    file:write(text)
    file:close()
    return read(name, extension)
  end)
  check.that(good and done, ('%s: %s'):format(where, plain(good and x or done):gsub('^/%S+: ', '')))
  check.that(x:size(1) > 0, where .. ': [read_audio] Empty file or read failed')
  return finished(x, options.normalized), rate
end

--- A sound as an MP3 file in memory.
-- @function compressMP3
-- @tparam torch.Tensor x samples x channels
-- @int rate samples per second
-- @treturn torch.CharTensor as from `compress`

--- A sound as an Ogg Vorbis file in memory.
-- @function compressOGG
-- @tparam torch.Tensor x samples x channels
-- @int rate samples per second
-- @treturn torch.CharTensor as from `compress`

--- The sound from the bytes of `compressMP3`.
-- @function decompressMP3
-- @tparam torch.CharTensor bytes
-- @treturn torch.Tensor samples x channels
-- @treturn int rate

--- The sound from the bytes of `compressOGG`.
-- @function decompressOGG
-- @tparam torch.CharTensor bytes
-- @treturn torch.Tensor samples x channels
-- @treturn int rate
for name, extension in pairs { MP3 = 'mp3', OGG = 'ogg' } do
  sound['compress' .. name] = function(x, rate) return sound.compress(x, rate, extension) end
  sound['decompress' .. name] = function(bytes) return sound.decompress(bytes, extension) end
end

return sound
