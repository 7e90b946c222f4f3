--- Masks of objects, as ByteTensors (height, width), and in COCO's form: tables with `size`, { height, width }, and `counts`, a text of the
-- lengths of runs, or a list of them.
-- @module vision
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'
local polygon = require 'vision.polygon'
local runs = require 'vision.runs'

local masks = {}

--- Checks a mask in COCO's form.
-- @treturn {int,...} runs
-- @treturn int height
-- @treturn int width
function masks.read(where, name, rle)
  check.table(where, name, rle)
  local size = check.table(where, name .. '.size', rle.size)
  local height = check.int(where, name .. '.size[1]', size[1], { min = 0, max = 2 ^ 24 })
  local width = check.int(where, name .. '.size[2]', size[2], { min = 0, max = 2 ^ 24 })
  check.that(height * width < 2 ^ 31, ('%s: %s.size: %d x %d, expected fewer than 2^31 pixels'):format(where, name, height, width))
  local list, problem = rle.counts, nil
  if type(list) == 'table' then
    local sum = 0
    for i = 1, #list do sum = sum + check.int(where, ('%s.counts[%d]'):format(name, i), list[i], { min = 0 }) end
    if sum ~= height * width then problem = ('runs of %.0f pixels, expected %d'):format(sum, height * width) end
  else
    list, problem = runs.ofText(check.text(where, name .. '.counts', list), height * width)
  end
  if problem then check.raise(('%s: %s.counts: %s'):format(where, name, problem)) end
  return list, height, width
end

local function write(list, height, width) return { size = { height, width }, counts = runs.toText(list) } end

local function matrix(where, name, x)
  check.tensor(where, name, x)
  if x:dim() ~= 2 then check.raise(('%s: %s: %s, expected a mask (height, width)'):format(where, name, messages.sizes(x)), 'shape') end
  return torch.type(x) == 'torch.ByteTensor' and x or torch.ne(x, 0):byte()
end

--- A mask in COCO's form.
-- @tparam torch.Tensor mask (height, width), where all but 0 counts as 1
-- @treturn table `size`, `counts`
function masks.encodeMask(mask)
  mask = matrix('vision.encodeMask', 'mask', mask)
  return write(runs.ofMask(mask), mask:size(1), mask:size(2))
end

--- The mask of COCO's form.
-- @tparam table rle `size`, and `counts`, a text or a list
-- @treturn torch.ByteTensor (height, width), 0 or 1
-- @raise if the runs have another total than height times width
function masks.decodeMask(rle) return runs.toMask(masks.read('vision.decodeMask', 'rle', rle)) end

--- The number of pixels of a mask in COCO's form.
-- @tparam table rle
-- @treturn int
function masks.maskArea(rle) return runs.area((masks.read('vision.maskArea', 'rle', rle))) end

--- The box around a mask in COCO's form.
-- @tparam table rle
-- @treturn int x, from 0
-- @treturn int y
-- @treturn int width, 0 of an empty mask
-- @treturn int height
function masks.maskBox(rle) return runs.box(masks.read('vision.maskBox', 'rle', rle)) end

--- The union of masks in COCO's form, or what they share.
-- @tparam {table,...} list at least one, all of one size
-- @bool[opt=false] isShared
-- @treturn table
function masks.mergeMasks(list, isShared)
  local where = 'vision.mergeMasks'
  check.table(where, 'list', list)
  check.that(#list > 0, where .. ': list: an empty list, expected masks')
  local found, height, width = masks.read(where, 'list[1]', list[1])
  for i = 2, #list do
    local name = ('list[%d]'):format(i)
    local each, ownHeight, ownWidth = masks.read(where, name, list[i])
    check.that(ownHeight == height and ownWidth == width,
      ('%s: %s: %d x %d, expected %d x %d'):format(where, name, ownHeight, ownWidth, height, width))
    found = runs.merge(found, each, isShared or false)
  end
  return write(found, height, width)
end

--- Intersection over union of masks in COCO's form, each of `a` with each of `b`.
-- @tparam {table,...} a n masks
-- @tparam {table,...} b m masks
-- @tparam[opt] {boolean,...} isCrowd of each of b: then the area of a replaces the union
-- @treturn torch.DoubleTensor (n, m)
function masks.maskIou(a, b, isCrowd)
  local where = 'vision.maskIou'
  local function all(name, list)
    local found = {}
    for i = 1, #check.table(where, name, list) do found[i] = { masks.read(where, ('%s[%d]'):format(name, i), list[i]) } end
    return found
  end
  local first, second = all('a', a), all('b', b)
  local result = torch.DoubleTensor(#first, #second)
  for i, x in ipairs(first) do
    for j, y in ipairs(second) do
      check.that(x[2] == y[2] and x[3] == y[3],
        ('%s: b[%d]: %d x %d, expected %d x %d'):format(where, j, y[2], y[3], x[2], x[3]))
      local _, shared = runs.merge(x[1], y[1], true)
      local own = runs.area(x[1])
      local union = isCrowd and isCrowd[j] and own or own + runs.area(y[1]) - shared
      result[i][j] = shared > 0 and shared / union or 0
    end
  end
  return result
end

--- The pixels of polygons, as COCO counts them.
-- @tparam {{number,...},...} polygons each x, y, x, y, ... of three corners or more; their union is the mask
-- @int height
-- @int width
-- @treturn table the mask in COCO's form
function masks.polygonsToMask(polygons, height, width)
  local where = 'vision.polygonsToMask'
  check.table(where, 'polygons', polygons)
  check.int(where, 'height', height, { min = 0, max = 2 ^ 24 })
  check.int(where, 'width', width, { min = 0, max = 2 ^ 24 })
  check.that(height * width < 2 ^ 31, ('%s: height: %d x %d, expected fewer than 2^31 pixels'):format(where, height, width))
  local found = { height * width }
  for i, points in ipairs(polygons) do
    local name = ('polygons[%d]'):format(i)
    check.table(where, name, points)
    check.that(#points >= 6 and #points % 2 == 0,
      ('%s: %s: %d numbers, expected x, y, ... of three corners or more'):format(where, name, #points))
    for k, value in ipairs(points) do check.number(where, ('%s[%d]'):format(name, k), value, { min = -2 ^ 24, max = 2 ^ 24 }) end
    found = runs.merge(found, polygon(points, height, width), false)
  end
  return write(found, height, width)
end

--- The boxes around masks, in pixels' places from 0: those of a mask of one pixel have no width, as torchvision's.
-- @tparam torch.Tensor x masks (n, height, width), where all but 0 counts as 1
-- @treturn torch.Tensor (n, 4); of empty masks all 0
function masks.masksToBoxes(x)
  local where = 'vision.masksToBoxes'
  check.tensor(where, 'x', x)
  if x:dim() ~= 3 then check.raise(('%s: x: %s, expected masks (n, height, width)'):format(where, messages.sizes(x)), 'shape') end
  local result = torch.Tensor(x:size(1), 4):zero()
  for i = 1, x:size(1) do
    local list = runs.ofMask(torch.ne(x[i], 0):byte())
    local left, top, width, height = runs.box(list, x:size(2), x:size(3))
    if width > 0 then result[i]:copy(torch.Tensor { left, top, left + width - 1, top + height - 1 }) end
  end
  return result
end

return masks
