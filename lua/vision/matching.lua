--- Which detections of a picture match which objects, as COCO decides. Source: COCOeval.evaluateImg of pycocotools.
-- @module vision.matching
local check = require 'torch.check'
local masks = require 'vision.masks'
local runs = require 'vision.runs'

local matching = {}

--- Reads a mask in COCO's form into an object's fields.
function matching.readMask(where, name, rle, object)
  object.mask, object.height, object.width = masks.read(where, name, rle)
  object.area = runs.area(object.mask)
end

local function shared(a, b)
  local width = math.min(a[3] + a[1], b[3] + b[1]) - math.max(a[1], b[1])
  local height = math.min(a[4] + a[2], b[4] + b[2]) - math.max(a[2], b[2])
  return width > 0 and height > 0 and width * height or 0
end

--- Intersection over union of each detection with each object; for crowds, over the detection.
-- @treturn {{number,...},...}
function matching.overlaps(where, found, objects, isMasks)
  local all = {}
  for i, a in ipairs(found) do
    all[i] = {}
    for j, b in ipairs(objects) do
      local common, own, other
      if isMasks then
        check.that(a.height == b.height and a.width == b.width,
          ('%s: detections: a mask of %d x %d, expected %d x %d as of the object'):format(where, a.height, a.width, b.height, b.width))
        local _, count = runs.merge(a.mask, b.mask, true)
        common, own, other = count, a.area, runs.area(b.mask)
      else
        common, own, other = shared(a.box, b.box), a.box[3] * a.box[4], b.box[3] * b.box[4]
      end
      all[i][j] = common > 0 and common / (b.isCrowd and own or own + other - common) or 0
    end
  end
  return all
end

-- The object that a detection matches, from the order of objects, those that count first.
local function best(overlaps, order, taken, isIgnored, objects, threshold)
  local least, at = math.min(threshold, 1 - 1e-10), nil
  for _, k in ipairs(order) do
    if not taken[k] or objects[k].isCrowd then
      if at and not isIgnored[at] and isIgnored[k] then break end
      if overlaps[k] >= least then least, at = overlaps[k], k end
    end
  end
  return at
end

--- Matches detections, in the order of their scores, with objects. Objects that are crowds, or have an area outside of the range, are
-- ignored, as are detections that match them, or match none and have such an area.
-- @tparam {table,...} found
-- @tparam {table,...} objects
-- @tparam {{number,...},...} overlaps
-- @tparam {number,number} range of areas
-- @tparam {number,...} thresholds
-- @treturn table `objects`, the number of those that count; `scores`; for each threshold `matched` and `ignored` of each detection
function matching.pairsOf(found, objects, overlaps, range, thresholds)
  local isIgnored, order, result = {}, {}, { objects = 0, scores = {}, matched = {}, ignored = {} }
  local function isOutside(area) return area < range[1] or area > range[2] end
  for k, object in ipairs(objects) do isIgnored[k] = object.isCrowd or isOutside(object.area) end
  for pass = 1, 2 do
    for k = 1, #objects do
      if isIgnored[k] == (pass == 2) then order[#order + 1] = k end
    end
    if pass == 1 then result.objects = #order end
  end
  for i, each in ipairs(found) do result.scores[i] = each.score end
  for number, threshold in ipairs(thresholds) do
    local taken, matched, ignored = {}, {}, {}
    for i, each in ipairs(found) do
      local at = best(overlaps[i], order, taken, isIgnored, objects, threshold)
      if at then taken[at] = true end
      matched[i] = at ~= nil
      if at then ignored[i] = isIgnored[at] else ignored[i] = isOutside(each.area) end
    end
    result.matched[number], result.ignored[number] = matched, ignored
  end
  return result
end

return matching
