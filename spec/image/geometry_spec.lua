-- Parts of pictures, mirrored, moved, turned and warped ones: pictures whose values encode positions, and maps in closed form.
local torch, autograd = require 'torch', require 'autograd'
local image = require 'image'

local function complains(pattern, ...)
  local ok, message = pcall(...)
  assert.is_false(ok)
  assert.matches(pattern, message)
end

local function numbered(height, width) return torch.range(1, height * width):view(height, width) end
local function listed(x) return x:totable() end

describe('image.crop', function()
  local x = numbered(4, 6)

  it('takes columns x1 to x2 - 1 and rows y1 to y2 - 1', function()
    assert.same({ { 9, 10 }, { 15, 16 }, { 21, 22 } }, listed(image.crop(x, 2, 1, 4, 4)))
    assert.same({ { 8 } }, listed(image.crop(x, 1, 1, 2, 2)))
  end)

  it('takes a corner or the centre by name', function()
    assert.same({ { 8, 9, 10 }, { 14, 15, 16 } }, listed(image.crop(x, 'c', 3, 2)))      -- floor((6 - 3) / 2) is 1
    assert.same({ { 1, 2 } }, listed(image.crop(x, 'tl', 2, 1)))
    assert.same({ { 5, 6 } }, listed(image.crop(x, 'tr', 2, 1)))
    assert.same({ { 19, 20 } }, listed(image.crop(x, 'bl', 2, 1)))
    assert.same({ { 23, 24 } }, listed(image.crop(x, 'br', 2, 1)))
  end)

  it('takes the size of a destination, and copies', function()
    local dst = torch.FloatTensor(2, 3)
    assert.equal(dst, image.crop(dst, x, 1, 1))
    assert.same({ { 8, 9, 10 }, { 14, 15, 16 } }, listed(dst))
    local part = image.crop(x, 0, 0, 2, 2):fill(0)
    assert.equal(1, x[1][1])
    assert.is_true(part:isContiguous())
  end)

  it('reports invalid input', function()
    complains('crop format must be "c"|"tl"|"tr"|"bl"|"br"', image.crop, x, 'middle', 2, 2)
    complains('image.crop: corners: %(0, 0%) and %(7, 2%), expected a part of a picture of 6 x 4', image.crop, x, 0, 0, 7, 2)
    complains('image.crop: x2: nil, expected a number', image.crop, x, 0, 0)
  end)
end)

describe('mirrored and moved pictures:', function()
  it('hflip, vflip and flip turn round what they say', function()
    local x = torch.range(1, 8):view(2, 2, 2)
    assert.same({ { { 2, 1 }, { 4, 3 } }, { { 6, 5 }, { 8, 7 } } }, listed(image.hflip(x)))
    assert.same({ { { 3, 4 }, { 1, 2 } }, { { 7, 8 }, { 5, 6 } } }, listed(image.vflip(x)))
    assert.same({ { { 5, 6 }, { 7, 8 } }, { { 1, 2 }, { 3, 4 } } }, listed(image.flip(x, 1)))
    assert.same(listed(image.hflip(x)), listed(image.flip(x, 3)))
  end)

  it('a picture may be mirrored into itself, and need not be contiguous', function()
    local x = numbered(2, 3)
    image.hflip(x, x)
    assert.same({ { 3, 2, 1 }, { 6, 5, 4 } }, listed(x))
    assert.same({ { 6, 3 }, { 5, 2 }, { 4, 1 } }, listed(image.hflip(x:t())))
  end)

  it('translate fills with 0', function()
    local x = numbered(3, 3)
    assert.same({ { 0, 0, 0 }, { 0, 1, 2 }, { 0, 4, 5 } }, listed(image.translate(x, 1, 1)))
    assert.same({ { 0, 0, 0 }, { 2, 3, 0 }, { 5, 6, 0 } }, listed(image.translate(x, -1, 1)))
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, listed(image.translate(x, 3, 0)))
    assert.equal('torch.ByteTensor', image.translate(x:byte(), 1, 0):type())
  end)
