-- Stacks of pages in TIFF files of tifffile (stacks_figures.py) and of ours, and pictures of 16 bits as their own numbers.
local torch = require 'torch'
local image = require 'image'
local assertClose = require('spec.support.close').within { sameType = true }

local folder = 'spec/image/stacks/'
local numbers = torch.range(0, 23):view(2, 1, 3, 4)
local stacks = {
  uint8 = numbers:byte(), uint16 = torch.mul(numbers, 2731):type 'torch.UInt16Tensor', int32 = torch.mul(numbers, -100000):int(),
  float32 = torch.div(numbers, -7):float(), float64 = torch.div(numbers, -7),
}
local types = { uint8 = 'byte', uint16 = 'uint16', int32 = 'int', float32 = 'float', float64 = 'double' }
local bits = { uint8 = 8, uint16 = 16, int32 = 32, float32 = 32, float64 = 64 }

local function lacksTiff()
  local good, problem = pcall(image.load, folder .. 'uint8_none.tif')
  if good or not problem:find 'was not found, which' then return false end
  pending(problem)
  return true
end

describe('a stack of pictures', function()
  for kind, stack in pairs(stacks) do
    it('is read and written: ' .. kind, function()
      if lacksTiff() then return end
      local name = os.tmpname()
      for _, compression in ipairs { 'none', 'lzw', 'deflate' } do
        assertClose(stack, (image.frames(('%s%s_%s.tif'):format(folder, kind, compression), nil, types[kind])))
        image.saveFrames(name .. '.tif', stack, { bits = bits[kind], compression = compression })
        assertClose(stack, (image.frames(name .. '.tif', nil, types[kind])))
      end
      os.remove(name)
      os.remove(name .. '.tif')
    end)
  end

  it('is read from a file of 64-bit offsets and the other byte order', function()
    if lacksTiff() then return end
    assertClose(stacks.uint16, (image.frames(folder .. 'big.tif', nil, 'uint16')))
  end)

  it('has pages of any size, and colours', function()
    if lacksTiff() then return end
    local name = os.tmpname()
    local function page(...) return torch.range(1, (...) * select(2, ...) * select(3, ...)):byte():view(...) end
    local pages = { page(1, 2, 3), page(4, 3, 4), page(3, 2, 2) }
    image.saveFrames(name .. '.tiff', pages)
    local read = image.frames(name .. '.tiff', nil, 'byte')
    for i, each in ipairs(pages) do assertClose(each, read[i]) end
    image.saveFrames(name .. '.tiff', stacks.uint8:select(2, 1))      -- frames x height x width
    assertClose(stacks.uint8, (image.frames(name .. '.tiff', nil, 'byte')))
    os.remove(name)
    os.remove(name .. '.tiff')
  end)

  it('gets sentences about what it cannot be', function()
    local function refused(message, ...)
      local good, problem = pcall(...)
      assert.is_false(good)
      assert.equal(message, (tostring(problem):gsub('^[^ ]*:%d+: ', '')))
    end
    local x = stacks.float32
    refused('image.saveFrames: x.png: expected the ending .tif or .tiff: only TIFF files have pages', image.saveFrames, 'x.png', x)
    refused('image.saveFrames: frames: none, expected one or more', image.saveFrames, 'x.tif', {})
    refused('image.saveFrames: frames: torch.FloatTensor [24], expected 3 or 4 dimensions, the first for frames', image.saveFrames,
      'x.tif', x:view(-1))
    refused("image.saveFrames: compression: 'jpeg', expected one of 'none', 'lzw', 'deflate'", image.saveFrames, 'x.tif', x,
      { compression = 'jpeg' })
    refused('image.saveTIFF: bits: 24, expected 8, 16, 32 or 64', image.save, 'x.tif', x[1], { bits = 24 })
    refused('image.savePNG: bits: 32, expected 8 or 16', image.save, 'x.png', x[1], { bits = 32 })
    refused('image.saveTIFF: picture: numbers beyond 32 bits; 64 bits are those of doubles', image.save, 'x.tif',
      torch.LongTensor { { 2 ^ 40 } }, { bits = 32 })
  end)
end)

describe('a PNG picture of 16 bits', function()
  it('is read as its numbers', function()
    assertClose(stacks.uint16[1], image.load(folder .. 'uint16.png', nil, 'uint16'))
    assertClose(stacks.uint16[1]:int(), image.load(folder .. 'uint16.png', nil, 'int'))
  end)

  it('is written from numbers of 16 bits', function()
    local name = os.tmpname()
    image.save(name .. '.png', stacks.uint16[2])
    assert.equal(16, image.open(name .. '.png').bits)
    assertClose(stacks.uint16[2], image.load(name .. '.png', nil, 'uint16'))
    os.remove(name)
    os.remove(name .. '.png')
  end)
end)
