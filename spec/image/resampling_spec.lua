-- Pictures in other sizes: Torch7's scale by closed forms, resample by the figures of Pillow and PyTorch.
require 'spec.support.program'
local torch, autograd = require 'torch', require 'autograd'
local image = require 'image'
local figures = require 'spec.image.resampling_figures'

local function picture(height, width)
  local x = torch.ByteTensor(height, width)
  for i = 0, height - 1 do
    for j = 0, width - 1 do x[i + 1][j + 1] = (31 * i * i + 17 * j * j + 7 * i * j + 13 * i + 29 * j) % 256 end
  end
  return x
end

local function largestDifference(figure, y)
  local _, size, values = unpack(figure)
  assert.same({ size[3], size[4] }, y:size():totable())
  return torch.add(y:double(), -1, torch.DoubleTensor(values):view(size[3], size[4])):abs():max()
end

describe('image.resample', function()
  it("gives Pillow's bytes, or neighbours of them", function()
    for _, figure in ipairs(figures.bytes) do
      local filter, size = unpack(figure)
      local y = image.resample(picture(size[1], size[2]), size[4], size[3], filter)
      assert.equal('torch.ByteTensor', y:type())
      assert.is_true(largestDifference(figure, y) <= 1, filter .. ' ' .. table.concat(size, ' '))
    end
  end)

  it("gives Pillow's floats", function()
    for _, figure in ipairs(figures.floats) do
      local filter, size = unpack(figure)
      local y = image.resample(picture(size[1], size[2]):float():div(255), size[4], size[3], filter)
      assert.is_true(largestDifference(figure, y) < 1e-6, filter .. ' ' .. table.concat(size, ' '))
    end
  end)

  it("gives PyTorch's results without antialiasing", function()
    for _, figure in ipairs(figures.plain) do
      local filter, size = unpack(figure)
      local y = image.resample(picture(size[1], size[2]):double():div(255), size[4], size[3], filter, false)
      assert.is_true(largestDifference(figure, y) < 1e-7, filter .. ' ' .. table.concat(size, ' '))
    end
  end)

  it('leaves a constant picture constant, in every type', function()
    for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' } do
      local x = torch[kind .. 'Tensor'](2, 37, 53):fill(101)
      for _, filter in ipairs { 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos', 'nearest' } do
        local y = image.resample(x, 29, 71, filter)
        assert.equal(x:type(), y:type())
        assert.is_true(y:double():add(-101):abs():max() < 1e-4, kind .. ' ' .. filter)
      end
    end
  end)

  it('keeps the brightness of bytes however many become one', function()
    local x = torch.ByteTensor(1, 400000):fill(201)
    for _, filter in ipairs { 'box', 'bilinear', 'bicubic', 'lanczos' } do assert.equal(201, image.resample(x, 1, 1, filter)[1][1]) end
    assert.equal(201, image.scale(x, 3, 1):min())
  end)

  it('gives the same bits for any number of threads', function()
    local threads = torch.getnumthreads()
    for _, x in ipairs { picture(301, 203), picture(301, 203):float() } do
      for _, size in ipairs { { 150, 100 }, { 400, 500 }, { 100, 500 }, { 300, 100 } } do
        torch.setnumthreads(1)
        local one = image.resample(x, size[1], size[2], 'bicubic')
        torch.setnumthreads(2)
        assert.is_true(torch.equal(one, image.resample(x, size[1], size[2], 'bicubic')))
        local plain = image.resample(x, size[1], size[2], 'bilinear', false)
        torch.setnumthreads(1)
        assert.is_true(torch.equal(plain, image.resample(x, size[1], size[2], 'bilinear', false)))
      end
    end
    torch.setnumthreads(threads)
  end)

  it('keeps large and small pictures apart: each plane is as if alone', function()
    local x = torch.rand(5, 90, 61):float()
    local y = image.resample(x, 40, 50, 'lanczos')
    for c = 1, 5 do assert.is_true(torch.equal(y[c], image.resample(x[c], 40, 50, 'lanczos'))) end
  end)
end)

describe('image.scale', function()
  local scale = image.scale

  it('enlarges between corners that stay', function()
    local y = scale(torch.DoubleTensor { { 0, 1 }, { 4, 5 } }, 3, 5)
    assert.same({ { 0, 0.5, 1 }, { 1, 1.5, 2 }, { 2, 2.5, 3 }, { 3, 3.5, 4 }, { 4, 4.5, 5 } }, y:totable())
  end)

  it('takes the mean of areas where a side shrinks', function()
    local y = scale(torch.DoubleTensor { { 1, 2, 3, 4, 5 } }, 2, 1)
    assert.is_true(math.abs(y[1][1] - (1 + 2 + 0.5 * 3) / 2.5) < 1e-15 and math.abs(y[1][2] - (0.5 * 3 + 4 + 5) / 2.5) < 1e-15)
    assert.equal(3, scale(torch.DoubleTensor { { 1, 2, 3, 4, 5 } }, 1, 1)[1][1])
  end)

  it('rounds bytes after each side, halves up', function()
    -- columns first: 0.5 -> 1, 2.5 -> 3; then their mean
    assert.equal(2, scale(torch.ByteTensor { { 0, 1 }, { 2, 3 } }, 1, 1)[1][1])
    assert.same({ { 0, 128, 255 } }, scale(torch.ByteTensor { { 0, 255 } }, 3, 1):totable())
  end)

  it('interpolates cubically between aligned corners, along straight lines beyond them', function()
    local y = scale(torch.DoubleTensor { { 0, 1, 4, 9 } }, 7, 1, 'bicubic')
    -- Catmull-Rom is exact for parabolas inside; at the ends the neighbour beyond lies on the line of the last two
    assert.is_true(math.abs(y[1][4] - 2.25) < 1e-12 and y[1][3] == 1 and y[1][7] == 9)
    assert.is_true(math.abs(y[1][2] - (9 * (0 + 1) - (-1) - 4) / 16) < 1e-12)
  end)

  it('takes the element at or before the place with simple', function()
    assert.same({ { 1, 1, 2, 2, 3 } }, scale(torch.DoubleTensor { { 1, 2, 3 } }, 5, 1, 'simple'):totable())
    assert.same({ { 1, 2, 4 } }, scale(torch.DoubleTensor { { 1, 2, 3, 4, 5 } }, 3, 1, 'simple'):totable())
  end)

  it('reads sizes in all their forms', function()
    local x = torch.rand(3, 30, 40)
    local forms = {
      { '20', 15, 20 }, { 20, 15, 20 }, { '20x10', 10, 20 }, { '^15', 15, 20 }, { '*2', 60, 80 }, { '*0.5', 15, 20 }, { '*1/4', 7, 10 },
    }
    for _, form in ipairs(forms) do assert.same({ 3, form[2], form[3] }, scale(x, form[1]):size():totable()) end
    assert.same({ 3, 5, 8 }, scale(x, 8, 5, 'simple'):size():totable())
    assert.same({ 3, 60, 80 }, scale(x, '*2', 'bicubic'):size():totable())
  end)

  it('fills a destination of any type, to its size or another', function()
    local x, dst = torch.rand(3, 30, 40), torch.FloatTensor(3, 10, 20)
    assert.equal(dst, scale(dst, x))
    assert.is_true(torch.add(dst:double(), -1, scale(x, 20, 10)):abs():max() < 1e-6)
    assert.same({ 3, 10, 20 }, scale(dst, x, 'bicubic'):size():totable())
    assert.same({ 3, 15, 20 }, scale(dst, x, '^15'):size():totable())
    assert.same({ 3, 7, 9 }, scale(dst, x, 9, 7, 'simple'):size():totable())
  end)

  it('says what was wrong', function()
    local x = torch.rand(3, 4, 5)
    local function complains(pattern, ...)
      local ok, message = pcall(...)
      assert.is_false(ok)
      assert.matches(pattern, message)
    end
    complains('could not find valid dest size', scale, x)
    complains('could not find valid dest size', scale, x, 'big')
    complains('could not find valid dest size', scale, x, {})
    complains('mode must be one of: simple | bilinear | bicubic', scale, x, 4, 4, 'cubic')
    complains('image.scale: src: torch.DoubleTensor %[3%]', scale, torch.rand(3), 4, 4)
    complains('image.scale: size: a side of 0 elements', scale, x, 0, 4)
    complains("image.resample: filter: 'cubic', expected 'bilinear'", image.resample, x, 4, 4, 'cubic')
    complains("resample: filter: 'lanczos'", image.resample, x, 4, 4, 'lanczos', false)
  end)

  it('has derivatives', function()
    local x = torch.rand(2, 6, 5)
    for _, mode in ipairs { 'bilinear', 'bicubic', 'simple' } do
      assert(autograd.gradcheck(function(y) return scale(y, 7, 4, mode) end, { x }))
    end
  end)
end)
