-- GIF, BMP, TIFF and WebP: files that other programs wrote (spec/image/formats/figures.py), all of the same formulas, and files of ours.
local torch = require 'torch'
local image = require 'image'
local paths = require 'paths'

local folder = 'spec/image/formats/'
local height, width = 11, 13

-- A picture by a formula of x, y and the channel, all from 0.
local function picture(channels, h, w, f, class)
  local result = torch[class or 'DoubleTensor'](channels, h, w)
  for c = 1, channels do
    for y = 1, h do
      for x = 1, w do result[c][y][x] = f(x - 1, y - 1, c - 1) end
    end
  end
  return result
end

local function byteAt(x, y, c) return (x * 37 + y * 91 + c * 53) % 256 end
local function indexAt(x, y) return (x + 3 * y) % 7 end
local function coloured(index, c) return (index * 40 + c * 17) % 256 end

local rgb, rgba, grey = picture(3, height, width, byteAt), picture(4, height, width, byteAt), picture(1, height, width, byteAt)
local palette = picture(3, height, width, function(x, y, c) return coloured(indexAt(x, y), c) end)
local bits1 = picture(1, height, width, function(x, y) return indexAt(x, y) % 2 * 255 end)
local wide = torch.add(torch.mul(rgba, 256), 3)
local tall = picture(3, 40, 37, byteAt)
local smooth = picture(3, height, width, function(x, y, c) return c == 0 and x * 15 or c == 1 and y * 20 or (x + y) * 8 end)

local function lacks(name)
  local good, problem = pcall(image.load, folder .. name, nil, 'byte')
  if good or not problem:find 'was not found, which' then return false end
  pending(problem)
  return true
end

-- The numbers of a file are those expected, to some difference.
local function shows(name, expected, difference, options)
  if lacks(name) then return end
  local x = image.load(folder .. name, nil, 'double', options)
  local bits = image.open(folder .. name).bits
  assert.same(expected:size():totable(), x:size():totable(), name)
  local scale = bits == 8 and 255 or bits == 16 and 65535 or 1
  local most = torch.abs(torch.mul(x, scale) - expected):max()
  assert(most <= (difference or 1e-9 * scale), ('%s: %g'):format(name, most))
end

describe('a BMP file', function()
  it('has pixels of every number of bits', function()
    shows('rgb.bmp', rgb)
    shows('rgba.bmp', rgba:narrow(1, 1, 3))      -- Pillow's has no mask for alpha
    shows('grey.bmp', grey)
    shows('palette.bmp', palette)
    shows('bits1.bmp', bits1)
    shows('bits4.bmp', palette)
    shows('os2.bmp', palette)
    shows('top_down.bmp', palette)
    shows('rgb101010.bmp', rgb, 1.01)      -- of 1023
    shows('rgb555.bmp', rgb, 8)
    shows('rgb565.bmp', rgb, 8)
  end)

  it('has runs', function()
    shows('runs8.bmp', palette)
    shows('runs4.bmp', palette)
  end)
end)

describe('a GIF file', function()
  it('has a first frame', function()
    shows('palette.gif', palette)
    shows('interlaced.gif', palette)
    if lacks 'transparent.gif' then return end
    local x = image.load(folder .. 'transparent.gif', nil, 'byte')
    assert.equal(4, x:size(1))
    for i = 1, width do
      local isOpen = indexAt(i - 1, 0) == 3
      assert.equal(isOpen and 0 or 255, x[4][1][i])
      if not isOpen then assert.equal(palette[2][1][i], x[2][1][i]) end
    end
  end)

  it('has frames, all or one of them', function()
    if lacks 'frames.gif' then return end
    local all, delays = image.frames(folder .. 'frames.gif', 3, 'byte')
    assert.same({ 3, 3, height, width }, all:size():totable())
    assert.same({ 0.1, 0.05, 0.2 }, delays:totable())
    for k = 0, 2 do
      local expected = picture(3, height, width, function(x, y, c) return coloured(indexAt((x - k) % width, y), c) end, 'ByteTensor')
      assert.same(expected:totable(), all[k + 1]:totable())
      assert.same(expected:totable(), image.load(folder .. 'frames.gif', 3, 'byte', { frame = k + 1 }):totable())
    end
    assert.error_matches(function() image.load(folder .. 'frames.gif', 3, 'byte', { frame = 4 }) end,
      'frame 4, expected 1 to 3')
    local file = image.open(folder .. 'frames.gif')
    assert.equal(3, file:frames())
    file:decode(3, 'byte', { frame = 3 })
    assert.same(all[1]:totable(), file:decode(3, 'byte', { frame = 1 }):totable())      -- back
    file:close()
  end)

  it('composes frames by what becomes of the one before', function()
    if lacks 'disposal.gif' then return end
    local all, delays = image.frames(folder .. 'disposal.gif', 4, 'byte')
    assert.same({ 0.07, 0.07, 0.07, 0.07 }, delays:totable())
    local function rows(frame)      -- the colour of each pixel, by its red and alpha
      local list = {}
      for y = 1, 3 do
        list[y] = ''
        for x = 1, 4 do list[y] = list[y] .. (all[frame][4][y][x] == 0 and '.' or tostring(all[frame][1][y][x] / 40)) end
      end
      return table.concat(list, ' ')
    end
    assert.equal('1111 1111 1111', rows(1))
    assert.equal('1111 1221 1111', rows(2))
    assert.equal('3311 3311 1111', rows(3))
    assert.equal('..11 ..11 1114', rows(4))
  end)

  it('may lack its end', function()
    if lacks 'no_end.gif' then return end
    assert.equal(200, image.load(folder .. 'no_end.gif', 3, 'byte'):min(), 285 % 256)
  end)

  it('is not written', function()
    assert.error_matches(function() image.save('/tmp/x.gif', torch.ones(3, 2, 2)) end, 'GIF files are read, not written')
  end)
end)

