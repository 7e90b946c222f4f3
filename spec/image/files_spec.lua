-- Picture files: Pillow's samples of files that it and others wrote (figures.py), Torch7's rules for types and channels, and sentences.
local torch = require 'torch'
local image = require 'image'
local files = require 'spec.support.files'
local figures = require 'spec.image.figures'
local assertClose = require('spec.support.close').assertClose

local function bytesOf(digits)
  return (digits:gsub('%s+', ''):gsub('%x%x', function(pair) return string.char(tonumber(pair, 16)) end))
end

local function scratch(ending)
  local name = os.tmpname()
  os.remove(name)
  return name .. '.' .. ending
end

local most = { [1] = 1, [8] = 255, [16] = 65535 }

describe('image.decompress', function()
  for _, figure in ipairs(figures.files) do
    local bytes = bytesOf(figure.file)
    local samples = torch.DoubleTensor(figure.samples):view(unpack(figure.size))
    it('reads a ' .. figure.name .. ' as Pillow does', function()
      assertClose(samples / most[figure.bits], image.decompress(bytes, nil, 'double'))
      assertClose((samples / most[figure.bits]):float(), image.decompress(bytes, nil, 'float'))
      local asBytes = figure.bits == 16 and samples / 256 or samples * (255 / most[figure.bits])
      assertClose(torch.floor(asBytes), image.decompress(bytes, nil, 'byte'))
      assertClose(samples, image.decompress(bytes, nil, 'int'))
    end)

    it('says the size of a ' .. figure.name .. ' without decoding', function()
      local name = scratch 'anything'
      files.write(name, bytes)
      assert.same(figure.size, image.getSize(name):totable())
      os.remove(name)
    end)
  end

  it('returns the requested number of channels', function()
    for _, figure in ipairs(figures.files) do
      local bytes, own = bytesOf(figure.file), figure.size[1]
      local x = image.decompress(bytes, nil, 'double')
      local grey = own >= 3 and x[1] * 0.299 + x[2] * 0.587 + x[3] * 0.114 or x[1]
      local function decoded(depth) return image.decompress(bytes, depth, 'double') end
      local one, three, four = decoded(1), decoded(3), decoded(4)
      assert.is_true((one[1] - grey):abs():max() < 1e-15)
      for c = 1, 3 do
        assertClose(own >= 3 and x[c] or x[1], three[c])
        assertClose(three[c], four[c])
      end
      assertClose(own % 2 == 0 and x[own] or torch.ones(x:size(2), x:size(3)), four[4])
    end
  end)

  it('returns the default type, or the requested one', function()
    local bytes = bytesOf(figures.files[1].file)
    assert.equal(torch.getdefaulttensortype(), image.decompress(bytes):type())
    for kind, name in pairs {
      half = 'torch.HalfTensor', bfloat16 = 'torch.BFloat16Tensor', long = 'torch.LongTensor', float = 'torch.FloatTensor',
      ['torch.ByteTensor'] = 'torch.ByteTensor',
    } do
      assert.equal(name, image.decompress(bytes, nil, kind):type())
    end
  end)

  it('turns a picture as the camera was held, on request', function()
    local upright = image.decompress(bytesOf(figures.exif[1]), nil, 'byte')[1]
    local function rows(x) return x:index(1, torch.range(x:size(1), 1, -1):long()) end
    local function columns(x) return x:index(2, torch.range(x:size(2), 1, -1):long()) end
    -- The transformation that a viewer applies, by the tag's definition.
    local seen = {
      upright, columns(upright), columns(rows(upright)), rows(upright), upright:t(), columns(upright:t()), columns(rows(upright:t())),
      rows(upright:t()),
    }
    for orientation, hex in ipairs(figures.exif) do
      assertClose(upright, image.decompress(bytesOf(hex), nil, 'byte')[1])
      assertClose(seen[orientation], image.decompress(bytesOf(hex), nil, 'byte', { exif = true })[1])
    end
  end)
end)

