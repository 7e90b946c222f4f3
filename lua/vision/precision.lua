--- COCO's twelve figures of detections: average precision and recall of boxes or masks.
-- The steps are those of pycocotools' COCOeval, so the figures are equal. Lin et al. (2014), "Microsoft COCO", ECCV.
-- @module vision
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'vision.arguments'
local boxes = require 'vision.boxes'
local match = require 'vision.matching'

local precision = {}

local areas = { all = { 0, 1e10 }, small = { 0, 32 ^ 2 }, medium = { 32 ^ 2, 96 ^ 2 }, large = { 96 ^ 2, 1e10 } }
local most = { 1, 10, 100 }
local thresholds, recalls = {}, {}
for i = 0, 9 do thresholds[i + 1] = i == 9 and 0.95 or i * ((0.95 - 0.5) / 9) + 0.5 end
for i = 0, 100 do recalls[i + 1] = i == 100 and 1 or i * 0.01 end

-- Numpy's order by descending scores: equal ones keep their order.
local function byScore(scores)
  local order = {}
  for i = 1, #scores do order[i] = i end
  table.sort(order, function(a, b) return scores[a] > scores[b] or scores[a] == scores[b] and a < b end)
  return order
end

-- The objects of a picture by class: lists of { box = { x, y, width, height }, mask, area, isCrowd, score }.
local function byClass(name, picture, options, scored)
  local where = 'vision.averagePrecision'
  check.table(where, name, picture)
  local isMasks, classes = options.kind == 'masks', {}
  local labels = check.tensor(where, name .. '.labels', picture.labels)
  local count = labels:nElement()
  labels = arguments.each(where, name .. '.labels', count == 0 and torch.LongTensor(0) or labels, count)
  local places
  if isMasks then
    check.table(where, name .. '.masks', picture.masks)
    check.that(#picture.masks == count, ('%s: %s.masks: a list of %d, expected %d'):format(where, name, #picture.masks, count))
  elseif count > 0 then
    places = arguments.boxes(where, name .. '.boxes', picture.boxes):double()
    check.that(places:size(1) == count, ('%s: %s.boxes: %d boxes, expected %d'):format(where, name, places:size(1), count))
    places = boxes.boxConvert(places, options.format, 'xywh'):totable()
  end
  local function each(field) return picture[field] and arguments.each(where, name .. '.' .. field, picture[field], count):totable() end
  local scores, crowds, given = scored and count > 0 and each 'scores', not scored and count > 0 and each 'isCrowd', nil
  if scored and count > 0 then check.that(scores, ('%s: %s.scores: nil, expected a tensor'):format(where, name)) end
  if not scored and count > 0 then given = each 'area' end
  for i = 1, count do
    local object = { isCrowd = crowds and crowds[i] ~= 0 or false, score = scores and scores[i] }
    if isMasks then
      match.readMask(where, ('%s.masks[%d]'):format(name, i), picture.masks[i], object)
    else
      object.box = places[i]
      object.area = object.box[3] * object.box[4]
    end
    if given then object.area = given[i] end
    local list = classes[labels[i]] or {}
    classes[labels[i]] = list
    list[#list + 1] = object
  end
  if scored then
    for class, list in pairs(classes) do
      local values, sorted = {}, {}
      for i, object in ipairs(list) do values[i] = object.score end
      for i, k in ipairs(byScore(values)) do sorted[i] = i <= most[#most] and list[k] or nil end
      classes[class] = sorted
    end
  end
  return classes
end

-- The precision at each recall, and the last recall, of the detections of all pictures in the order of their scores; nil without objects.
local function curve(pictures, number, limit)
  local hits, misses, scores, objects = {}, {}, {}, 0
  for _, found in ipairs(pictures) do
    objects = objects + found.objects
    local matched, ignored = found.matched[number], found.ignored[number]
    for i = 1, math.min(#found.scores, limit) do
      scores[#scores + 1] = found.scores[i]
      hits[#scores], misses[#scores] = matched[i] and not ignored[i], not matched[i] and not ignored[i]
    end
  end
  if objects == 0 then return nil end
  local recall, exact, right, wrong = {}, {}, 0, 0
  for i, k in ipairs(byScore(scores)) do
    if hits[k] then right = right + 1 end
    if misses[k] then wrong = wrong + 1 end
    recall[i], exact[i] = right / objects, right / (right + wrong + 2 ^ -52)
  end
  for i = #exact - 1, 1, -1 do exact[i] = math.max(exact[i], exact[i + 1]) end
  local sum, at = 0, 1
  for _, wanted in ipairs(recalls) do
    while at <= #recall and recall[at] < wanted do at = at + 1 end
    sum = sum + (exact[at] or 0)
  end
  return sum / #recalls, recall[#recall] or 0
end

-- Means over classes and thresholds, of precision and recall; -1 if no class has an object.
local function means(classes, area, limit, only)
  local sums, count = { 0, 0 }, 0
  for _, pictures in ipairs(classes) do
    for number = only or 1, only or #thresholds do
      local exact, recall = curve(pictures[area], number, limit)
      if exact then sums[1], sums[2], count = sums[1] + exact, sums[2] + recall, count + 1 end
    end
  end
  if count == 0 then return -1, -1 end
  return sums[1] / count, sums[2] / count
end

--- COCO's figures. In the fields of pictures, rows are objects; classes count only if a picture has objects of them.
-- @tparam {table,...} truth for each picture `labels`, integers (n), and `boxes` (n, 4) or `masks`, n masks in COCO's form; and maybe
-- `isCrowd` (n), not 0 for regions of many objects, and `area` (n), default: that of the box or the mask
-- @tparam {table,...} detections for each picture `labels`, `scores` (m), and `boxes` or `masks`
-- @tparam[opt] table options `kind`: 'boxes' or 'masks' ('boxes'); `format` of boxes: 'xyxy', 'xywh' or 'cxcywh' ('xyxy')
-- @treturn table AP, AP50, AP75, APsmall, APmedium, APlarge, AR1, AR10, AR100, ARsmall, ARmedium, ARlarge; -1 where no object counts
-- @raise if the lists have other lengths, or fields other sizes
function precision.averagePrecision(truth, detections, options)
  local where = 'vision.averagePrecision'
  options = check.options(where, options, { 'kind', 'format' })
  options = {
    kind = check.choice(where, 'kind', options.kind or 'boxes', { 'boxes', 'masks' }),
    format = check.choice(where, 'format', options.format or 'xyxy', { 'xyxy', 'xywh', 'cxcywh' }),
  }
  check.table(where, 'truth', truth)
  check.table(where, 'detections', detections)
  check.that(#truth == #detections, ('%s: detections: %d pictures, expected %d'):format(where, #detections, #truth))
  local byLabel, labels = {}, {}
  local pictures = {}
  for i = 1, #truth do
    local objects = byClass(('truth[%d]'):format(i), truth[i], options, false)
    pictures[i] = { objects, byClass(('detections[%d]'):format(i), detections[i], options, true) }
    for label in pairs(objects) do
      if not byLabel[label] then labels[#labels + 1] = label end
      byLabel[label] = true
    end
  end
  table.sort(labels)
  local classes = {}
  for k, label in ipairs(labels) do
    classes[k] = { all = {}, small = {}, medium = {}, large = {} }
    for _, picture in ipairs(pictures) do
      local objects, found = picture[1][label] or {}, picture[2][label] or {}
      if #objects + #found > 0 then
        local overlaps = match.overlaps(where, found, objects, options.kind == 'masks')
        for area, range in pairs(areas) do
          table.insert(classes[k][area], match.pairsOf(found, objects, overlaps, range, thresholds))
        end
      end
    end
  end
  local result = {}
  result.AP, result.AR100 = means(classes, 'all', 100)
  result.AP50, result.AP75 = means(classes, 'all', 100, 1), means(classes, 'all', 100, 6)
  for area, name in pairs { small = 'small', medium = 'medium', large = 'large' } do
    result['AP' .. name], result['AR' .. name] = means(classes, area, 100)
  end
  for _, limit in ipairs { 1, 10 } do
    local _, recall = means(classes, 'all', limit)
    result['AR' .. limit] = recall
  end
  return result
end

return precision
