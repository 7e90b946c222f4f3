--- Samples of transforms, and what a step does to all parts of one.
-- @module vision.transforms
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'vision.arguments'
local boxes = require 'vision.boxes'
local messages = require 'torch.check.message'

local sample = {}

local perObject = { 'boxes', 'masks', 'keypoints', 'labels', 'scores', 'area', 'isCrowd' }

--- Checks a sample.
-- @string where
-- @param given
-- @treturn int height
-- @treturn int width
function sample.size(where, given)
  check.table(where, 'sample', given)
  local x = check.tensor(where, 'sample.image', given.image)
  if x:dim() ~= 3 or x:nElement() == 0 then
    check.raise(('%s: sample.image: %s, expected (channels, height, width)'):format(where, messages.sizes(x)), 'shape')
  end
  local height, width = x:size(2), x:size(3)
  for _, name in ipairs { 'masks', 'mask' } do
    local mask, dims = given[name], name == 'masks' and 3 or 2
    if mask ~= nil then
      check.tensor(where, 'sample.' .. name, mask)
      if mask:dim() ~= dims or mask:size(dims - 1) ~= height or mask:size(dims) ~= width then
        check.raise(('%s: sample.%s: %s, expected %s%d, %d)'):format(where, name, messages.sizes(mask), dims == 3 and '(n, ' or '(',
          height, width), 'shape')
      end
    end
  end
  local points = given.keypoints
  if points ~= nil and (check.tensor(where, 'sample.keypoints', points):dim() ~= 3 or points:size(3) < 2) then
    check.raise(('%s: sample.keypoints: %s, expected (n, k, 2 or more)'):format(where, messages.sizes(points)), 'shape')
  end
  if given.boxes ~= nil then arguments.boxes(where, 'sample.boxes', given.boxes) end
  return height, width
end

-- The boxes around the four mapped corners of each box.
local function mappedBoxes(x, points)
  local n = x:size(1)
  local corners = torch.reshape(x:index(2, torch.LongTensor { 1, 2, 3, 2, 3, 4, 1, 4 }), { n * 4, 2 })
  local moved = torch.reshape(points(corners), { n, 4, 2 })
  local first, last = torch.min(moved, 2), torch.max(moved, 2)
  return torch.cat({ first:view(n, 2), last:view(n, 2) }, 2)
end

--- Applies a step to all parts of a sample.
-- @tparam table given
-- @tparam table step `image`, a function of the picture; `mask`, one of masks (n, height, width); `points`, one of positions (m, 2);
-- `clips`, whether boxes lose what is outside
-- @treturn table
function sample.apply(given, step)
  local result = {}
  for name, value in pairs(given) do result[name] = value end
  result.image = step.image(given.image)
  local height, width = result.image:size(2), result.image:size(3)
  if given.boxes then
    local x = torch.isFloatingPoint(given.boxes) and given.boxes or given.boxes:double()
    result.boxes = x:size(1) > 0 and mappedBoxes(x, step.points) or x:clone()
    if step.clips then result.boxes = boxes.clipBoxes(result.boxes, height, width) end
  end
  if given.masks then
    result.masks = given.masks:size(1) > 0 and step.mask(given.masks) or given.masks.new(0, height, width)
  end
  if given.mask then result.mask = step.mask(given.mask:view(1, given.mask:size(1), given.mask:size(2)))[1] end
  if given.keypoints and given.keypoints:nElement() > 0 then
    local points = given.keypoints:clone()
    local places = points:narrow(3, 1, 2)
    places:copy(step.points(places:reshape(places:nElement() / 2, 2)):view(places:size()))
    result.keypoints = points
  end
  return result
end

--- Keeps some objects of a sample.
-- @tparam table given
-- @tparam torch.LongTensor kept their numbers
-- @treturn table
function sample.keep(given, kept)
  local result = {}
  for name, value in pairs(given) do result[name] = value end
  for _, name in ipairs(perObject) do
    local value = given[name]
    if torch.isTensor(value) then
      local size = value:size()
      size[1] = kept:nElement()
      result[name] = kept:nElement() > 0 and value:index(1, kept) or value.new():resize(size)
    end
  end
  return result
end

--- Removes objects whose boxes are small or outside of the picture.
-- @number[opt=1] least width and height
-- @treturn function
function sample.sanitize(least)
  local where = 'transforms.sanitize'
  least = check.number(where, 'least', least or 1, { min = 0 })
  return function(given)
    local height, width = sample.size(where, given)
    if not given.boxes then return given end
    local inside = boxes.clipBoxes(given.boxes, height, width)
    local same = torch.le(torch.max(torch.abs(torch.csub(inside, given.boxes:typeAs(inside))), 2), 0):view(-1)
    local large = torch.zeros(inside:size(1)):byte()
    local kept = boxes.removeSmallBoxes(inside, least)
    if kept:nElement() > 0 then large:indexFill(1, kept, 1) end
    return sample.keep(given, torch.nonzero(torch.cmul(same, large)):view(-1))
  end
end

return sample
