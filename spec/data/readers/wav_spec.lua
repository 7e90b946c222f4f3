-- WAV files by their known bytes.
local torch = require 'torch'
local paths = require 'paths'
local files = require 'spec.support.files'
local wav = require('data.readers').wav

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

local function little(value, size)
  local text = ''
  for _ = 1, size do
    text, value = text .. string.char(value % 256), math.floor(value / 256)
  end
  return text
end

local function formatOf(coding, channels, rate, bits, frame)
  frame = frame or channels * bits / 8
  return little(coding, 2) .. little(channels, 2) .. little(rate, 4) .. little(rate * frame, 4) .. little(frame, 2) .. little(bits, 2)
end

local function chunk(kind, text) return kind .. little(#text, 4) .. text .. (#text % 2 == 1 and '\0' or '') end
local function fileOf(...)
  local inner = 'WAVE' .. table.concat { ... }
  return 'RIFF' .. little(#inner, 4) .. inner
end

describe('data.wav.load', function()
  it('reads every coding, as it is and from -1 to 1', function()
    local cases = {
      { 1, 8, '\0\128\255', 'Byte', { 0, 128, 255 }, { -1, 0, 127 / 128 } },
      { 1, 16, '\0\128\255\255\255\127', 'Short', { -32768, -1, 32767 }, { -1, -1 / 32768, 32767 / 32768 } },
      { 1, 24, '\0\0\128\255\255\255\1\2\3', 'Int', { -8388608, -1, 0x030201 }, { -1, -2 ^ -23, 0x030201 / 2 ^ 23 } },
      { 1, 32, '\0\0\0\128\1\0\0\0', 'Int', { -2 ^ 31, 1 }, { -1, 2 ^ -31 } },
      { 3, 32, '\0\0\128\63\0\0\0\192', 'Float', { 1, -2 }, { 1, -2 } },
      { 3, 64, '\0\0\0\0\0\0\240\191', 'Double', { -1 }, { -1 } },
    }
    for _, case in ipairs(cases) do
      files.write(name, fileOf(chunk('fmt ', formatOf(case[1], 1, 8000, case[2])), chunk('data', case[3])))
      local raw, rate, about = wav.load(name, { raw = true })
      assert.equal(8000, rate)
      assert.equal('torch.' .. case[4] .. 'Tensor', raw:type())
      assert.same(case[5], raw:select(2, 1):totable())
      assert.same(case[6], wav.load(name):select(2, 1):totable())
      assert.same({ channels = 1, bits = case[2], coding = case[1] == 1 and 'pcm' or 'float', samples = #case[5] }, about)
    end
  end)

  it('reads extensible formats, other chunks, channels side by side, and parts', function()
    local extensible = formatOf(0xfffe, 2, 44100, 16) .. little(22, 2) .. little(16, 2) .. little(3, 4) .. '\1\0' .. ('\0'):rep(14)
    files.write(name, fileOf(chunk('LIST', 'odd'), chunk('fmt ', extensible), chunk('data', '\1\0\2\0\3\0\4\0\5\0\6\0'),
      chunk('id3 ', 'x')))
    assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, wav.load(name, { raw = true }):totable())
    assert.same({ { 3, 4 } }, wav.load(name, { raw = true, first = 2, count = 1 }):totable())
    assert.equal(0, wav.load(name, { first = 9 }):size(1))
  end)

  it('reads what was written into a pipe, whose length nobody knew', function()
    local text = fileOf(chunk('fmt ', formatOf(1, 1, 8000, 8)), 'data' .. ('\255'):rep(4) .. '\1\2\3')
    files.write(name, text)
    assert.same({ 1, 2, 3 }, wav.load(name, { raw = true }):select(2, 1):totable())
  end)

  it('reads samples of 12 and 20 bits, the upper ones of 16 and 24', function()
    files.write(name, fileOf(chunk('fmt ', formatOf(1, 1, 8000, 12, 2)), chunk('data', '\0\128\240\127\16\0')))
    local x, _, about = wav.load(name)
    assert.same({ -1, 2047 / 2048, 1 / 2048 }, x:select(2, 1):totable())
    assert.equal(12, about.bits)
    files.write(name, fileOf(chunk('fmt ', formatOf(1, 2, 8000, 20, 6)), chunk('data', '\0\0\128\16\0\0')))
    assert.same({ { -1, 2 ^ -19 } }, wav.load(name):totable())
  end)

  it('reads big-endian files', function()
    local function big(value, size) return little(value, size):reverse() end
    for _, case in ipairs { { 1, 8, '\0\255', { -1, 127 / 128 } }, { 1, 16, '\128\0\0\1', { -1, 2 ^ -15 } },
                            { 1, 24, '\128\0\0\1\2\3', { -1, 0x010203 / 2 ^ 23 } }, { 1, 32, '\128\0\0\0\0\0\0\1', { -1, 2 ^ -31 } },
                            { 3, 32, '\63\128\0\0', { 1 } }, { 3, 64, '\191\240\0\0\0\0\0\0', { -1 } } } do
      local coding, bits, samples = case[1], case[2], case[3]
      local format = big(coding, 2) .. big(1, 2) .. big(44100, 4) .. big(44100 * bits / 8, 4) .. big(bits / 8, 2) .. big(bits, 2)
      local inner = 'WAVEfmt ' .. big(16, 4) .. format .. 'data' .. big(#samples, 4) .. samples
      files.write(name, 'RIFX' .. big(#inner, 4) .. inner)
      local x, rate = wav.load(name)
      assert.equal(44100, rate)
      assert.same(case[4], x:select(2, 1):totable())
    end
  end)

  it('reads files whose sizes take 8 bytes', function()
    local sizes = little(100, 8) .. little(4, 8) .. little(2, 8) .. little(0, 4)
    local format = chunk('fmt ', formatOf(1, 1, 8000, 16))
    for _, start in ipairs { 'RF64', 'BW64' } do
      files.write(name, start .. '\255\255\255\255WAVE' .. chunk('ds64', sizes) .. format .. 'data\255\255\255\255\1\0\2\0'
        .. chunk('LIST', 'more'))
      assert.same({ 1, 2 }, wav.load(name, { raw = true }):select(2, 1):totable())
    end
  end)

  it('reads what there is of a truncated file', function()
    files.write(name, fileOf(chunk('fmt ', formatOf(1, 1, 8000, 16)), 'data\232\3\0\0\1\0\2\0\3'))
    local x, _, about = wav.load(name, { raw = true })
    assert.same({ 1, 2 }, x:select(2, 1):totable())
    assert.same({ true, 2 }, { about.truncated, about.samples })
    assert.same({ 1 / 32768, 2 / 32768 }, (require('audio').load(name, { normalized = true })):select(2, 1):totable())
  end)

  it('leaves other codings to libsndfile', function()
    files.write(name, fileOf(chunk('fmt ', formatOf(7, 1, 8000, 8)), chunk('data', '\0\128\255')))      -- mu-law
    local other = name .. '.wav'
    os.rename(name, other)
    local good, x = pcall(require('audio').load, other, { normalized = true })
    os.remove(other)
    if not good then return pending(x) end
    assert.same({ -32124 / 32768, 32124 / 32768, 0 }, x:select(2, 1):totable())
  end)

  it('says what is wrong', function()
    local good = chunk('fmt ', formatOf(1, 1, 8000, 16))
    local cases = {
      ['at byte 1: expected the bytes RIFF, RIFX or RF64, read "OggS"; this is an Ogg sound file, which audio.load reads'] =
        'OggS' .. ('x'):rep(20),
      ['at byte 9: expected the bytes WAVE, read "AVI "'] = 'RIFF\0\0\0\0AVI ',
      ['at byte 13: expected a chunk of samples, read the end of the file'] = fileOf(),
      ['at byte 13: expected a format before the samples, read none'] = fileOf(chunk('data', 'xx')),
      ['at byte 41: expected the 1000 bytes of the chunk "LIST", read 2 bytes to the end of the file'] = fileOf(good, 'LIST\232\3\0\0xx'),
      ['at byte 21: expected a coding that is PCM %(1%) or float %(3%), read coding mu%-law %(audio.load reads others%)'] =
        fileOf(chunk('fmt ', formatOf(7, 1, 8000, 8))),
      ['at byte 35: expected samples of 8 to 32 bits, read 4'] = fileOf(chunk('fmt ', formatOf(1, 1, 8000, 4, 1))),
      ['at byte 23: expected 1 to 1024 channels, read 0'] = fileOf(chunk('fmt ', formatOf(1, 0, 8000, 16))),
      ['at byte 33: expected frames of 2 bytes, read 3'] = fileOf(chunk('fmt ', formatOf(1, 1, 8000, 16, 3))),
      ['at byte 17: expected a format of 16 bytes or more, read 2'] = fileOf(chunk('fmt ', 'xx')),
    }
    for sentence, bytes in pairs(cases) do
      files.write(name, bytes)
      assert.error_matches(function() wav.load(name) end, 'data.wav.load: ' .. name:gsub('%p', '%%%0') .. ': ' .. sentence)
    end
  end)
end)

describe('data.wav.save', function()
  it('writes the very bytes of the format', function()
    wav.save(name, torch.Tensor { { -1, 0 }, { 0.5, 2 } }, 8000)
    assert.equal(fileOf(chunk('fmt ', formatOf(1, 2, 8000, 16)), chunk('data', '\0\128\0\0\0\64\255\127')), files.read(name))
    wav.save(name, torch.Tensor { -1, 0, 1 }, 8000, { bits = 8 })
    assert.equal(fileOf(chunk('fmt ', formatOf(1, 1, 8000, 8)), chunk('data', '\0\128\255')), files.read(name))
  end)

  it('writes files that load reads', function()
    local x = torch.linspace(-1, 0.99, 7):view(7, 1)
    for _, case in ipairs { { 'pcm', 8, 2 ^ -8 }, { 'pcm', 16, 2 ^ -16 }, { 'pcm', 24, 2 ^ -24 }, { 'pcm', 32, 2 ^ -32 },
                            { 'float', 32, 2 ^ -25 }, { 'float', 64, 0 } } do
      wav.save(name, x, 22050, { coding = case[1], bits = case[2] })
      local back, rate = wav.load(name)
      assert.equal(22050, rate)
      assert.is_true(torch.abs(back:double() - x):max() <= case[3])
      local raw = wav.load(name, { raw = true })
      wav.save(name, raw, 22050, { coding = case[1], bits = case[2], raw = true })
      assert.same(raw:totable(), wav.load(name, { raw = true }):totable())
    end
  end)

  it('says what it can not write', function()
    local x = torch.zeros(3)
    assert.error_matches(function() wav.save(name, x, 0) end, 'data.wav.save: rate: 0, expected a whole number from 1')
    assert.error_matches(function() wav.save(name, x, 8000, { bits = 12 }) end, 'data.wav.save: bits: 12, expected 8, 16, 24 or 32')
    assert.error_matches(function() wav.save(name, torch.zeros(2, 2, 2), 8000) end, 'x: 3 dimensions, expected samples x channels')
  end)
end)
