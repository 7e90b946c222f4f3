-- Examples with published weights: they find what they say they find, and draw their pictures. The weights are those of
-- examples/published/fetch, in the folder MT_PUBLISHED; without it the specs only see that the programs ask for them.
local torch, data, image, paths = require 'torch', require 'data', require 'image', require 'paths'
local faces = require 'spec.examples.faces_figures'
local assertClose = require('spec.support.close').assertClose
local files, program = require 'spec.support.files', require 'spec.support.program'

local folder = os.getenv 'MT_PUBLISHED' or '../shared/data/models'

-- Program, file or folder of its weights, option that names the picture, what its last line says, the least number there, the word in its
-- picture or its sizes, options.
local cases = {
  { 'retrain', 'crepe_tiny.pth', '--curve', '([%d.]+) %% of unseen frames are right after 10 frames a note\n$', 90, 'published body',
    { '--shots', '10', '--test', '240' } },
  { 'pitch', 'crepe_tiny.pth', '--curve', '([%d.]+) %% of the frames are right to half a semitone, the median error is %d%.%d cents\n$', 95,
    'pitch %[Hz%]' },
  { 'speech', 'silero.jit', '--curve', '([%d.]+) %% of %d+ chunks are right\n$', 78, 'probability of speech' },
  { 'faces', '.', '--output', '(%d+) face\n$', 1, { 3, 320, 320 } },
}

describe('examples', function()
  for _, case in ipairs(cases) do
    local name, weights, option, line, least, word, more = unpack(case)
    local script, source = ('examples/%s.lua'):format(name), paths.concat(folder, weights)

    it(('%s.lua asks for its weights'):format(name), function()
      local output, status, errors = program.run { script }
      assert.same({ '', 2 }, { output, status })
      assert.matches(('^%s: %%-%%-weights: nothing, expected .* of examples/published/fetch\n$'):format(name), errors)
      output, status, errors = program.run { script, '--weights', '/no/such' }
      assert.same({ '', 2 }, { output, status })
      assert.matches(('^%s: %%-%%-weights: .*/no/such[^\n]*: No such file or directory[^\n]*\n$'):format(name), errors)
    end)

    local test = (paths.filep(source) or paths.filep(paths.concat(source, 'mtcnn_onet.pt'))) and it or pending
    test(('%s.lua works with %s'):format(name, weights), function()
      local picture = os.tmpname() .. (type(word) == 'string' and '.svg' or '.png')
      local output, status, errors = program.run { script, '--weights', source, option, picture, unpack(more or {}) }
      assert.equal('', errors)
      assert.equal(0, status)
      local number = tonumber(output:match(line))
      assert.is_true(number ~= nil and number >= least, output)
      if type(word) == 'string' then
        assert.matches(word .. '.*</svg>%s*$', files.read(picture))
      else
        assert.same(word, image.load(picture):size():totable())
      end
      os.remove(picture)
    end)
  end

  local faceTest = paths.filep(paths.concat(folder, 'mtcnn_onet.pt')) and it or pending
  faceTest("faces.lua finds facenet-pytorch's faces and landmarks", function()
    local one = image.load('examples/data/astronaut.jpg', 3, 'byte')
    local name = os.tmpname() .. '.png'
    for kind, picture in pairs { one = one, two = torch.cat(one, one:flip(3), 3) } do
      image.save(name, picture)
      local output = program.run { 'examples/faces.lua', '--weights', folder, '--picture', name, '--output', '' }
      local lines = {}
      for line in output:gmatch '[^\n]+' do lines[#lines + 1] = line end
      local expected = faces[kind]
      assert.equal(#expected + 1, #lines)
      table.remove(lines)
      table.sort(lines)
      for i, line in ipairs(lines) do
        local numbers = {}
        for number in line:gmatch '[%d.]+' do numbers[#numbers + 1] = tonumber(number) end
        local face = expected[i]
        assertClose(torch.Tensor(face.box), torch.Tensor(numbers):narrow(1, 1, 4), { atol = 0.1 })
        assertClose(face.probability, numbers[5], { atol = 1e-3 })
        assertClose(torch.Tensor(face.points), torch.Tensor(numbers):narrow(1, 6, 10), { atol = 0.1 })
      end
    end
    os.remove(name)
  end)

  faceTest('faces.lua finds none in a grey picture', function()
    local name = os.tmpname() .. '.png'
    image.save(name, torch.ByteTensor(3, 60, 80):fill(128))
    assert.equal('0 faces\n', (program.run { 'examples/faces.lua', '--weights', folder, '--picture', name, '--output', name }))
    os.remove(name)
    local _, status, errors = program.run { 'examples/faces.lua', '--weights', folder, '--picture', '/no/such.jpg' }
    assert.equal(2, status)
    assert.matches('^faces: %-%-picture: .*/no/such.jpg', errors)
  end)

  local soundTest = paths.filep(paths.concat(folder, 'crepe_tiny.pth')) and it or pending
  soundTest('pitch.lua and speech.lua read recordings of any rate and number of channels', function()
    local name = os.tmpname()
    local tone = torch.sin(torch.range(0, 22049) * (2 * math.pi * 330 / 44100)):mul(0.5)
    data.wav.save(name, torch.stack({ tone, tone }, 2), 44100)
    local weights = paths.concat(folder, 'crepe_tiny.pth')
    local output = program.run { 'examples/pitch.lua', '--weights', weights, '--sound', name, '--curve', '', '--hop', '100' }
    local count = 0
    for pitch in output:gmatch '%d s  ([%d.]+) Hz\n' do
      count = count + 1
      assert.is_true(math.abs(1200 * math.log(pitch / 330) / math.log(2)) < 20, output)
    end
    assert.equal(5, count)      -- frames of 64 ms at 0, 0.1, ... 0.4 s
    weights = paths.concat(folder, 'silero.jit')
    local words = { 'examples/speech.lua', '--weights', weights, '--sound', name, '--curve', '' }
    assert.same({ '', 0, '' }, { program.run(words) })
    os.remove(name)
    local _, status, errors = program.run(words)
    assert.equal(2, status)
    assert.matches('^speech: %-%-sound: data.wav.load: cannot open ', errors)
  end)
end)
