-- Histograms and functions based on them, against Pillow's figures (figures.py).
local torch = require 'torch'
local image = require 'image'
local levels = require('spec.image.figures').levels
local assertClose = require('spec.support.close').assertClose

local function picture(values) return torch.ByteTensor(values):view(3, 11, 14) end

describe('image', function()
  local dull = picture(levels.dull)

  it('counts levels as Pillow does', function()
    assertClose(torch.LongTensor(levels.histogram):view(3, 256), image.histogram(dull))
    assertClose(torch.LongTensor(levels.histogram):view(3, 256), image.histogram(dull:double() / 256))      -- a bin is one wide
  end)

  it('counts in bins of equal width, the last one with its end', function()
    local x = torch.DoubleTensor { { -0.1, 0, 0.24, 0.25, 0.99, 1, 1.1 } }
    assertClose(torch.LongTensor { { 2, 1, 0, 2 } }, image.histogram(x, 4))
    assertClose(torch.LongTensor { { 2, 2 } }, image.histogram(torch.ByteTensor { { 10, 11, 14, 15, 20 } }, 2, 10, 18))
    assert.error_matches(function() image.histogram(x, 4, 1, 1) end, 'image.histogram: max: 1, expected more than 1')
  end)

  it('takes grey pictures as they lie in memory', function()
    local turned = picture(levels.dull)[1]:t()
    for _, name in ipairs { 'equalize', 'autocontrast', 'histogram' } do
      assertClose(image[name](turned:contiguous()), image[name](turned))
    end
    local file = os.tmpname() .. '.png'
    image.save(file, turned)
    assertClose(turned, image.load(file, 1, 'byte'):view(turned:size()))
    os.remove(file)
  end)

  it("makes histograms flat and wide as Pillow does", function()
    for _, name in ipairs { 'equalize', 'autocontrast' } do
      assertClose(picture(levels[name]), image[name](dull))
      local floats = image[name](dull:float() / 255)
      assert.equal('torch.FloatTensor', floats:type())
      assert.is_true((floats:double() * 255 - picture(levels[name]):double()):abs():max() < 1e-4)
    end
    assertClose(dull[2]:clone():fill(7), image.equalize(dull[2]:clone():fill(7)))
    assertClose(dull[2]:clone():fill(7), image.autocontrast(dull[2]:clone():fill(7)))
  end)
end)
