-- examples/ocr.lua: the networks compute what ONNX Runtime does, and the lines are those of rapidocr. MT_OCR is the folder of
-- examples/ocr/fetch; the steps around the networks are tested without it.
package.path = 'examples/?.lua;' .. package.path
local torch, image, onnx = require 'torch', require 'image', require 'onnx'
local detector, pictures, reader = require 'ocr.detector', require 'ocr.pictures', require 'ocr.reader'
local files, program = require 'spec.support.files', require 'spec.support.program'

local models, picture = os.getenv 'MT_OCR', 'spec/examples/ocr.png'

describe('examples/ocr', function()
  it('finds a turned rectangle in a map, and grows it', function()
    -- A bar of 60 x 10 around (50, 40), turned by 30 degrees: the map is twice as large as the picture.
    local map, cos, sin = torch.FloatTensor(96, 128):zero(), math.cos(math.pi / 6), math.sin(math.pi / 6)
    for y = 0, 95 do
      for x = 0, 127 do
        local u, v = (x - 50) * cos + (y - 40) * sin, -(x - 50) * sin + (y - 40) * cos
        if math.abs(u) <= 30 and math.abs(v) <= 5 then map[y + 1][x + 1] = 0.9 end
      end
    end
    map[90][100] = 1      -- too small
    local lines = detector.linesOf(map, 48, 64)
    assert.equal(1, #lines)
    assert.is_true(lines[1].score > 0.7 and lines[1].score <= 0.9, lines[1].score)
    -- 1.6 times the area for a unit of the perimeter: 60 x 10 grows by 6.9 on each side.
    for i, signs in ipairs { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
      local u, v = signs[1] * 36.9, signs[2] * 11.9
      local x, y = (50 + u * cos - v * sin) / 2, (40 + u * sin + v * cos) / 2
      local corner = lines[1].corners[i]
      assert.is_true(math.abs(corner[1] - math.max(0, x)) < 2 and math.abs(corner[2] - math.max(0, y)) < 2,
        ('%d: %g, %g, expected %g, %g'):format(i, corner[1], corner[2], x, y))
    end
  end)

  it('puts lines side by side from the left to the right', function()
    local function at(x, y) return { corners = { { x, y } }, name = x .. ' ' .. y } end
    local names = {}
    for i, line in ipairs(detector.inReadingOrder { at(5, 60), at(90, 12), at(10, 15), at(50, 9), at(0, 40) }) do names[i] = line.name end
    assert.same({ '10 15', '50 9', '90 12', '0 40', '5 60' }, names)
  end)

  it('cuts out what a turned or an upright frame shows', function()
    local x = torch.range(0, 99):view(1, 100):expand(80, 100):clone()
    local y = torch.range(0, 79):view(80, 1):expand(80, 100):clone()
    local source = torch.stack({ x, y, torch.add(x, y) }, 1):byte()
    local level = pictures.cut(source, { { 10, 20 }, { 50, 20 }, { 50, 30 }, { 10, 30 } })
    assert.same({ 3, 10, 40 }, level:size():totable())
    assert.same({ 12, 25, 37 }, { level[1][6][3], level[2][6][3], level[3][6][3] })
    local upright = pictures.cut(source, { { 10, 20 }, { 20, 20 }, { 20, 60 }, { 10, 60 } })      -- turned counter-clockwise
    assert.same({ 3, 10, 40 }, upright:size():totable())
    assert.same({ 19, 20 }, { upright[1][1][1], upright[2][1][1] })
    local turned = pictures.cut(source, { { 30, 20 }, { 60, 50 }, { 53, 57 }, { 23, 27 } })
    local column, row = 21, 5
    assert.is_true(math.abs(turned[1][row + 1][column + 1] - (30 + 30 * column / 42 - 7 * row / 9)) <= 1)
    assert.is_true(math.abs(turned[2][row + 1][column + 1] - (20 + 30 * column / 42 + 7 * row / 9)) <= 1)
  end)

  it('reads the best classes, without repetitions and blanks', function()
    local probabilities = torch.FloatTensor(7, 4):fill(0.1)
    for i, class in ipairs { 2, 2, 1, 2, 4, 3, 3 } do probabilities[i][class] = 0.5 + i / 20 end
    local text, score = reader.decode(probabilities, { '', 'ä', 'b', ' ' })
    assert.equal('ää b', text)
    assert.is_true(math.abs(score - (0.55 + 0.7 + 0.75 + 0.8) / 4) < 1e-6)
    assert.same({ '', 0 }, { reader.decode(torch.FloatTensor { { 0.9, 0.1 } }, { '', 'a' }) })
  end)

  it('says what is wrong with a call', function()
    local function says(expected, ...)
      local output, status, errors = program.run { 'examples/ocr.lua', ... }
      assert.same({ '', 2 }, { output, status })
      assert.matches(expected, errors)
    end
    says '^ocr: no picture\n\nusage: '
    says('^ocr: %-%-what: not expected', '--what')
    says('^ocr: .*/no/such.png', '--models', 'x', '/no/such.png')
  end)

  if not models then
    pending 'MT_OCR is not set: the networks of examples/ocr/fetch'
    return
  end
  local figures = require 'spec.examples.ocr_figures'

  local function close(expected, actual, tolerance)
    assert.equal(#expected, actual:nElement())
    local difference = (torch.Tensor(expected) - actual:double():view(-1)):abs():max()
    assert.is_true(difference < tolerance, difference)
  end

  it('computes what ONNX Runtime computes', function()
    local source = image.load(picture, 3, 'byte')
    local function output(name, figure)
      local x, y, width, height = unpack(figure.part)
      local part = image.crop(source, x, y, x + width, y + height)
      local model = onnx.load(('%s/%s'):format(models, require 'ocr.pipeline'.files[name]))
      return model:run(pictures.normalised(part, height, width):view(1, 3, height, width))
    end
    local function every(x, n) return x:view(-1):index(1, torch.range(1, x:nElement(), n):long()) end
    close(figures.detection.values, every(output('detection', figures.detection), 53), 1e-4)
    close(figures.angle.values, output('angle', figures.angle), 1e-4)
    local letters = output('reading', figures.reading)[1]
    local best, class = letters:max(2)
    assert.same(figures.reading.classes, class:view(-1):totable())
    close(figures.reading.best, best, 1e-4)
    close(figures.reading.values, every(letters, 4999), 1e-4)
  end)

  it('reads the lines that rapidocr reads, where it finds them', function()
    local frames = os.tmpname()
    os.rename(frames, frames .. '.png')
    local output, status, errors = program.run { 'examples/ocr.lua', '--models', models, '--boxes', frames .. '.png', picture }
    assert.same({ 0, '' }, { status, errors })
    local expected = {}
    for i, line in ipairs(figures.lines) do expected[i] = line.text end
    assert.equal(table.concat(expected, '\n') .. '\n', output)
    assert.matches('^\137PNG', files.read(frames .. '.png'))
    os.remove(frames .. '.png')
    local lines = detector.find(onnx.load(('%s/%s'):format(models, require 'ocr.pipeline'.files.detection)), image.load(picture, 3, 'byte'))
    for i, line in ipairs(figures.lines) do
      for k, corner in ipairs(line.corners) do
        local ours = lines[i].corners[k]
        assert.is_true(math.abs(ours[1] - corner[1]) <= 4 and math.abs(ours[2] - corner[2]) <= 4, line.text)
      end
    end
  end)
end)
