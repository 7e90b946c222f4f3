-- Folders of recordings, as Speech Commands and LibriSpeech have them.
local torch, data, paths = require 'torch', require 'data', require 'paths'
local files = require 'spec.support.files'

local root
before_each(function()
  root = paths.tmpname()
  os.remove(root)
  paths.mkdir(root)
end)
after_each(function() paths.rmall(root, 'yes') end)

-- Writes a sound whose samples are all one number of 16 bits.
local function write(name, value, rate, samples)
  os.execute(("mkdir -p '%s'"):format(paths.dirname(root .. '/' .. name)))
  data.wav.save(root .. '/' .. name, torch.FloatTensor(samples or 100):fill(value / 32768), rate or 16000)
end

describe('data.SpeechCommands', function()
  local function fill()
    write('yes/aa_nohash_0.wav', 100)
    write('yes/bb_nohash_0.wav', 200)
    write('no/aa_nohash_1.wav', 300)
    write('no/cc_nohash_0.wav', 400)
    write('_background_noise_/hum.wav', 1)
    files.write(root .. '/validation_list.txt', 'yes/bb_nohash_0.wav\n')
    files.write(root .. '/testing_list.txt', 'no/cc_nohash_0.wav\r\n')
  end

  it('reads words, speakers and parts', function()
    fill()
    local set = data.SpeechCommands(root)
    assert.same({ 'no', 'yes' }, set.classes)
    assert.equal(2, set:size())
    local first, second = set:get(1), set:get(2)
    assert.same({ 1, 'aa', 2 }, { first.target, first.speaker, second.target })
    assert.same({ 1, 100 }, first.input:size():totable())
    assert.near(300 / 32768, first.input[1][50], 1e-9)
    assert.near(100 / 32768, second.input[1][1], 1e-9)
    assert.near(200 / 32768, data.SpeechCommands(root, { part = 'validation' }):get(1).input:max(), 1e-9)
    assert.near(400 / 32768, data.SpeechCommands(root, { part = 'testing' }):get(1).input:max(), 1e-9)
    assert.equal(4, data.SpeechCommands(root, { part = 'all' }):size())
    local chosen = data.SpeechCommands(root, { classes = { 'yes', 'no' }, transform = function(x) return x:size(2) end })
    assert.same({ 100, 1 }, { chosen:get(1).input, chosen:get(1).target })
    local batch = data.SpeechCommands(root):loader { batchSize = 2 }()()
    assert.same({ 2, 1, 100 }, batch.input:size():totable())
  end)

  it('names what is wrong', function()
    assert.error_matches(function() data.SpeechCommands '/no/such' end, 'data.SpeechCommands: root: /no/such, expected a folder')
    assert.error_matches(function() data.SpeechCommands(root) end, 'has no recordings for the part training, expected WORD/NAME.wav')
    fill()
    assert.error_matches(function() data.SpeechCommands(root, { part = 'test' }) end, "data.SpeechCommands: part: 'test', expected one of")
    write('no/aa_nohash_1.wav', 1, 8000)
    assert.error_matches(function() data.SpeechCommands(root):get(1) end, 'aa_nohash_1.wav: 8000 samples per second, expected 16000')
    files.write(root .. '/no/aa_nohash_1.wav', 'RIFF')
    assert.error_matches(function() data.SpeechCommands(root):get(1) end, 'data.SpeechCommands: .*aa_nohash_1.wav')
    assert.equal(2, data.SpeechCommands(root):size())
  end)
end)

describe('data.LibriSpeech', function()
  local function fill()
    write('12/7/12-7-0000.wav', 100)
    write('12/7/12-7-0001.wav', 200, 16000, 50)
    write('9/31/9-31-0000.wav', 300)
    files.write(root .. '/12/7/12-7.trans.txt', '12-7-0000 TO BE\n12-7-0001 OR NOT TO BE \n')
    files.write(root .. '/9/31/9-31.trans.txt', '9-31-0000 THAT IS\n')
  end

  it('reads sounds and texts', function()
    fill()
    local set = data.LibriSpeech(root)
    assert.equal(3, set:size())
    assert.same({ 'TO BE', 'OR NOT TO BE', 'THAT IS' }, set.texts)
    local second = set:get(2)
    assert.same({ 'OR NOT TO BE', '12', 50 }, { second.target, second.speaker, second.input:size(2) })
    assert.near(200 / 32768, second.input:max(), 1e-9)
    assert.equal('9', set:get(3).speaker)
    assert.equal(3, data.LibriSpeech(root, { transform = function() return 3 end }):get(1).input)
  end)

  it('reads FLAC', function()
    local audio = require 'audio'
    if not pcall(require('torch.library').system, 'sndfile', 'spec') then return end
    fill()
    os.remove(root .. '/9/31/9-31-0000.wav')
    local wave = torch.range(0, 999):mul(0.05):sin():mul(2 ^ 30):view(-1, 1)
    audio.save(root .. '/9/31/9-31-0000.flac', wave, 16000)
    local found = data.LibriSpeech(root):get(3).input
    assert.is_true((found:double() - wave:t() / 2 ^ 31):abs():max() < 1e-4)
  end)

  it('names what is wrong', function()
    assert.error_matches(function() data.LibriSpeech(root) end, 'has no recordings, expected SPEAKER/CHAPTER/SPEAKER%-CHAPTER.trans.txt')
    fill()
    files.write(root .. '/9/31/9-31.trans.txt', '9-31-0000\n')
    assert.error_matches(function() data.LibriSpeech(root) end, '9%-31.trans.txt: "9%-31%-0000", expected a name and a text')
    files.write(root .. '/9/31/9-31.trans.txt', '../x A\n')
    assert.error_matches(function() data.LibriSpeech(root) end, 'expected a name and a text')
    files.write(root .. '/9/31/9-31.trans.txt', '9-31-0009 A\n')
    assert.error_matches(function() data.LibriSpeech(root) end, '9%-31%-0009: neither .flac nor .wav of that name')
  end)
end)
