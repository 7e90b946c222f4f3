-- Sound files from and to disk and memory, and pictures of frequencies.
local ffi = require 'ffi'
local torch, audio, signal = require 'torch', require 'audio', require 'signal'

local hasLibrary = pcall(ffi.load, 'libsndfile.so.1')

local function withName(extension, f)
  local place = os.tmpname()
  local name = place .. '.' .. extension
  local good, message = pcall(f, name)
  os.remove(name)
  os.remove(place)
  assert(good, message)
end

local function write(name, text)
  local file = assert(io.open(name, 'wb'))
  file:write(text)
  file:close()
end

-- Two channels of whole numbers of 16 bits, in the scale of 32.
local function sound()
  return torch.range(1, 2000):double():mul(0.05):sin():mul(20000):round():mul(65536):view(1000, 2)
end

local function bytes(tensor, from) return ffi.string(ffi.cast('const char *', tensor:data()) + from, tensor:nElement() - from) end
local function asBytes(text)
  local x = torch.CharTensor(8 + #text)
  ffi.copy(ffi.cast('char *', x:data()) + 8, text, #text)
  return x
end

describe('audio.load', function()
  it('gives samples of 16 bits times 65536, samples x channels, or from -1 to 1', function()
    withName('wav', function(name)
      -- Two channels, 11025 Hz: 1, -1; 256, -32768.
      write(name, 'RIFF\44\0\0\0WAVEfmt \16\0\0\0\1\0\2\0\17\43\0\0\68\172\0\0\4\0\16\0data\8\0\0\0\1\0\255\255\0\1\0\128')
      local x, rate = audio.load(name)
      assert.equal(11025, rate)
      assert.is_true(torch.equal(torch.Tensor { { 65536, -65536 }, { 256 * 65536, -2 ^ 31 } }, x))
      assert.is_true(torch.equal(torch.Tensor { { 2 ^ -15, -2 ^ -15 }, { 2 ^ -7, -1 } }, (audio.load(name, { normalized = true }))))
    end)
  end)
  it('is a global, too', function() assert.equal(audio, rawget(_G, 'audio')) end)
  it('reports invalid input', function()
    assert.error_matches(function() audio.load() end, 'audio.load: missing file name')
    assert.error_matches(function() audio.load '/nowhere/x.wav' end, 'audio.load: Specified filename: /nowhere/x.wav not found')
    withName('wav', function(name)
      write(name, 'RIFF\44\0\0\0WAVEnothing')
      assert.error_matches(function() audio.load(name) end, 'audio.load: %[read_audio_file%] Failure to read file [^\n]+$')
      write(name, 'RIFF\36\0\0\0WAVEfmt \16\0\0\0\1\0\2\0\17\43\0\0\68\172\0\0\4\0\16\0data\0\0\0\0')
      assert.error_matches(function() audio.load(name) end, 'audio.load: %[read_audio%] Empty file')
    end)
  end)
end)

describe('audio.save', function()
  it('writes what load reads', function()
    withName('wav', function(name)
      audio.save(name, sound(), 22050)
      local x, rate = audio.load(name)
      assert.equal(22050, rate)
      assert.is_true(torch.equal(sound(), x))
      audio.save(name, sound() / 2 ^ 31, 22050, { normalized = true, bits = 24 })
      assert.is_true(torch.equal(sound(), (audio.load(name))))
      audio.save(name, torch.Tensor { 0.25, -1 }, 8000, { normalized = true, bits = 'float' })
      assert.is_true(torch.equal(torch.Tensor { { 0.25 }, { -1 } }, (audio.load(name, { normalized = true }))))
    end)
  end)
  it('cuts what is too loud', function()
    withName('wav', function(name)
      audio.save(name, torch.Tensor { 3e9, -3e9 }, 8000)
      assert.is_true(torch.equal(torch.Tensor { { 32767 * 65536 }, { -2 ^ 31 } }, (audio.load(name))))
    end)
  end)
  it('reports invalid input', function()
    assert.error_matches(function() audio.save('x.wav', sound()) end, 'provide a sample rate %(a number%) such as 22050')
    assert.error_matches(function() audio.save('x.xyz', sound(), 8000) end, 'audio.save: did not find extension')
    assert.error_matches(function() audio.save('x.wav', nil, 8000) end, 'audio.save: filename or src tensor missing')
    assert.error_matches(function() audio.save('x.wav', torch.ones(2, 2, 2), 8000) end, 'audio.save: tensor: expected samples x channels')
    assert.error_matches(function() audio.save('/nowhere/x.wav', sound(), 8000) end, 'audio.save: /nowhere/x.wav: ')
  end)
end)

describe('audio.compress', function()
  it('tells the number of samples before the file', function()
    local c = audio.compress(sound(), 8000, 'wav')
    assert.equal('torch.CharTensor', c:type())
    assert.equal(2000, tonumber(ffi.cast('const int64_t *', c:data())[0]))
    assert.equal('RIFF', bytes(c, 8):sub(1, 4))
    local x, rate = audio.decompress(c, 'wav')
    assert.equal(8000, rate)
    assert.is_true(torch.equal(sound(), x))
  end)
  it('reports invalid input', function()
    assert.error_matches(function() audio.compress(sound(), 8000) end, 'audio.compress: extension string missing')
    assert.error_matches(function() audio.decompress() end, 'audio.decompress: src tensor missing')
    assert.error_matches(function() audio.decompress(torch.CharTensor(20)) end, 'audio.decompress: extension string missing')
    assert.error_matches(function() audio.decompress(torch.CharTensor(20), '../wav') end, 'letters and digits')
    assert.error_matches(function() audio.decompress(asBytes 'nothing of that kind', 'wav') end,
      'audio.decompress: at byte 1: expected the bytes RIFF')
  end)

  local describe_ = hasLibrary and it or pending
  for _, extension in ipairs { 'flac', 'aiff', 'au' } do
    describe_('keeps every sample as ' .. extension, function()
      local x, rate = audio.decompress(audio.compress(sound(), 22050, extension), extension)
      assert.equal(22050, rate)
      assert.is_true(torch.equal(sound(), x))
    end)
  end
  describe_('keeps a tone as Ogg and MP3', function()
    local tone = torch.range(0, 15999):double():mul(2 * math.pi * 440 / 16000):sin():mul(2 ^ 30)
    for extension, pair in pairs { ogg = { audio.compressOGG, audio.decompressOGG }, mp3 = { audio.compressMP3, audio.decompressMP3 } } do
      local c = pair[1](tone, 16000)
      assert.is_true(c:nElement() < 32000 / 3, extension)
      local x, rate = pair[2](c)
      assert.equal(16000, rate)
      local middle = x:select(2, 1):narrow(1, 4001, 8192):contiguous()
      local power = signal.complex.abs(signal.rfft(torch.cmul(middle, signal.hann(8192, 'periodic'))))
      local _, loudest = torch.max(power, 1)
      assert.near(440, (loudest[1] - 1) * 16000 / 8192, 2)
      assert.near(2 ^ 30 / math.sqrt(2), middle:norm() / math.sqrt(8192), 2 ^ 30 * 0.03)
    end
  end)
  describe_('refuses damaged bytes, in one sentence, or reads what is left of them', function()
    for _, extension in ipairs { 'flac', 'ogg', 'aiff' } do      -- MP3's decoder writes warnings
      local text = bytes(audio.compress(sound(), 8000, extension), 8)
      for part = 0, 20 do
        local damaged = part < 10 and text:sub(1, math.floor(#text * part / 10) + 1)
          or text:sub(1, part * 7) .. string.rep(string.char(part * 11), 9) .. text:sub(part * 7 + 10)
        local good, x = pcall(audio.decompress, asBytes(damaged), extension)
        assert(good or x:find '^[^\n]*audio.decompress: [^\n]+$', x)
        assert(not good or x:nElement() <= 100000)
      end
    end
  end)
end)

describe('audio.stft', function()
  it('has the highest frequency first', function()
    local x = torch.randn(50)
    local y, expected = audio.stft(x, 10, 'hann', 4), signal.rstft(x, 10, 4, 'hann')
    assert.same({ 11, 6, 2 }, y:size():totable())
    for k = 1, 6 do assert.is_true((y:select(2, k) - expected:select(2, 7 - k)):abs():max() < 1e-12) end
    assert.is_true((audio.stft(x:view(50, 1), 10, 'hann', 4) - y):abs():max() == 0)
    assert.equal('torch.FloatTensor', audio.stft(x:float(), 10, 'rect', 4):type())
  end)
  it('makes pictures with low frequencies at the bottom', function()
    local x = torch.randn(50)
    local picture, expected = audio.spectrogram(x, 10, 'rect', 4), signal.spectrogram(x, 10, 4)
    assert.same({ 6, 11 }, picture:size():totable())
    for k = 1, 6 do assert.is_true((picture[k] - expected[7 - k]):abs():max() < 1e-12) end
  end)
  it('reports invalid input', function()
    assert.error_matches(function() audio.stft(torch.ones(9), 4, 'hann') end, 'audio.stft: incorrect arguments')
    assert.error_matches(function() audio.stft(torch.ones(9, 2), 4, 'hann', 2) end, 'Multi%-channel stft not supported')
    assert.error_matches(function() audio.stft(torch.ones(9), 4, 'han', 2) end, "audio.stft: window_type: han, expected 'rect'")
  end)
end)

describe('the rest', function()
  it('has a constant-Q transform between two frequencies', function()
    local x = torch.range(0, 7999):double():mul(2 * math.pi * 440 / 8000):sin()
    local y = audio.cqt(x:view(8000, 1), 220, 880, 12, 8000)
    assert.equal(25, y:size(1))
    local _, loudest = torch.max(signal.complex.abs(y):select(2, 8):contiguous(), 1)
    assert.equal(13, loudest[1])
  end)
  it('has a voice of pitch 120', function()
    local voice, rate = audio.samplevoice()
    assert.equal(2, voice:dim())
    assert.is_true(voice:clone():abs():max() <= 2 ^ 31)
    local part = voice:select(2, 1):narrow(1, 1, 4000):contiguous()
    local spectrum = signal.complex.abs(signal.rfft(torch.cmul(part, signal.hann(4000))))
    local _, loudest = torch.max(spectrum:narrow(1, 16, 30), 1)      -- 60 to 180 Hertz
    assert.near(120, (loudest[1] + 14) * rate / 4000, 8)
  end)
end)
