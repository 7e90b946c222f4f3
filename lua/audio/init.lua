--- Sound files and spectrograms, with the interface of lua---audio.
-- Sounds are tensors of samples x channels. Samples are 32-bit numbers from -2^31 to 2^31 for all files; with
-- `normalized = true` they are from -1 to 1. Parts are loaded on first use. `require 'audio'` sets the global `audio`, as in
-- lua---audio.
-- @module audio
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
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