describe('image.save', function()
  local x = torch.ByteTensor(3, 7, 9):copy(torch.range(0, 188):mul(1.35):view(3, 7, 9))

  for _, ending in ipairs { 'png', 'ppm', 'PNG' } do
    it('writes what image.load reads: ' .. ending, function()
      local name = scratch(ending)
      image.save(name, x)
      assertClose(x, image.load(name, nil, 'byte'))
      assertClose(x:double() / 255, image.load(name, nil, 'double'))
      for _, kind in ipairs { 'float', 'double', 'half' } do
        image.save(name, (x:double() / 255):type('torch.' .. kind:gsub('^%l', string.upper) .. 'Tensor'))
        assertClose(x, image.load(name, nil, 'byte'))
      end
      for _, kind in ipairs { 'Int', 'Long', 'Short' } do
        image.save(name, x:type(('torch.%sTensor'):format(kind)))
        assertClose(x, image.load(name, nil, 'byte'))
      end
      image.save(name, x:transpose(2, 3))
      assertClose(x:transpose(2, 3), image.load(name, nil, 'byte'))
      os.remove(name)
    end)
  end

  it('clamps floats to 0..1 and rounds', function()
    local odd = torch.DoubleTensor { { -1, 0, 0.5 / 255 - 1e-9, 0.5 / 255 + 1e-9, 1, 7, 0 / 0 } }
    assertClose(torch.Tensor { { { 0, 0, 0, 1, 255, 255, 0 } } }, image.decompress(image.compressPNG(odd), nil, 'byte'))
    local beyond = torch.LongTensor { { -5, 300, 2 ^ 40 } }
    assertClose(torch.Tensor { { { 0, 255, 255 } } }, image.decompress(image.compressPPM(beyond), nil, 'byte'))
  end)

  it('of 16 bits are bytes without the low one', function()
    local samples = torch.IntTensor { { { 0, 255, 256, 32767, 32768, 65279, 65280, 65535 } } }
    local high = torch.ByteTensor { { { 0, 0, 1, 127, 128, 254, 255, 255 } } }
    for _, compress in ipairs { image.compressPNG, image.compressPPM } do
      assertClose(high, image.decompress(compress(samples, { bits = 16 }), nil, 'byte'))
      assertClose(samples, image.decompress(compress(samples, { bits = 16 }), nil, 'int'))
    end
  end)

  it('writes 16 bits', function()
    local fine = torch.range(0, 3 * 40 * 30 - 1):mul(18.2):floor():view(3, 40, 30)
    for _, compress in ipairs { image.compressPNG, image.compressPPM } do
      assertClose(fine, image.decompress(compress(fine / 65535, { bits = 16 }), nil, 'int'))
      assertClose(fine, image.decompress(compress(fine:int(), { bits = 16 }), nil, 'int'))
      assertClose(x, image.decompress(compress(x, { bits = 16 }), nil, 'byte'))
    end
  end)

  it('writes 1 to 4 channels, interlaced, at any level', function()
    for channels = 1, 4 do
      local y = torch.ByteTensor(channels, 5, 6):copy(torch.range(1, channels * 30):view(channels, 5, 6))
      assertClose(y, image.decompress(image.compressPNG(y), nil, 'byte'))
      assertClose(y, image.decompress(image.compressPNG(y, { interlaced = true, level = 9 }), nil, 'byte'))
    end
    assert.is_true(image.compressPNG(x, { level = 0 }):nElement() > image.compressPNG(torch.ByteTensor(3, 7, 9):zero()):nElement())
    assertClose(x[1]:view(1, 7, 9), image.decompress(image.compressPNG(x[1]), nil, 'byte'))
  end)

  it('writes palettes of as few bits as there are colours', function()
    for count, bits in pairs { [1] = 1, [2] = 1, [3] = 2, [4] = 2, [5] = 4, [16] = 4, [17] = 8, [256] = 8 } do
      local numbers = torch.range(0, 30 * 20 - 1):fmod(count):view(30, 20)
      for channels = 1, 4 do
        local y = torch.ByteTensor(channels, 30, 20)
        for c = 1, channels do y[c]:copy(torch.mul(numbers, c == 2 and -1 or 1):add(255)) end
        local bytes = image.compressPNG(y, { palette = true })
        assert.same({ bits, 3 }, { bytes[25], bytes[26] })      -- of the header: bits, and the type of palettes
        local places = ({ { 1 }, { 1, 4 }, { 1, 2, 3 }, { 1, 2, 3, 4 } })[channels]
        assertClose(y, image.decompress(bytes, 4, 'byte'):index(1, torch.LongTensor(places)))
        local interlaced = image.compressPNG(y, { palette = true, interlaced = true })
        assertClose(y, image.decompress(interlaced, 4, 'byte'):index(1, torch.LongTensor(places)))
      end
    end
    assert.error_matches(function() image.compressPNG(x, { palette = true, bits = 16 }) end, '16 bits with a palette, which has 8')
    assert.error_matches(function() image.compressPNG(torch.rand(3, 40, 40), { palette = true }) end,
      'image.compressPNG: picture: it has more than the 256 colours of a palette')
  end)

  it('writes JPEG near enough, the nearer the better its quality', function()
    local smooth = torch.DoubleTensor(3, 40, 50)
    for c = 1, 3 do
      smooth[c]:copy(torch.ger(torch.range(1, 40):mul(0.1):sin(), torch.range(1, 50):mul(0.07 * c):cos()):mul(0.4):add(0.5))
    end
    local function distance(options)
      local bytes = image.compressJPG(smooth, options)
      return (image.decompressJPG(bytes, nil, 'double') - smooth):abs():max(), bytes:nElement()
    end
    local rough, small = distance(10)
    local usual, middle = distance()
    local fine, large = distance { quality = 100, subsampling = 444 }
    assert.is_true(fine < 0.02 and fine < usual and usual < rough)
    assert.is_true(small < middle and middle < large)
    assert.equal(usual, (distance(75)))
    assert.equal(usual, (distance { progressive = true }))
    local name = scratch 'jpg'
    image.save(name, smooth, 75)
    assertClose(image.decompressJPG(image.compressJPG(smooth), nil, 'double'), image.load(name, nil, 'double'))
    os.remove(name)
  end)
end)

