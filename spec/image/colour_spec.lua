-- Colour spaces: Python's colorsys, the coordinates of the sRGB primaries as Lindbloom publishes them, and that each way undoes the other.
local torch, autograd = require 'torch', require 'autograd'
local image = require 'image'

local function pixels(list)
  local x = torch.DoubleTensor(3, 1, #list)
  for i, colour in ipairs(list) do for c = 1, 3 do x[c][1][i] = colour[c] end end
  return x
end
local function difference(x, y) return torch.add(x, -1, y):abs():max() end

-- colorsys.rgb_to_hsv and colorsys.rgb_to_hls (as h, s, l), Python 3.11
local samples = {
  { { 0.2, 0.4, 0.1 }, { 0.2777777777777778, 0.75, 0.4 }, { 0.2777777777777778, 0.6, 0.25 } },
  { { 0.9, 0.3, 0.6 }, { 0.9166666666666666, 0.6666666666666667, 0.9 }, { 0.9166666666666666, 0.75, 0.6 } },
  { { 0.1, 0.7, 0.8 }, { 0.523809523809523836, 0.875, 0.8 }, { 0.523809523809523836, 0.7777777777777779, 0.45 } },
  { { 1, 0, 0 }, { 0, 1, 1 }, { 0, 1, 0.5 } },
  { { 0, 0, 1 }, { 2 / 3, 1, 1 }, { 2 / 3, 1, 0.5 } },
  { { 0.5, 0.5, 0.5 }, { 0, 0, 0.5 }, { 0, 0, 0.5 } },
  { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
  { { 1, 1, 1 }, { 0, 0, 1 }, { 0, 0, 1 } },
}
local function column(i)
  local list = {}
  for k, sample in ipairs(samples) do list[k] = sample[i] end
  return pixels(list)
end

describe('colour spaces:', function()
  it('hue, saturation and value or lightness are those of colorsys', function()
    assert.is_true(difference(image.rgb2hsv(column(1)), column(2)) < 1e-12)
    assert.is_true(difference(image.rgb2hsl(column(1)), column(3)) < 1e-12)
    assert.is_true(difference(image.hsv2rgb(column(2)), column(1)) < 1e-12)
    assert.is_true(difference(image.hsl2rgb(column(3)), column(1)) < 1e-12)
  end)

  it('of bytes are those of fractions of 255, rounded', function()
    local bytes = torch.ByteTensor(3, 5, 7)
    local i = 0
    bytes:apply(function()
      i = i + 1
      return (i * 7919) % 256
    end)
    for _, name in ipairs { 'rgb2hsv', 'hsv2rgb', 'rgb2hsl', 'hsl2rgb' } do
      local result = image[name](bytes)
      assert.equal('torch.ByteTensor', result:type())
      local expected = image[name](bytes:double() / 255) * 255
      assert.is_true((expected - result:double()):abs():max() <= 0.5 + 1e-4)
      local dst = torch.ByteTensor()
      assert.equal(dst, image[name](dst, bytes))
      assert.same(result:totable(), dst:totable())
    end
    local grey = torch.ByteTensor(3, 1, 2):fill(128)
    assert.same({ { { 0, 0 } }, { { 0, 0 } }, { { 128, 128 } } }, image.rgb2hsv(grey):totable())
    assert.same({ { { 0 } }, { { 255 } }, { { 255 } } }, image.rgb2hsv(torch.ByteTensor { { { 255 } }, { { 0 } }, { { 0 } } }):totable())
  end)

  it('Lab has white at 100 and the primaries where they are published', function()
    local y = image.rgb2lab(pixels { { 1, 1, 1 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } })
    local expected = pixels { { 100, 0, 0 }, { 53.24, 80.09, 67.20 }, { 87.73, -86.18, 83.18 }, { 32.30, 79.19, -107.86 }, { 0, 0, 0 } }
    assert.is_true(difference(y, expected) < 0.01)
  end)

  it('YUV is BT.601', function()
    local y = image.rgb2yuv(pixels { { 1, 1, 1 }, { 1, 0, 0 }, { 0, 0, 1 } })
    assert.is_true(difference(y, pixels { { 1, 0, 0 }, { 0.299, -0.14713, 0.615 }, { 0.114, 0.436, -0.10001 } }) < 1e-5 + 1e-12)
    assert.is_true(difference(image.rgb2y(pixels { { 1, 0.5, 0.25 } }), torch.DoubleTensor(1, 1, 1):fill(0.299 + 0.2935 + 0.0285)) < 1e-12)
    assert.equal(76, image.rgb2y(torch.ByteTensor(3, 1, 1):copy(torch.Tensor { 255, 0, 0 }))[1][1][1])      -- 76.245
  end)

  it('there and back is where it was, for any dtype of floats', function()
    local x = torch.rand(3, 9, 11)
    for name, tolerance in pairs { hsv = 1e-12, hsl = 1e-12, yuv = 1e-4, lab = 1e-5 } do
      assert.is_true(difference(image[name .. '2rgb'](image['rgb2' .. name](x)), x) < tolerance, name)
      local y = image['rgb2' .. name](x:float())
      assert.equal('torch.FloatTensor', y:type())
      assert.is_true(difference(image[name .. '2rgb'](y):double(), x) < tolerance + 2e-5, name)
    end
  end)

  it('normalised colours add up to 1, and black stays', function()
    local y = image.rgb2nrgb(pixels { { 0.2, 0.4, 0.2 }, { 0, 0, 0 } })
    assert.is_true(difference(y, pixels { { 0.25, 0.5, 0.25 }, { 0, 0, 0 } }) < 1e-15)
  end)

  it('jet goes from dark blue to dark red, level by level', function()
    assert.same({ { 0, 0, 0.5 }, { 0, 0.5, 1 }, { 0.5, 1, 0.5 }, { 1, 0.5, 0 }, { 0.5, 0, 0 } }, image.jetColormap(5):totable())
    local y = image.y2jet(torch.ByteTensor { { 1, 5 }, { 3, 2 } })
    assert.same({ { 0, 0, 0.5 }, { 0.5, 0, 0 } }, image.jetColormap(2):totable())
    assert.same({ { 0, 0, 0.5 } }, image.jetColormap(1):totable())
    assert.same(image.jetColormap(6):t():contiguous():view(3, 1, 6):totable(), image.y2jet(torch.range(1, 6)):totable())
    assert.error_matches(function() image.y2jet(torch.IntTensor { -1, 2 }) end, 'negative levels or none')
    assert.error_matches(function() image.y2jet(torch.Tensor { 1, 1.5 }) end, 'fractions, expected whole numbers')
    assert.same({ 3, 1, 2 }, image.y2jet(torch.Tensor { { 1, 5 }, { 3, 5 } }:select(2, 1)):size():totable())
    assert.same({ { { 0, 0.5 }, { 0.5, 0 } }, { { 0, 0 }, { 1, 0.5 } }, { { 0.5, 0 }, { 0.5, 1 } } }, y:totable())
    assert.same({ { { 0 } }, { { 0 } }, { { 0.5 } } }, image.y2jet(torch.zeros(1, 1, 1)):totable())
    assert.same({ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, image.colormap(3):totable())
  end)

  it('have derivatives', function()
    local x = torch.rand(3, 3, 4):double()
    for _, name in ipairs { 'rgb2hsv', 'hsv2rgb', 'rgb2hsl', 'hsl2rgb', 'rgb2lab', 'rgb2yuv', 'yuv2rgb', 'rgb2nrgb', 'rgb2y' } do
      assert(autograd.gradcheck(function(y) return image[name](y) end, { x }, { tolerance = 1e-5 }))
    end
    local lab = image.rgb2lab(x)
    assert(autograd.gradcheck(function(y) return image.lab2rgb(y) end, { lab }, { tolerance = 1e-5 }))
    -- at grey and black, too, they are finite
    local grey = torch.DoubleTensor(3, 1, 2):fill(0)
    grey:select(3, 2):fill(0.5)
    for _, name in ipairs { 'rgb2hsv', 'rgb2hsl', 'rgb2lab', 'rgb2nrgb' } do
      local leaf = grey:clone():requiresGrad()
      image[name](leaf):sum():backward()
      assert.is_true(leaf.grad:abs():max() < 1e4, name)
    end
  end)

  it('take batches', function()
    local batch = torch.rand(2, 3, 4, 5)
    for _, name in ipairs { 'rgb2hsv', 'rgb2lab', 'rgb2y' } do
      local y = image[name](batch)
      for i = 1, 2 do assert.is_true(torch.equal(y[i], image[name](batch[i]))) end
    end
  end)

  it('write into a destination', function()
    local dst = torch.FloatTensor()
    assert.equal(dst, image.rgb2hsv(dst, column(1)))
    assert.is_true(difference(dst:double(), column(2)) < 1e-6)
  end)

  it('say what was wrong', function()
    local function complains(pattern, ...)
      local ok, message = pcall(...)
      assert.is_false(ok)
      assert.matches(pattern, message)
    end
    complains('image.rgb2hsv: src: torch.DoubleTensor %[1, 2, 2%], expected a picture of 3 channels', image.rgb2hsv, torch.rand(1, 2, 2))
    complains('image.rgb2lab: src: torch.ByteTensor %[3, 2, 2%], expected a picture of floats', image.rgb2lab, torch.ByteTensor(3, 2, 2))
    complains('image.rgb2y: src: nil', image.rgb2y)
  end)
end)