describe('a WebP file', function()
  it('has pixels, with or without loss', function()
    shows('lossless.webp', rgb)
    shows('alpha.webp', rgba)
    shows('lossy.webp', smooth, 24)
  end)

  it('has frames', function()
    if lacks 'frames.webp' then return end
    local all, delays = image.frames(folder .. 'frames.webp', 3, 'byte')
    assert.same({ 0.1, 0.05, 0.2 }, delays:totable())
    for k = 0, 2 do
      local expected = picture(3, height, width, function(x, y, c) return byteAt((x - k) % width, y, c) end, 'ByteTensor')
      assert.same(expected:totable(), all[k + 1]:totable())
    end
  end)
end)

describe('a TIFF file', function()
  it('has strips and tiles, together or a channel each', function()
    shows('rgb.tif', rgb)
    shows('strips.tif', rgb)
    shows('planar.tif', rgb)
    shows('tiles.tif', tall)
    shows('tiles_planar.tif', tall)
    shows('big.tif', grey)
  end)

  it('has grey, palettes, alpha and 16 bits', function()
    shows('grey.tif', grey)
    shows('white.tif', torch.neg(grey):add(255))
    shows('five.tif', grey)
    shows('palette.tif', palette)
    shows('lzw.tif', palette)
    shows('packbits.tif', palette)
    shows('bits1.tif', bits1)
    shows('rgb16.tif', wide:narrow(1, 1, 3))
    shows('rgba16.tif', wide)
    shows('grey_alpha.tif', torch.cat(grey, torch.neg(grey):add(255), 1))
  end)

  it('has numbers of other kinds as they are', function()
    shows('float32.tif', torch.div(grey, 7):add(-3), 1e-5)
    shows('float64.tif', torch.div(grey, 7):add(-3))
    shows('int16.tif', torch.add(grey, -100))
    shows('uint32.tif', torch.mul(grey, 1000000))
    if lacks 'int16.tif' then return end
    assert.equal(-100, image.load(folder .. 'int16.tif', nil, 'int'):min())
    assert.equal(0, image.load(folder .. 'float32.tif', nil, 'byte'):min())
  end)

  it('has other colours as libtiff makes RGB of them', function()
    shows('jpeg.tif', smooth, 16)
    shows('cmyk.tif', smooth, 2)
    shows('lab.tif', smooth, 80)      -- of another white
  end)

  it('has pages of different sizes', function()
    if lacks 'pages.tif' then return end
    local all = image.frames(folder .. 'pages.tif', nil, 'byte')
    assert.same({ 1, height, width }, all[1]:size():totable())
    assert.same({ 3, 5, 7 }, all[2]:size():totable())
    assert.equal(rgb[3][5][7], image.load(folder .. 'pages.tif', nil, 'byte', { frame = 2 })[3][5][7])
    assert.same({ 3, 5, 7 }, image.load(folder .. 'pages.tif', nil, 'byte', { frame = 2 }):size():totable())
  end)

  it('is turned as it says', function()
    if lacks 'turned.tif' then return end
    local x = image.load(folder .. 'turned.tif', nil, 'byte', { exif = true })
    assert.same({ 1, width, height }, x:size():totable())
    assert.equal(grey[1][height][1], x[1][1][1])
  end)
end)

