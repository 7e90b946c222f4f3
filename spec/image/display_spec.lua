-- Grids of pictures, and pictures in terminals, whose protocols are read back here.
local torch = require 'torch'
local image = require 'image'
local program = require 'spec.support.program'
local terminal = require 'image.terminal'
local assertClose = require('spec.support.close').assertClose

describe('image.toDisplayTensor', function()
  it('maps values to 0..1', function()
    local x = torch.Tensor { { -1, 0 }, { 1, 3 } }
    assertClose(torch.Tensor { { 0, 0.25 }, { 0.5, 1 } }, image.toDisplayTensor(x))
    assertClose(torch.Tensor { { 0, 0.5 }, { 1, 1 } }, image.toDisplayTensor { input = x, min = -1, max = 1 })
    assertClose(torch.Tensor { { 0, 0.5 }, { 1, 2 } }, image.toDisplayTensor { input = x, min = -1, max = 1, saturate = false })
    assertClose(torch.Tensor { { 1 / 3, 0.5 }, { 2 / 3, 1 } }, image.toDisplayTensor { input = x, symmetric = true })
    assert.equal(-1, x[1][1])
  end)

  it('puts many on a grid', function()
    local x = torch.range(0, 4):view(5, 1, 1):expand(5, 2, 3)
    local y = image.toDisplayTensor { input = x, nrow = 3, padding = 2 }
    assert.same({ 2 * 4, 3 * 5 }, y:size():totable())
    for i = 0, 4 do
      local row, column = math.floor(i / 3) * 4, i % 3 * 5
      assertClose(torch.Tensor(2, 3):fill(i / 4), y[{ { row + 2, row + 3 }, { column + 2, column + 4 } }])
      assert.equal(1, y[row + 1][column + 1])
    end
    assertClose(torch.ones(2, 3), y[{ { 6, 7 }, { 12, 14 } }])      -- a cell of the grid without a picture
    local list = {}
    for i = 1, 5 do list[i] = x[i] end
    assertClose(y, image.toDisplayTensor { input = list, nrow = 3, padding = 2 })
    assert.same({ 3, 8, 15 },
      image.toDisplayTensor { input = torch.rand(5, 3, 2, 3), nrow = 3, padding = 2 }:size():totable())
    assert.same({ 2, 6 }, image.toDisplayTensor(torch.rand(2, 1, 2, 3)):size():totable())
    assert.same({ 3, 2, 4 }, image.toDisplayTensor(torch.rand(3, 2, 4)):size():totable())
    local grey = torch.rand(2, 4)
    assert.same({ 2, 12 }, image.toDisplayTensor { grey, grey, grey }:size():totable())      -- a list has no channels
  end)

  it('scales each by itself, on request', function()
    local x = torch.Tensor { { { 0, 1 } }, { { 10, 20 } } }
    assertClose(torch.Tensor { { 0, 1, 0, 1 } }, image.toDisplayTensor { input = x, scaleeach = true })
    assertClose(torch.Tensor { { 0, 0.05, 0.5, 1 } }, image.toDisplayTensor { input = x })
  end)
end)

