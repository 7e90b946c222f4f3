-- Kernels, convolutions and morphology: closed forms, and figures of SciPy.
local torch = require 'torch'
local image = require 'image'
local assertClose = require('spec.support.close').within(1e-12)

local function complains(pattern, ...)
  local ok, message = pcall(...)
  assert.is_false(ok)
  assert.matches(pattern, message)
end

describe('kernels:', function()
  it('gaussian is exp(-d^2 / 2) about the centre, in fractions of the size', function()
    local e = math.exp(-0.5 / 0.75 ^ 2)
    assertClose({ { e * e, e, e * e }, { e, 1, e }, { e * e, e, e * e } }, image.gaussian())
    assertClose({ { 5 * math.exp(-0.125), 5 * math.exp(-0.125) } },
      image.gaussian { width = 2, height = 1, sigma_horz = 0.5, amplitude = 5 })
    assert.is_true(math.abs(image.gaussian(7, 0.3, 4, true):sum() - 1) < 1e-12)
    assertClose({ { 1, math.exp(-0.5) } }, image.gaussian { width = 2, height = 1, sigma = 0.5, mean_horz = 0.25 })
  end)

  it('gaussian1D and laplacian likewise', function()
    local e = math.exp(-0.5 / 0.75 ^ 2)
    assertClose({ 2 * e, 2, 2 * e }, image.gaussian1D(3, 0.25, 2))
    local d = 0.5 / 0.9 ^ 2
    assertClose({ (1 - d) * math.exp(-d), 1, (1 - d) * math.exp(-d) }, image.laplacian { width = 3, height = 1, sigma = 0.3 }[1])
    local target = torch.FloatTensor()
    assert.equal(target, image.gaussian { size = 4, tensor = target })
    for _, name in ipairs { 'gaussian', 'laplacian' } do
      local given = torch.FloatTensor(4, 7):fill(9)
      assert.equal(given, image[name] { tensor = given, size = 3, sigma = 0.3 })
      assertClose(image[name] { height = 4, width = 7, sigma = 0.3 }, given:double(), 1e-6)
      local part = torch.zeros(4, 14):narrow(2, 3, 7)
      assertClose(given:double(), image[name] { tensor = part, sigma = 0.3 }, 1e-6)
    end
    local vector = torch.zeros(6)
    assertClose(image.gaussian1D(6, 0.2), image.gaussian1D { tensor = vector, sigma = 0.2 })
    local bytes = torch.ByteTensor(3, 3):fill(7)
    image.gaussian { tensor = bytes, amplitude = 1000, sigma = 0.2 }
    assert.same(torch.floor(image.gaussian { size = 3, amplitude = 1000, sigma = 0.2 } + 0.5):clamp(0, 255):totable(), bytes:totable())
    assert.equal(255, bytes[2][2])
    assert.equal(0, image.laplacian({ tensor = bytes, amplitude = 1000 })[1][1])
    complains('image.gaussian: tensor: torch.DoubleTensor %[3%], expected a tensor of 2 dimensions', image.gaussian,
      { tensor = torch.zeros(3) })
    assert.same({ 4, 4 }, target:size():totable())
    complains('image.gaussian: options: sigmas', image.gaussian, { sigmas = 2 })
    complains('image.gaussian: size: 0, expected a whole number, 1 or more', image.gaussian, 0)
  end)

  it('minmax maps a range to 0..1', function()
    assert.same({ 0, 0.25, 1 }, image.minmax { tensor = torch.Tensor { 2, 3, 6 } }:totable())
    assert.same({ -1, 0, 3 }, image.minmax { tensor = torch.Tensor { 2, 3, 6 }, min = 3, max = 4 }:totable())
    assert.same({ 0, 0, 1 }, image.minmax { tensor = torch.Tensor { 2, 3, 6 }, min = 3, max = 4, saturate = true }:totable())
    assert.same({ 0.25, 0.5, 1 }, image.minmax { tensor = torch.Tensor { -2, 0, 4 }, symm = true }:totable())
    assert.same({ 0, 0 }, image.minmax { tensor = torch.Tensor { 7, 7 } }:totable())
    assert.same({ 0, 0.5, 1 }, image.minmax { tensor = torch.ByteTensor { 10, 20, 30 } }:totable())
    local x = torch.Tensor { 1, 3 }
    assert.equal(x, image.minmax { tensor = x, inplace = true })
    assert.same({ 0, 1 }, x:totable())
  end)
end)

