-- image.connectedComponents against a flood fill, and image.minAreaRect against all directions.
local torch, image = require 'torch', require 'image'

-- Numbers the parts of a mask by filling from the first element of each, row by row. Returns a list of lists, and the number of parts.
local function filled(mask, neighbours)
  local height, width, labels, count = #mask, #mask[1], {}, 0
  for y = 1, height do labels[y] = {} end
  local function fill(x, y)
    local stack = { { x, y } }
    while #stack > 0 do
      local point = table.remove(stack)
      x, y = point[1], point[2]
      if mask[y] and (mask[y][x] or 0) ~= 0 and not labels[y][x] then
        labels[y][x] = count
        for dy = -1, 1 do
          for dx = -1, 1 do
            if neighbours == 8 or dx * dy == 0 then stack[#stack + 1] = { x + dx, y + dy } end
          end
        end
      end
    end
  end
  for y = 1, height do
    for x = 1, width do
      if mask[y][x] ~= 0 and not labels[y][x] then
        count = count + 1
        fill(x, y)
      end
    end
  end
  for y = 1, height do
    for x = 1, width do labels[y][x] = labels[y][x] or 0 end
  end
  return labels, count
end

describe('image.connectedComponents', function()
  it('numbers the parts as a flood fill does', function()
    for i = 1, 60 do
      local height, width = torch.random(1, 24), torch.random(1, 24)
      local mask = torch.rand(height, width):lt(0.2 + 0.1 * (i % 6))
      for _, neighbours in ipairs { 4, 8 } do
        local labels, count = image.connectedComponents(mask, neighbours)
        local expected, number = filled(mask:totable(), neighbours)
        assert.same(expected, labels:totable())
        assert.equal(number, count)
      end
    end
  end)

  it('joins the arms of spirals and combs', function()
    local comb = torch.zeros(9, 41)
    for x = 1, 41, 2 do comb:select(2, x):fill(1) end
    assert.equal(21, select(2, image.connectedComponents(comb)))
    comb[9]:fill(1)
    local labels, count = image.connectedComponents(comb)
    assert.equal(1, count)
    assert.equal(comb:sum(), labels:sum())
  end)

  it('takes any type, and parts of a larger mask', function()
    local mask = torch.FloatTensor { { -0.5, 0, 3 }, { 0, 0, 3 }, { 0, 1, 0 } }
    assert.same({ { 1, 0, 2 }, { 0, 0, 2 }, { 0, 2, 0 } }, image.connectedComponents(mask):totable())
    assert.same({ { 1, 0, 2 }, { 0, 0, 2 }, { 0, 3, 0 } }, image.connectedComponents(mask, 4):totable())
    assert.same({ { 1, 0, 0 }, { 0, 0, 1 }, { 1, 1, 0 } }, image.connectedComponents(mask:t()):gt(0):int():totable())
    assert.same({ { 0, 1 }, { 0, 1 } }, image.connectedComponents(mask:narrow(1, 1, 2):narrow(2, 2, 2)):totable())
    assert.equal(0, select(2, image.connectedComponents(torch.zeros(3, 4))))
  end)

  it('refuses what is no mask', function()
    assert.error_matches(function() image.connectedComponents(torch.zeros(3)) end, 'image.connectedComponents: mask: .*expected a mask')
    assert.error_matches(function() image.connectedComponents(torch.zeros(3, 3), 6) end, 'neighbours: .*expected 4 or 8')
  end)
end)

describe('image.minAreaRect', function()
  local function product(corners, i, j, k)      -- of the sides from corner i to j and from j to k
    local a, b, c = corners[i], corners[j], corners[k]
    return (b[1] - a[1]) * (c[1] - b[1]) + (b[2] - a[2]) * (c[2] - b[2])
  end

  it('finds a rectangle again', function()
    for _ = 1, 30 do
      local length, width, angle = torch.uniform(1, 50), torch.uniform(1, 50), torch.uniform(-4, 4)
      local points = torch.Tensor { { 0, 0 }, { length, 0 }, { length, width }, { 0, width }, { length / 3, width / 2 }, { length / 2, 0 } }
      local turn = torch.Tensor { { math.cos(angle), math.sin(angle) }, { -math.sin(angle), math.cos(angle) } }
      points = points * turn + torch.Tensor { { 7, -3 } }:expand(6, 2)
      local corners, first, second = image.minAreaRect(points)
      assert.is_true(math.abs(first * second - length * width) < 1e-9 * length * width)
      assert.is_true(math.abs(first + second - length - width) < 1e-9 * (length + width))
      for i = 1, 4 do
        local nearest = math.huge
        for k = 1, 4 do
          nearest = math.min(nearest, math.abs(points[i][1] - corners[k][1]) + math.abs(points[i][2] - corners[k][2]))
        end
        assert.is_true(nearest < 1e-9 * (length + width))
      end
    end
  end)

  it('has no larger area than a rectangle of any direction, and all points inside', function()
    for _ = 1, 20 do
      local points = torch.randn(torch.random(3, 40), 2):mul(10):round()
      local corners, length, width = image.minAreaRect(points:totable())
      assert.is_true(math.abs(product(corners, 1, 2, 3)) < 1e-9 and math.abs(product(corners, 2, 3, 4)) < 1e-9)
      local least = math.huge
      for step = 0, 899 do
        local angle = step * math.pi / 1800
        local turned = points * torch.Tensor { { math.cos(angle), -math.sin(angle) }, { math.sin(angle), math.cos(angle) } }
        local sides = turned:max(1) - turned:min(1)
        least = math.min(least, sides[1][1] * sides[1][2])
      end
      assert.is_true(length * width <= least * (1 + 1e-12))
      assert.is_true(length * width > 0.99 * least)
      local origin, along, across = corners[1], corners[2], corners[4]
      for i = 1, points:size(1) do
        local x, y = points[i][1] - origin[1], points[i][2] - origin[2]
        local u = x * (along[1] - origin[1]) + y * (along[2] - origin[2])
        local v = x * (across[1] - origin[1]) + y * (across[2] - origin[2])
        assert.is_true(u > -1e-9 and u < length ^ 2 + 1e-9 and v > -1e-9 and v < width ^ 2 + 1e-9)
      end
    end
  end)

  it('is a line or a point where the points are', function()
    local corners, length, width = image.minAreaRect { { 1, 1 }, { 3, 3 }, { 2, 2 } }
    assert.is_true(math.abs(math.max(length, width) - math.sqrt(8)) < 1e-12 and math.min(length, width) < 1e-12)
    assert.equal(4, #corners)
    corners, length, width = image.minAreaRect { { 5, 6 }, { 5, 6 } }
    assert.same({ { { 5, 6 }, { 5, 6 }, { 5, 6 }, { 5, 6 } }, 0, 0 }, { corners, length, width })
  end)

  it('refuses what are no points', function()
    assert.error_matches(function() image.minAreaRect {} end, 'image.minAreaRect: points: .*expected points')
    assert.error_matches(function() image.minAreaRect(torch.zeros(3, 3)) end, 'expected points')
    assert.error_matches(function() image.minAreaRect { { 1, 2 }, { 1 } } end, 'point 2: .*expected two finite numbers')
    assert.error_matches(function() image.minAreaRect { { 1, 0 / 0 } } end, 'point 1: .*expected two finite numbers')
  end)
end)