describe('a part of a picture', function()
  local x = torch.rand(3, 150, 170)
  local jpeg = image.compressJPG(x)

  it('is what all of it has there', function()
    for _, bytes in ipairs { jpeg, image.compressJPG(x, { subsampling = 444 }), image.compressJPG(x, { progressive = true }),
                             image.compressPNG(x), image.compressPNG(x, { interlaced = true }), image.compressPPM(x),
                             image.compressPNG(x, { bits = 16 }) } do
      local whole = image.decompress(bytes, nil, 'float')
      for _, part in ipairs {
        { 0, 0, 170, 150 }, { 1, 2, 3, 4 }, { 31, 17, 77, 33 }, { 160, 140, 10, 10 }, { 0, 100, 50, 50 }, { 16, 0, 16, 150 },
        { 169, 149, 1, 1 },
      } do
        local a, b, width, height = unpack(part)
        assertClose(whole[{ {}, { b + 1, b + height }, { a + 1, a + width } }], image.decompress(bytes, nil, 'float', { part = part }))
      end
    end
  end)

  it('is refused where it lies outside', function()
    assert.error_matches(function() image.decompress(jpeg, nil, nil, { part = { 100, 0, 80, 10 } }) end,
      'image.decompress: part: 10 x 80 pixels from %(100, 0%), expected a part of 150 x 170 pixels')
  end)

  it('comes smaller from JPEG, not smaller than is asked for', function()
    for least, size in pairs {
      [151] = { 150, 170 }, [75] = { 75, 85 }, [76] = { 150, 170 }, [37] = { 38, 43 }, [18] = { 19, 22 }, [1] = { 19, 22 },
    } do
      local y = image.decompress(jpeg, nil, 'float', { atLeast = least })
      assert.same({ 3, unpack(size) }, y:size():totable())
    end
    assert.same({ 3, 75, 85 }, image.decompress(jpeg, nil, 'float', { atLeast = { 20, 60 } }):size():totable())
    local part = image.decompress(jpeg, nil, 'float', { atLeast = 30, part = { 10, 20, 64, 62 } })
    assert.same({ 3, 31, 32 }, part:size():totable())
    assert.same({ 3, 150, 170 }, image.decompress(image.compressPNG(x), nil, nil, { atLeast = 10 }):size():totable())
  end)
end)