end)

describe('image.rotate', function()
  it('turns counter-clockwise on the screen, exactly by quarters', function()
    local x = numbered(3, 3)
    for _, mode in ipairs { 'simple', 'bilinear', 'bicubic' } do
      assert.same({ { 3, 6, 9 }, { 2, 5, 8 }, { 1, 4, 7 } }, listed(image.rotate(x, math.pi / 2, mode)))
      assert.same({ { 9, 8, 7 }, { 6, 5, 4 }, { 3, 2, 1 } }, listed(image.rotate(x, math.pi, mode)))
      assert.same(listed(x), listed(image.rotate(x, -2 * math.pi, mode)))
    end
    local even = numbered(4, 4)
    assert.same(listed(torch.rot90(even, 1)), listed(image.rotate(even, math.pi / 2)))
  end)

  it('takes the source at the turned place about the centre, and 0 outside', function()
    local height, width, angle = 7, 9, 0.4
    local x = torch.DoubleTensor(height, width)
    for i = 1, height do for j = 1, width do x[i][j] = 3 * i - 2 * j + 50 end end      -- bilinear interpolation is exact for planes
    local y = image.rotate(x, angle, 'bilinear')
    local xc, yc, filled = (width - 1) / 2, (height - 1) / 2, 0
    for i = 0, height - 1 do
      for j = 0, width - 1 do
        local sx = math.cos(angle) * (j - xc) - math.sin(angle) * (i - yc) + xc
        local sy = math.cos(angle) * (i - yc) + math.sin(angle) * (j - xc) + yc
        local inside = sx >= 0 and sx <= width - 1 and sy >= 0 and sy <= height - 1
        filled = filled + (inside and 0 or 1)
        assert.is_true(math.abs(y[i + 1][j + 1] - (inside and 3 * (sy + 1) - 2 * (sx + 1) + 50 or 0)) < 1e-12)
      end
    end
    assert.is_true(filled > 5)
  end)
end)

