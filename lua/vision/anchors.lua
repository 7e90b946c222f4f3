--- Anchors: boxes of a few sizes and shapes around each place of feature maps.
-- @module vision
local torch, check = require 'torch', require 'torch.check'

local anchors = {}

-- The boxes of one place, around 0: each ratio of height to width has all sizes. Corners are whole, as torchvision's.
local function around(sizes, ratios)
  local list = {}
  for _, ratio in ipairs(ratios) do
    local tall = math.sqrt(ratio)
    for _, size in ipairs(sizes) do
      local function half(extent)      -- rounded half to even, as torch.round does
        local down = math.floor(extent / 2)
        local rest = extent / 2 - down
        return (rest > 0.5 or rest == 0.5 and down % 2 == 1) and down + 1 or down
      end
      local w, h = half(size / tall), half(size * tall)
      list[#list + 1] = { -w, -h, w, h }
    end
  end
  return torch.FloatTensor(list)
end

local function eachNumber(where, name, levels)
  check.table(where, name, levels)
  for i, level in ipairs(levels) do
    check.table(where, ('%s[%d]'):format(name, i), level)
    check.that(#level > 0, ('%s: %s[%d]: an empty list, expected numbers'):format(where, name, i))
    for k, value in ipairs(level) do
      check.number(where, ('%s[%d][%d]'):format(name, i, k), value)
      check.that(value > 0, ('%s: %s[%d][%d]: %s, expected a number above 0'):format(where, name, i, k, value))
    end
  end
end

--- Returns a function that makes the anchors of a picture, in the order of torchvision's AnchorGenerator: rows, columns, ratios, sizes.
-- @tparam {{number,...},...} sizes of anchors for each level of a pyramid, the side of a square of the same area
-- @tparam {{number,...},...} ratios of height to width, for each level
-- @treturn function of { { height, width } of each level's features } and { height, width } of the picture: a FloatTensor (n, 4)
-- @usage local make = vision.anchors({ { 32 }, { 64 } }, { { 0.5, 1, 2 }, { 0.5, 1, 2 } })
-- local boxes = make({ { 16, 16 }, { 8, 8 } }, { 256, 256 })
function anchors.anchors(sizes, ratios)
  local where = 'vision.anchors'
  eachNumber(where, 'sizes', sizes)
  eachNumber(where, 'ratios', ratios)
  check.that(#sizes == #ratios and #sizes > 0,
    ('%s: ratios: %d levels, expected %d as of sizes, at least one'):format(where, #ratios, #sizes))
  local cells = {}
  for i = 1, #sizes do cells[i] = around(sizes[i], ratios[i]) end
  return function(features, picture)
    check.table(where, 'features', features)
    check.that(#features == #cells, ('%s: features: %d levels, expected %d'):format(where, #features, #cells))
    local all = {}
    for i, level in ipairs(features) do
      local height, width = level[1], level[2]
      local strideY, strideX = math.floor(picture[1] / height), math.floor(picture[2] / width)
      local y = torch.mul(torch.range(0, height - 1):float(), strideY):view(-1, 1, 1)
      local x = torch.mul(torch.range(0, width - 1):float(), strideX):view(1, -1, 1)
      local function spread(v) return v:expand(height, width, 1) end
      local shifts = torch.cat({ spread(x), spread(y), spread(x), spread(y) }, 3):view(-1, 1, 4)
      local count = cells[i]:size(1)
      local cell = cells[i]:view(1, count, 4):expand(height * width, count, 4)
      all[i] = torch.add(shifts:expand(height * width, count, 4), cell):view(-1, 4)
    end
    return torch.cat(all, 1)
  end
end

return anchors