describe('what is no good picture gets a sentence:', function()
  local x = torch.rand(3, 60, 80)
  local sound = { PNG = image.compressPNG(x), JPG = image.compressJPG(x), progressive = image.compressJPG(x, { progressive = true }),
                  PPM = image.compressPPM(x) }

  for name, bytes in pairs(sound) do
    it('a file that ends early, ' .. name, function()
      for _, length in ipairs { 9, 40, 100, math.floor(bytes:nElement() / 2), bytes:nElement() - 40 } do
        local good, message = pcall(image.decompress, bytes:narrow(1, 1, length))
        assert.is_false(good)
        assert.matches('image.decompress: bytes: ', message)
      end
    end)
  end

  it('sizes that do not fit into the file', function()
    local function claim(bytes, at, width, height, wide)
      local copy = bytes:clone()
      for i = 0, wide - 1 do
        copy[at + wide - i], copy[at + 2 * wide - i] = math.floor(width / 256 ^ i) % 256, math.floor(height / 256 ^ i) % 256
      end
      return copy
    end
    local function refuses(bytes, words)
      local good, message = pcall(image.decompress, bytes)
      assert.is_false(good)
      assert.matches(words, message)
    end
    local function crc(bytes, from, length)
      local value = 0xFFFFFFFF
      for i = from, from + length - 1 do
        value = bit.bxor(value, bytes[i])
        for _ = 1, 8 do value = bit.bxor(bit.rshift(value, 1), bit.band(value, 1) == 1 and 0xEDB88320 or 0) end
      end
      value = bit.bxor(value, -1)
      for i = 0, 3 do bytes[from + length + i] = bit.band(bit.rshift(value, 24 - 8 * i), 255) end
      return bytes
    end
    refuses(crc(claim(sound.PNG, 16, 16000, 16000, 4), 13, 17), '16000 x 16000 pixels do not fit into its %d+ bytes')
    refuses(crc(claim(sound.PNG, 16, 2 ^ 31 - 1, 2 ^ 31 - 1, 4), 13, 17), 'do not fit into its')
    local place
    for i = 1, sound.JPG:nElement() do
      if sound.JPG[i] == 0xFF and sound.JPG[i + 1] == 0xC0 then place = place or i end
    end
    refuses(claim(sound.JPG, place + 4, 16000, 16000, 2), '16000 x 16000 pixels do not fit into its')
    refuses('P6 16000 16000 255\n' .. ('x'):rep(1000), '16000 x 16000 pixels do not fit into its 1019 bytes')
    refuses('P3 16000 16000 255\n' .. ('1 '):rep(1000), 'do not fit')
    refuses('P1 99999999999999999999 1\n1', 'its width is more than 2147483647')
    refuses('P5 2147483647 2147483647 255\n1', 'do not fit')
  end)

  it('scans without end', function()
    local bytes = sound.progressive:storage():string()
    local last = bytes:match '.*()\255\218'
    local before, scan = bytes:sub(1, last - 1), bytes:sub(last, -3)
    assert.equal(3, image.decompress(before .. scan:rep(50) .. '\255\217'):size(1))
    assert.error_matches(function() image.decompress(before .. scan:rep(200) .. '\255\217') end,
      'image.decompress: bytes: it has too many scans')
  end)

  it('more pixels or bytes than are allowed', function()
    local before, bytesBefore = image.maxPixels, image.maxBytes
    finally(function() image.maxPixels, image.maxBytes = before, bytesBefore end)
    image.maxPixels = 60 * 80
    assert.equal(3, image.decompress(sound.PNG):size(1))
    image.maxPixels = 60 * 80 - 1
    assert.error_matches(function() image.decompress(sound.PNG) end, '60 x 80 pixels are more than image.maxPixels, 4799')
    local name = scratch 'png'
    finally(function()
      os.remove(name)
      image.maxPixels, image.maxBytes = before, bytesBefore
    end)
    files.write(name, ('x'):rep(10))
    image.maxPixels, image.maxBytes = before, 9
    assert.error_matches(function() image.load(name) end, 'it has 10 bytes, more than the 9 that are allowed')
  end)

  local known = ', expected bmp, gif, jpeg, jpg, pbm, pgm, png, pnm, ppm, tif, tiff, webp'
  for call, expected in pairs {
    ['image.load()'] = 'image.load: missing file name',
    ["image.load 'no/such.png'"] = 'image.load: no/such.png: No such file or directory',
    ["image.load '/'"] = 'image.load: /: Is a directory',
    ["image.load '/dev/zero'"] = 'image.load: /dev/zero: unable to determine image type for file: /dev/zero',
    ["image.load 'rocks/list.lua'"] = 'image.load: rocks/list.lua: unknown image type: lua' .. known,
    ["image.loadPNG 'README.md'"] = 'image.loadPNG: README.md: Not a PNG file',
    ["image.loadJPG 'README.md'"] = 'image.loadJPG: README.md: Not a JPEG file: starts with 0x23 0x20',
    ["image.loadPPM 'README.md'"] = 'image.loadPPM: README.md: it does not begin with P1 to P6',
    ["image.save('a', torch.ones(2, 2))"] = 'image.save: a: unable to determine image type for file: a',
    ["image.save('a.xcf', torch.ones(2, 2))"] = 'image.save: a.xcf: unknown image type: xcf' .. known,
    ["image.save('no/such.png', torch.ones(2, 2))"] = 'image.savePNG: no/such.png: No such file or directory',
    ["image.save('a.jpg', torch.ones(4, 2, 2))"] = 'image.saveJPG: picture: 4 channels; a JPEG file has 1, grey, or 3, RGB',
    ["image.save('a.ppm', torch.ones(2, 2))"] = 'image.savePPM: picture: torch.DoubleTensor [2, 2], expected 3 x height x width',
    ["image.save('a.png', torch.ones(5, 2, 2))"] =
      'image.savePNG: picture: torch.DoubleTensor [5, 2, 2], expected channels (1 to 4) x height x width or height x width',
    ["image.save('a.png', torch.ones(2, 2):type 'torch.ComplexFloatTensor')"] =
      'image.savePNG: picture: torch.ComplexFloatTensor, expected real numbers',
    ["image.saveFrames('a.tif', torch.ones(1, 2, 2):type 'torch.ComplexDoubleTensor', { bits = 64 })"] =
      'image.saveFrames: picture: torch.ComplexDoubleTensor, expected real numbers',
    ["image.save('a.png')"] = 'image.savePNG: picture: nil, expected a tensor',
    ["image.compressJPG(torch.ones(2, 2), 101)"] = 'image.compressJPG: quality: 101, expected a number from 0 to 100',
    ["image.compressPNG(torch.ones(2, 2), { bits = 7 })"] = 'image.compressPNG: bits: 7, expected 8 or 16',
    ["image.compressPNG(torch.ones(2, 2), { size = 7 })"] =
      'image.compressPNG: options: size, expected one of quality, subsampling, progressive, bits, level, interlaced, palette, ' ..
      'lossless, compression',
    ["image.decompress(torch.ones(5))"] = 'image.decompress: bytes: torch.DoubleTensor, expected a ByteTensor or a string',
    ["image.decompress('')"] = 'image.decompress: bytes: none, expected those of a picture file',
    ["image.decompress('text')"] = 'image.decompress: bytes: they are of no PNG, JPEG, PPM, PGM, PBM, GIF, BMP, TIFF or WebP file',
    ["image.decompress('P5 1 1 255 x', 2)"] = 'image.decompress: depth: 2, expected 1, 3 or 4',
    ["image.decompress('P5 1 1 255 x', 1, 'colour')"] =
      "image.decompress: type: colour, expected 'byte', 'float', 'double' or another type of tensors",
    ["image.decompress('P5 1 1 255 x', 1, 'char')"] =
      'image.decompress: type: torch.CharTensor, expected one that holds numbers up to 255',
    ["torch.withDevice('meta', function() image.decompress('P5 1 1 255 x') end)"] =
      'data: self: it is on meta, expected a tensor on cpu; x:to \'cpu\' brings it',
    ["image.decompress('P5 1 1 9 x')"] = 'image.decompress: bytes: its sample 120 is more than 9',
  } do
    it(call, function()
      local program = assert(loadstring('local torch, image = ...\nlocal _ = ' .. call:gsub('^(image%.%w+) (.*)$', '%1(%2)'), '=program'))
      local _, message = pcall(program, torch, image)
      assert.equal('program:2: ' .. expected, message)
    end)
  end

  it('decompressJPG gives nil for damaged bytes, as in Torch7, and says why', function()
    local cut = sound.JPG:narrow(1, 1, 100)
    for _, bytes in ipairs { cut, cut:storage():string():sub(1, 100), '\255\216' } do
      local picture, why = image.decompressJPG(bytes)
      assert.is_nil(picture)
      assert.equal('string', type(why))
    end
    assert.error_matches(function() image.decompressJPG(sound.JPG, 7) end, 'image.decompressJPG: depth: 7')
  end)

  it('decompressJPG raises an error for what is no JPEG at all', function()
    for _, bytes in ipairs { torch.ByteTensor { 1, 2, 3 }, 'no picture', sound.PNG } do
      assert.error_matches(function() image.decompressJPG(bytes) end, 'image.decompressJPG: bytes: Not a JPEG file')
    end
  end)
end)

it('image.is_supported knows endings', function()
  for _, ending in ipairs { 'png', 'jpg', 'jpeg', 'ppm', 'pgm', 'PNG', 'JPG', 'JPEG', 'PPM', 'PGM' } do
    assert.is_true(image.is_supported(ending))
    assert.equal('function', type(image.supported_filetypes[ending].loader))
  end
  assert.is_false(image.is_supported 'xcf')
end)

it('a missing native part is told, each time anew', function()
  local output = require('spec.support.program').evaluate [[
    require 'image'
    package.cpath = '/nowhere/?.so'
    require 'libmoontorch'.file = '/nowhere/libmoontorch.so'      -- next to which it is searched
    for _ = 1, 2 do io.write(select(2, pcall(image.compressPPM, torch.ones(2, 2))):match 'image: .*', '\n') end
  ]]
  local sentence = 'image: /nowhere/libmoontorch_image.so is missing or can not be loaded: the rock image brings it, '
    .. 'or a build of Moontorch\n'
  assert.equal(sentence .. sentence, output)
end)
