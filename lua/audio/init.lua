--- Sound files and spectrograms, with the interface of lua---audio.
-- Sounds are tensors of samples x channels. Samples are numbers of 32 bits, from -2^31 to 2^31, whatever the file has; with
-- `normalized = true` from -1 to 1. Parts are read when they are first asked for. `require 'audio'` sets the global `audio`, as it always
-- did.
-- @module audio
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
require 'torch'

local audio = {}
package.loaded.audio = audio
rawset(_G, 'audio', audio)

require 'torch.start.lazy_loader'(audio, [[
  audio.file: load save compress decompress compressMP3 compressOGG decompressMP3 decompressOGG
  audio.spectrum: stft spectrogram cqt
  audio.voice: samplevoice
]])

return audio