describe('image.warp', function()
  it('adds offsets to the own place, or takes places as they are', function()
    local x = numbered(3, 4)
    local field = torch.zeros(2, 3, 4)
    field[1]:fill(1)
    assert.same({ { 5, 6, 7, 8 }, { 9, 10, 11, 12 }, { 9, 10, 11, 12 } }, listed(image.warp(x, field)))
    assert.same({ { 5, 6, 7, 8 }, { 9, 10, 11, 12 }, { 7, 7, 7, 7 } }, listed(image.warp(x, field, 'simple', true, 'pad', 7)))
    local places = torch.zeros(2, 1, 2)
    places[1][1][2], places[2][1][2] = 1.5, 0.5
    assert.same({ { 1, 7.5 } }, listed(image.warp(x, places, 'bilinear', false)))
  end)

  it('interpolates: planes are exact with bilinear, parabolas with bicubic', function()
    local x, field = torch.DoubleTensor(8, 8), torch.rand(2, 3, 5):mul(2):add(2.5)
    for i = 1, 8 do for j = 1, 8 do x[i][j] = (i - 1) ^ 2 - 2 * (i - 1) * (j - 1) + (j - 1) end end
    local y = image.warp(x, field, 'bicubic', false)
    local row, column = field[1], field[2]
    local expected = torch.add(torch.add(torch.pow(row, 2), -2, torch.cmul(row, column)), column)
    assert.is_true(torch.add(y, -1, expected):abs():max() < 1e-12)
    local plane = torch.range(1, 8):view(8, 1):expand(8, 8):contiguous()
    assert.is_true(torch.add(image.warp(plane, field, 'bilinear', false), -1, torch.add(row, 1)):abs():max() < 1e-12)
  end)

  it('weighs by sinc windows with lanczos', function()
    local x = torch.zeros(1, 9)
    x[1][5] = 1
    local places = torch.zeros(2, 1, 1)
    places[2][1][1] = 4.25
    local function sinc(v) return v == 0 and 1 or math.sin(math.pi * v) / (math.pi * v) end
    local total = 0
    for k = -2, 3 do total = total + sinc(0.25 - k) * sinc((0.25 - k) / 3) end
    assert.is_true(math.abs(image.warp(x, places, 'lanczos', false)[1][1] - sinc(0.25) * sinc(0.25 / 3) / total) < 1e-12)
  end)

  it('stays inside of the picture whatever the field holds', function()
    local x = torch.rand(2, 5, 6)
    local field = torch.rand(2, 7, 33)
    for i, v in ipairs { math.huge, -math.huge, 0 / 0, 1e30, -1e30, 2 ^ 31, 2 ^ 63, -0.0 } do field[1 + i % 2][1 + i % 7][i] = v end
    for _, kind in ipairs { 'Float', 'Double' } do
      for _, mode in ipairs { 'simple', 'bilinear', 'bicubic', 'lanczos' } do
        for _, border in ipairs { 'clamp', 'pad', 'zeros' } do
          local y = image.warp(x:type('torch.' .. kind .. 'Tensor'), field, mode, false, border, -3)
          assert.equal(0, torch.isnan(y):sum())
          assert.is_true(y:abs():max() <= 3)
        end
      end
    end
  end)

  it('rounds bytes', function()
    local x, field = torch.ByteTensor { { 0, 255 } }, torch.zeros(2, 1, 1)
    field[2] = 0.25
    assert.equal(64, image.warp(x, field, 'bilinear', false)[1][1])
    field[2] = 0.002
    assert.equal(1, image.warp(x, field, 'bilinear', false)[1][1])
  end)

  it('has derivatives by picture and field, for batches too', function()
    local x, field = torch.rand(2, 3, 5, 6):double(), torch.rand(2, 2, 4, 4):double()
    for _, mode in ipairs { 'bilinear', 'bicubic', 'lanczos' } do
      assert(autograd.gradcheck(function(a, b) return torch.pow(image.warp(a, b, mode), 2) end, { x, field }))
    end
    assert(autograd.gradcheck(function(a) return image.rotate(a, 0.3, 'bilinear') end, { x }))
    local matrix = torch.DoubleTensor { { 0.9, 0.1 }, { -0.2, 0.8 } }
    assert(autograd.gradcheck(function(a, m) return image.affinetransform(a, m, 'bilinear', { 0.3, 0.2 }) end, { x, matrix }))
  end)

  it('reports invalid input', function()
    local x = torch.rand(3, 4, 4)
    complains('image.warp: field: torch.DoubleTensor %[3, 4, 4%], expected a field %(2 x height x width%)', image.warp, x, x)
    local field = torch.zeros(2, 4, 4)
    complains("image.warp: mode: 'linear', expected 'bilinear', 'simple', 'bicubic', 'lanczos'", image.warp, x, field, 'linear')
    complains("image.warp: clamp: 'wrap', expected 'clamp', 'pad', 'zeros'", image.warp, x, field, 'simple', true, 'wrap')
    complains('image.warp: src: nil', image.warp)
  end)
end)

it('image.rotate takes an angle', function()
  assert.error_matches(function() image.rotate(torch.rand(2, 2), 'left') end, "image.rotate: theta: 'left', expected a number")
end)