it('a file of Netpbm may have lines that end with CR', function()
  for _, ending in ipairs { '\n', '\r', '\r\n' } do
    assert.same({ { { 0, 17, 254 } } }, image.decompress((('P2 # grey|3 1|# more|255|0 17|254|'):gsub('|', ending)), nil, 'byte'):totable())
  end
end)

describe('a part, a size and a header', function()
  for _, name in ipairs { 'rgb.bmp', 'runs8.bmp', 'palette.gif', 'lossless.webp', 'rgb.tif', 'tiles.tif', 'planar.tif', 'lab.tif' } do
    it('are read of ' .. name, function()
      if lacks(name) then return end
      local whole = image.load(folder .. name, nil, 'byte')
      local part = image.load(folder .. name, nil, 'byte', { part = { 3, 4, 6, 5 } })
      assert.same(whole:narrow(2, 5, 5):narrow(3, 4, 6):totable(), part:totable())
      assert.same(whole:size():totable(), image.getSize(folder .. name):totable())
      assert.equal(1, image.load(folder .. name, 1):size(1))
    end)
  end
end)

describe('a picture that is written', function()
  local name = paths.tmpname()
  teardown(function() os.remove(name) end)
  local function comesBack(format, x, options)
    local good, bytes = pcall(image['compress' .. format], x, options)
    if not good and bytes:find 'was not found, which' then
      pending(bytes)
      return nil
    end
    assert(good, bytes)
    return image.decompress(bytes, nil, x:type())
  end
  local function same(format, x, options)
    local y = comesBack(format, x, options)
    if y then assert.same(x:totable(), y:totable()) end
  end

  it('comes back the same', function()
    for channels = 1, 4 do
      local x = rgba:narrow(1, 1, channels):byte()
      if channels ~= 2 then same('BMP', x) end
      same('TIFF', x)
      if channels > 2 then same('WEBP', x, { lossless = true }) end
    end
    same('TIFF', wide:int(), { bits = 16 })
    same('BMP', rgb:narrow(3, 1, 5):byte():contiguous())      -- rows that are filled up
    local lossy = comesBack('WEBP', smooth:byte(), 95)
    if lossy then assert.is_true(torch.abs(lossy:double() - smooth):max() <= 24) end
    local small = comesBack('WEBP', rgb:byte(), 10)
    if small then assert.is_true(image.compressWEBP(rgb:byte(), 10):nElement() < image.compressWEBP(rgb:byte(), 90):nElement()) end
  end)

  it('has the format of its ending', function()
    for ending, format in pairs { bmp = 'BMP', tif = 'TIFF', tiff = 'TIFF', webp = 'WEBP' } do
      local file = name .. '.' .. ending
      local good = pcall(image.save, file, torch.div(rgb, 255), { lossless = ending == 'webp' or nil })
      if good then
        assert.equal(format, image.open(file).format)
        assert.same(rgb:byte():totable(), image.load(file, 3, 'byte'):totable())
        assert.same(rgb:byte():totable(), image['load' .. format](file, 3, 'byte'):totable())
      end
      os.remove(file)
    end
  end)

  it('is refused where the format has no such', function()
    assert.error_matches(function() image.compressBMP(torch.rand(2, 3, 3)) end, '2 channels; a BMP file has 1, grey, 3, RGB, or 4')
    if lacks 'lossless.webp' then return end
    assert.error_matches(function() image.compressWEBP(torch.rand(2, 3, 3)) end, '2 channels; a WebP file has 3, RGB, or 4')
    assert.error_matches(function() image.compressWEBP(torch.rand(1, 16384)) end, 'at most 16383 a side')
  end)
end)

describe('a damaged file', function()
  it('gets a sentence', function()
    for _, base in ipairs(paths.dir(folder)) do
      if base:find '%.%l+$' and not base:find '%.py$' and not lacks(base) then
        local file = io.open(folder .. base, 'rb')
        local bytes = file:read '*a'
        file:close()
        for _, share in ipairs { 0.1, 0.4, 0.8 } do
          local part = bytes:sub(1, math.max(1, math.floor(#bytes * share)))
          local good, x = pcall(image.decompress, part, nil, 'byte')
          if good then
            assert.is_true(x:nElement() > 0)
          else
            assert(x:find('image.decompress: bytes: ', 1, true) and #x < 600, x)
          end
        end
      end
    end
  end)
end)