local function unbase64(text)
  local digits, bytes = {}, {}
  for i, digit in ('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'):gmatch '()(.)' do digits[digit] = i - 1 end
  local value, bits = 0, 0
  for digit in text:gmatch '[^=]' do
    value, bits = value * 64 + digits[digit], bits + 6
    if bits >= 8 then
      bits = bits - 8
      bytes[#bytes + 1] = string.char(math.floor(value / 2 ^ bits))
      value = value % 2 ^ bits
    end
  end
  return table.concat(bytes)
end

-- The picture that sixels show, as levels of 0 to 100.
local function readSixels(text)
  local width, height, body = text:match '^\27Pq"1;1;(%d+);(%d+)(.*)\27\\\n$'
  local picture, palette = torch.zeros(3, tonumber(height), tonumber(width)), {}
  local x, top, colour, count, at = 1, 1, nil, 1, 1
  while at <= #body do
    local number, stop = body:match('^#(%d+)()', at)
    local red, green, blue, after = body:match('^#%d+;2;(%d+);(%d+);(%d+)()', at)
    if red then
      palette[number], at = { tonumber(red), tonumber(green), tonumber(blue) }, after
    elseif number then
      colour, at = palette[number], stop
    elseif body:match('^!%d+', at) then
      count, at = body:match('^!(%d+)()', at)
      count = tonumber(count)
    else
      local c = body:sub(at, at)
      at = at + 1
      if c == '$' then
        x = 1
      elseif c == '-' then
        x, top = 1, top + 6
      else
        for _ = 1, count do
          for row = 0, 5 do
            if math.floor((c:byte() - 63) / 2 ^ row) % 2 == 1 then
              for channel = 1, 3 do picture[channel][top + row][x] = colour[channel] end
            end
          end
          x = x + 1
        end
        count = 1
      end
    end
  end
  return picture
end

describe('a terminal', function()
  local x = torch.floor(torch.rand(3, 17, 23) * 5 + 0.5) / 5      -- of the 6 levels that sixels have

  it('gets the picture as sixels', function()
    assertClose(torch.floor(x * 100 + 0.5), readSixels(terminal.sixel(x)))
    local line = torch.zeros(3, 1, 300)
    line[1]:fill(1)
    assertClose(line * 100, readSixels(terminal.sixel(line)))
    assertClose(torch.floor(x[1] * 100 + 0.5), readSixels(terminal.sixel(x[1]))[3])
  end)

  it("gets it by kitty's protocol, in pieces", function()
    local big = torch.rand(3, 60, 70)
    local pieces = {}
    for keys, text in terminal.kitty(big):gmatch '\27_G([^;]*);([^\27]*)\27\\' do
      assert.is_true(#text <= 4096)
      pieces[#pieces + 1] = text
      assert.matches(#pieces == 1 and '^a=T,f=100,m=1$' or '^m=[01]$', keys)
    end
    assert.is_true(#pieces > 1)
    assertClose(image.decompress(image.compressPNG(big)), image.decompress(unbase64(table.concat(pieces))))
  end)

  it("gets it by iTerm2's protocol", function()
    local size, text = terminal.iterm(x):match '^\27%]1337;File=inline=1;size=(%d+):(.*)\7\n$'
    assert.equal(tonumber(size), #unbase64(text))
    assertClose(image.decompress(image.compressPNG(x)), image.decompress(unbase64(text)))
  end)

  it('has base64 of the standard', function()      -- RFC 4648, section 10
    for plain, coded in pairs {
      [''] = '', f = 'Zg==', fo = 'Zm8=', foo = 'Zm9v', foob = 'Zm9vYg==', fooba = 'Zm9vYmE=', foobar = 'Zm9vYmFy',
    } do
      assert.equal(coded, terminal.base64(plain))
    end
  end)
end)

describe('image.display', function()
  local code = [[
    require 'image'
    local shown = image.display { image = torch.eye(4), zoom = 2, legend = 'eye' }
    io.write(tostring(shown.file))
  ]]

  it('writes a file where no terminal shows it', function()
    local output = program.evaluate(code)
    local name = output:match '^eye\nimage.display: (%S+%.png)\n%1$'
    assertClose(image.scale(torch.eye(4), 8, 8, 'simple'), image.load(name)[1])
    os.remove(name)
  end)

  it('shows it in the terminal where that can', function()
    for protocol, start in pairs { kitty = 'eye\n\27_Ga=T', sixel = 'eye\n\27Pq', iterm = 'eye\n\27]1337' } do
      local output, status, errors = program.run({ '-e', code }, '', 'MOONTORCH_DISPLAY=' .. protocol)
      assert.equal('', errors)
      assert.equal(0, status)
      assert.equal(start, output:sub(1, #start))
      assert.equal('nil', output:sub(-3))
    end
  end)

  it('writes to the file that is named, or that it wrote before', function()
    local name = os.tmpname() .. '.png'
    local write = io.write
    rawset(io, 'write', function() end)
    local shown = image.display { image = torch.eye(4), file = name }
    local again = image.display { image = torch.zeros(4, 4), win = shown, min = 0, max = 1 }
    rawset(io, 'write', write)
    assert.equal(shown, again)
    assert.equal(name, again.file)
    assert.equal(0, image.load(name):sum())
    os.remove(name)
    assert.is_nil(image.display { image = torch.eye(3), offscreen = true }.file)
  end)

  it('says that there are no windows', function()
    assert.error_matches(image.window, 'image.window: there are no windows here: image.display writes a file')
  end)
end)

describe('test pictures', function()
  it('have the sizes of those that Torch7 brought', function()
    local lena, fabio = image.lena(), image.fabio()
    assert.same({ 3, 512, 512 }, lena:size():totable())
    assert.same({ 257, 271 }, fabio:size():totable())
    for _, x in ipairs { lena, fabio } do
      assert.equal(torch.getdefaulttensortype(), x:type())
      assert.is_true(x:min() >= 0 and x:max() <= 1 and x:std() > 0.1)
    end
    assertClose(lena, image.lena())
  end)
end)