describe('affine and perspective maps:', function()
  local x = numbered(3, 4)

  it('affinetransform maps about the centre, then moves', function()
    for _, size in ipairs { { 2, 3 }, { 3, 2 }, { 4 } } do
      complains('matrix: .*, expected a matrix of 2 x 2', image.affinetransform, x, torch.ones(unpack(size)))
    end
    assert.same({ { 12, 11, 10, 9 }, { 8, 7, 6, 5 }, { 4, 3, 2, 1 } }, listed(image.affinetransform(x, torch.eye(2):mul(-1))))
    assert.same({ { 0, 0, 0, 0 }, { 0, 1, 2, 3 }, { 0, 5, 6, 7 } },
      listed(image.affinetransform(x, torch.eye(2), 'simple', { 1, 1 }, 'pad')))
    local angle = math.pi / 6
    local rotation = torch.DoubleTensor { { math.cos(angle), math.sin(angle) }, { -math.sin(angle), math.cos(angle) } }
    local big = torch.rand(3, 20, 30)
    local difference = torch.add(image.affinetransform(big, rotation, 'bilinear', nil, 'pad'), -1, image.rotate(big, angle, 'bilinear'))
    assert.is_true(difference:abs():max() < 1e-12)
  end)

  it('homography takes four points to four others', function()
    local from, to = { { 0, 0 }, { 10, 0 }, { 10, 8 }, { 0, 8 } }, { { 1, 2 }, { 9, 1 }, { 12, 9 }, { -1, 7 } }
    local map = image.homography(from, to)
    for i = 1, 4 do
      local v = torch.mv(map, torch.DoubleTensor { from[i][1], from[i][2], 1 })
      assert.is_true(math.abs(v[1] / v[3] - to[i][1]) < 1e-10 and math.abs(v[2] / v[3] - to[i][2]) < 1e-10)
    end
    complains('image.homography: from: three points on a line', image.homography, { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 3 } }, to)
  end)

  it('perspective takes corners to corners, at any size', function()
    local corners = { { 0, 0 }, { 3, 0 }, { 3, 2 }, { 0, 2 } }
    assert.is_true(torch.add(image.perspective(x, corners), -1, x):abs():max() < 1e-12)
    local turned = image.perspective(x, { corners[2], corners[3], corners[4], corners[1] }, { width = 3, height = 4 })
    assert.is_true(torch.add(turned, -1, torch.rot90(x, 1)):abs():max() < 1e-12)
    assert.same({ 2, 7, 5 }, image.perspective(torch.rand(2, 3, 4), corners, { width = 5, height = 7, mode = 'bicubic' }):size():totable())
    local dst = torch.FloatTensor()
    assert.equal(dst, image.perspective(dst, x, torch.eye(3)))
    assert.same(listed(x), listed(dst))
    local moved = torch.DoubleTensor { { 1, 0, 2 }, { 0, 1, 0 }, { 0, 0, 1 } }      -- two columns to the left
    local row = torch.DoubleTensor { { 1, 2, 3 } }
    assert.same({ { 3, 0, 0 } }, image.perspective(row, moved):totable())
    assert.same({ { 3, 9, 9 } }, image.perspective(row, moved, { padvalue = 9 }):totable())
    assert.same({ { 3, 3, 3 } }, image.perspective(row, moved, { clamp = 'clamp' }):totable())
    local line, off = { { 1, 5 }, { 2, 6 }, { 4, 8 } }, { 0, 3 }
    for place = 1, 4 do
      local points = { unpack(line) }
      table.insert(points, place, off)
      complains('three points on a line', image.perspective, x, points)
    end
  end)

  it('polar coordinates: rows are angles, columns distances', function()
    local height, width = 21, 21
    local rings = torch.DoubleTensor(height, width)
    for i = 1, height do for j = 1, width do rings[i][j] = math.sqrt((i - 11) ^ 2 + (j - 11) ^ 2) end end
    local y = image.polar(rings, 'bicubic')
    local distances = torch.range(0, width - 1):mul(10.5 / width)
    -- at distances of 2 and more, where the cone is smooth, each row shows the distance itself
    for i = 1, height do assert.is_true(torch.add(y[i], -1, distances):narrow(1, 5, 15):abs():max() < 0.02) end
    complains('image.polar: src: ', image.polar, torch.rand(1, 1, 3, 4, 4))
    local log = image.logpolar(rings, 'bicubic')
    for j = 12, 19 do assert.is_true(math.abs(log[3][j] - math.exp((j - 1) * math.log(10.5) / width)) < 0.02) end
    assert.same({ 4, 6 }, image.polar(torch.Tensor(4, 6), rings, 'simple', 'full'):size():totable())
    assert.equal(0, image.polar(rings, 'simple', 'full')[1][21])      -- beyond the edge, towards the right
  end)
end)
