-- Drawing and text, pixel by pixel.
local torch = require 'torch'
local image = require 'image'

-- A picture of one channel as lines of dots and hashes.
local function shown(x)
  local lines = {}
  for row = 1, x:size(1) do
    local line = {}
    for column = 1, x:size(2) do line[column] = x[row][column] > 0 and '#' or '.' end
    lines[row] = table.concat(line)
  end
  return table.concat(lines, '\n')
end

local function drawing(text) return (text:gsub('^%s+', ''):gsub('%s+$', ''):gsub('\n%s+', '\n')) end

local function blank(height, width) return torch.zeros(3, height, width) end

describe('image.drawRect', function()
  it('draws an outline of the corners that are given', function()
    assert.equal(drawing [[
      .......
      .####..
      .#..#..
      .####..
      .......]], shown(image.drawRect(blank(5, 7), 2, 2, 5, 4)[1]))
  end)

  it('draws wider lines to both sides, filled ones, and no further than the picture', function()
    assert.equal(drawing [[
      #######
      #######
      ##...##
      ##...##
      #######]], shown(image.drawRect(blank(5, 7), 1, 1, 6, 5, { lineWidth = 2 })[1]))
    assert.equal(drawing [[
      ..###
      ..###
      .....]], shown(image.drawRect(blank(3, 5), 3, 0, 9, 2, { filled = true })[1]))
    assert.equal(0, image.drawRect(blank(3, 5), 30, 30, 40, 40):sum())
  end)

  it('takes colours from 0 to 255, whatever the type', function()
    local x = image.drawRect(blank(2, 2), 1, 1, 2, 2, { color = { 255, 51, 0 } })
    assert.same({ 1, 0.2, 0 }, { x[1][1][1], x[2][1][1], x[3][1][1] })
    local bytes = image.drawRect(blank(2, 2):byte(), 1, 1, 2, 2, { color = { 255, 51, 0 } })
    assert.same({ 255, 51, 0 }, { bytes[1][1][1], bytes[2][1][1], bytes[3][1][1] })
    local wide = image.drawRect(blank(2, 3):fill(200), 1, 1, 2, 2)
    assert.same({ 255, 0, 0, 200 }, { wide[1][1][1], wide[2][1][1], wide[3][1][1], wide[1][1][3] })
    local grey = image.drawRect(torch.zeros(2, 2):byte(), 1, 1, 2, 2, { color = { 100, 100, 100 } })
    assert.equal(100, grey[1][1])
    local alpha = image.drawRect(torch.zeros(4, 2, 2):byte(), 1, 1, 1, 1)
    assert.same({ 255, 0 }, { alpha[4][1][1], alpha[4][2][2] })
  end)

  it('draws on tracked pictures, whose gradients know it', function()
    require 'autograd'
    local x = torch.rand(3, 2, 3):requiresGrad()
    local y = image.drawRect(x * 1, 1, 1, 2, 2, { color = { 0, 0, 0 } })
    assert.is_true(y:detach()[{ {}, {}, { 1, 2 } }]:sum() == 0)
    y:sum():backward()
    assert.same({ 0, 0, 1 }, x.grad[1][1]:totable())
    assert.same({ 2, 3 }, image.toDisplayTensor(x[1]):size():totable())
  end)

  it('leaves the picture alone, unless it is to be drawn on', function()
    local x = blank(4, 4)
    image.drawRect(x, 1, 1, 2, 2)
    assert.equal(0, x:sum())
    assert.equal(x, image.drawRect(x, 1, 1, 2, 2, { inplace = true }))
    assert.equal(4, x:sum())
  end)
end)

it('image.drawLine draws from point to point', function()
  assert.equal(drawing [[
    ##.....
    ..###..
    .....##]], shown(image.drawLine(blank(3, 7), 1, 1, 7, 3)[1]))
  for _, ends in ipairs { { 1, 4, 7, 4 }, { 3, 1, 3, 4 }, { 7, 4, 1, 1 }, { 2, 3, 2, 3 } } do
    local x = image.drawLine(blank(4, 7), unpack(ends))
    assert.equal(math.max(math.abs(ends[1] - ends[3]), math.abs(ends[2] - ends[4])) + 1, x[1]:sum())
    assert.equal(1, x[1][ends[2]][ends[1]])
    assert.equal(1, x[1][ends[4]][ends[3]])
  end
  assert.equal(0, image.drawLine(blank(4, 7), -9, -9, -1, -1):sum())
end)

it('image.drawCircle draws a ring or a disc', function()
  local ring, disc = image.drawCircle(blank(41, 41), 21, 21, 15)[1], image.drawCircle(blank(41, 41), 21, 21, 15, { filled = true })[1]
  for row = 1, 41 do
    for column = 1, 41 do
      local distance = math.sqrt((row - 21) ^ 2 + (column - 21) ^ 2)
      assert.equal(distance <= 15.5 and 1 or 0, disc[row][column])
      if distance < 14.5 or distance > 15.5 then assert.equal(0, ring[row][column]) else assert.equal(1, ring[row][column]) end
    end
  end
  assert.equal(1, image.drawCircle(blank(5, 5), 3, 3, 0)[1]:sum())
end)

describe('image.drawText', function()
  it('writes letters of 5 x 7 dots', function()
    assert.equal(drawing [[
      ............
      .###.....#..
      #...#.......
      #...#...##..
      #...#....#..
      #####....#..
      #...#.#..#..
      #...#..##...
      ............]], shown(image.drawText(blank(9, 12), 'Aj', 1, 2)[1]))
  end)

  it('goes on in the next line after a line end, and where a line is full', function()
    local two = image.drawText(blank(20, 12), 'ab\nc')[1]
    local wrapped = image.drawText(blank(20, 12), 'abc')[1]
    assert.equal(shown(two), shown(wrapped))
    assert.equal(shown(image.drawText(blank(20, 12), 'ab')[1]), shown(image.drawText(blank(20, 12), 'abc', 1, 1, { wrap = false })[1]))
  end)

  it('writes larger, and on a ground', function()
    local small, large = image.drawText(blank(8, 6), 'R')[1], image.drawText(blank(24, 18), 'R', 1, 1, { size = 3 })[1]
    for row = 1, 24 do
      for column = 1, 18 do assert.equal(small[math.ceil(row / 3)][math.ceil(column / 3)], large[row][column]) end
    end
    local grounded = image.drawText(blank(8, 7), 'R', 1, 1, { bg = { 0, 255, 0 } })
    assert.equal(48 - small:sum(), grounded[2]:sum())
  end)

  it('has a picture of its own for each character', function()
    local seen = {}
    for code = 32, 126 do
      local dots = shown(image.drawText(blank(8, 6), string.char(code))[1])
      assert.is_nil(seen[dots])
      seen[dots] = true
    end
    assert.equal(shown(image.drawText(blank(8, 6), '?')[1]), shown(image.drawText(blank(8, 6), '\200')[1]))
  end)

  it('leaves out what is beyond the edges', function()
    assert.equal(0, image.drawText(blank(8, 6), 'text', 100, 100):sum())
    assert.is_true(image.drawText(blank(4, 3), 'text', -2, -2):sum() > 0)
  end)
end)