describe('image.convolve', function()
  -- scipy.signal.convolve2d of these, 1.17
  local x = torch.DoubleTensor { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 12, 11 } }
  local kernel = torch.DoubleTensor { { 1, 0, -1 }, { 2, 3, 0 } }

  it('turns the kernel round, in three modes', function()
    local full = {
      { 1, 2, 2, 2, -3, -4 }, { 7, 13, 14, 19, 5, -8 }, { 19, 37, 35, 38, 12, -11 }, { 18, 47, 54, 58, 33, 0 },
    }
    assertClose(full, image.convolve(x, kernel, 'full'))
    assertClose({ { 14, 19 }, { 35, 38 } }, image.convolve(x, kernel))
    assertClose({ { 2, 2, 2, -3 }, { 13, 14, 19, 5 }, { 37, 35, 38, 12 } }, image.convolve(x, kernel, 'same'))
  end)

  it('takes every channel, every type, and a destination', function()
    local both = torch.cat(x:view(1, 3, 4), torch.mul(x, 2):view(1, 3, 4), 1)
    local y = image.convolve(both, kernel, 'same')
    assertClose(torch.mul(y[1], 2):totable(), y[2])
    assert.same({ { 14, 19 }, { 35, 38 } }, image.convolve(x:int(), kernel):totable())
    local dst = torch.FloatTensor()
    assert.equal(dst, image.convolve(dst, x, kernel, 'valid'))
    assert.same({ { 14, 19 }, { 35, 38 } }, dst:totable())
  end)

  it('reports invalid input', function()
    complains('image.convolve: kernel: torch.DoubleTensor %[4, 1%], expected one that fits', image.convolve, x, torch.ones(4, 1))
    complains("image.convolve: mode: 'half', expected 'valid'", image.convolve, x, kernel, 'half')
    complains('image.convolve: kernel: torch.DoubleTensor %[3%]', image.convolve, x, torch.ones(3))
  end)
end)

describe('morphology:', function()
  local x = torch.ByteTensor { { 0, 0, 0, 0, 0 }, { 0, 1, 1, 1, 0 }, { 0, 1, 1, 1, 0 }, { 0, 1, 1, 1, 1 } }

  -- scipy.ndimage.binary_erosion(x, kernel, border_value=pad) and binary_dilation, 1.17
  it('erode keeps what the kernel fits into', function()
    assert.same({ { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 }, { 0, 0, 1, 0, 0 }, { 0, 0, 1, 0, 0 } }, image.erode(x):totable())
    assert.same({ { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 }, { 0, 0, 1, 0, 0 }, { 0, 0, 0, 0, 0 } }, image.erode(x, nil, 0):totable())
    assert.same({ { 0, 0, 0, 0, 0 }, { 0, 1, 1, 0, 0 }, { 0, 1, 1, 0, 0 }, { 0, 1, 1, 1, 0 } },
      image.erode(x, torch.Tensor { { 0, 1, 1 } }, 0):totable())
  end)

  it('dilate adds what the turned kernel touches', function()
    assert.same({ { 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1 } }, image.dilate(x):totable())
    assert.same({ { 0, 0, 0, 0, 0 }, { 0, 0, 1, 1, 1 }, { 0, 0, 1, 1, 1 }, { 0, 0, 1, 1, 1 } },
      image.dilate(x, torch.Tensor { { 0, 0, 1 } }):totable())
    assert.equal('torch.ByteTensor', image.dilate(x):type())
  end)
end)

describe('image.lcn', function()
  it('does not depend on brightness and contrast', function()
    local x = torch.rand(3, 20, 24)
    local y = image.lcn(x)
    assert.same({ 3, 20, 24 }, y:size():totable())
    assert.is_true(torch.add(image.lcn(torch.add(torch.mul(x, 5), 3)), -1, y):abs():max() < 1e-10)
    assert.is_true(image.lcn(torch.ones(12, 12)):abs():max() < 1e-3)
  end)
end)

describe('image.gaussianpyramid', function()
  it('gives a picture for each scale', function()
    local x = torch.rand(3, 20, 30)
    local list = image.gaussianpyramid(x, { 1, 0.5, 0.25, 2 })
    local sizes = {}
    for i, y in ipairs(list) do sizes[i] = y:size():totable() end
    assert.same({ { 3, 20, 30 }, { 3, 10, 15 }, { 3, 5, 7 }, { 3, 40, 60 } }, sizes)
    assert.is_true(torch.equal(list[1], x))
    assert.is_true(list[3]:std() < list[2]:std() and list[2]:std() < x:std())      -- noise is removed
    local flat = image.gaussianpyramid(torch.FloatTensor(9, 9):fill(0.5), { 0.4 })[1]
    assert.is_true(torch.add(flat, -0.5):abs():max() < 1e-6)
    local dst = {}
    assert.equal(dst, image.gaussianpyramid(dst, x, { 0.5 }))
    assert.equal(1, #dst)
  end)
end)

describe('a picture without elements, or what is none,', function()
  it('is told by function and argument', function()
    local none = torch.Tensor(3, 0, 5)
    for _, name in ipairs { 'rotate', 'polar', 'lcn', 'erode', 'dilate' } do
      complains('image.' .. name .. ': src: torch.DoubleTensor %[3, 0, 5%], expected a picture with elements', image[name], none, 1)
    end
    complains('image.scale: src: torch.DoubleTensor %[3, 0, 5%]', image.scale, none, 4, 4)
    complains('image.convolve: src: torch.DoubleTensor %[3, 0, 5%]', image.convolve, none, torch.ones(1, 1))
    complains('image.gaussian: tensor: 5, expected a tensor', image.gaussian, { tensor = 5 })
    complains('image.y2jet: src: fractions', image.y2jet, torch.Tensor { { 1.5 } })
    complains('image.perspective: map: {}, expected four points', image.perspective, torch.rand(4, 4), {})
    assert.same({ 1, 1 }, image.gaussianpyramid(torch.rand(9, 9), { 1e-9 })[1]:size():totable())
    assert.same({ 3, 0, 5 }, image.hflip(none):size():totable())
  end)
end)
