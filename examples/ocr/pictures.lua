--- Pictures for the networks: their sizes and numbers, and lines cut out of a picture.
local torch, image = require 'torch', require 'image'

local pictures = {}

--- A picture in another size, with blue first, as the networks learnt them, from -1 to 1.
-- @tparam torch.ByteTensor picture 3 x height x width
-- @int height
-- @int width
-- @treturn torch.FloatTensor 3 x height x width
function pictures.normalised(picture, height, width)
  local scaled = image.resample(picture, width, height, 'bilinear', false)
  return torch.flip(scaled, { 1 }):float():div(127.5):add(-1)
end

--- A picture as high as a network needs it, on the left of zeros; what is wider is made narrower.
-- @tparam torch.ByteTensor picture 3 x h x w
-- @int height
-- @int width
-- @treturn torch.FloatTensor 1 x 3 x height x width
function pictures.fitted(picture, height, width)
  local seen = math.min(width, math.ceil(height * picture:size(3) / picture:size(2)))
  local result = torch.FloatTensor(1, 3, height, width):zero()
  result[1]:narrow(3, 1, seen):copy(pictures.normalised(picture, height, seen))
  return result
end

local function distance(a, b) return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2) end

--- A part of a picture as a picture with horizontal lines: what is upright is turned counter-clockwise.
-- @tparam torch.ByteTensor picture 3 x height x width
-- @tparam {{number,number},...} corners from the top left one clockwise
-- @treturn torch.ByteTensor 3 x height x width
function pictures.cut(picture, corners)
  local width = math.max(1, math.floor(math.max(distance(corners[1], corners[2]), distance(corners[3], corners[4]))))
  local height = math.max(1, math.floor(math.max(distance(corners[1], corners[4]), distance(corners[2], corners[3]))))
  local map = image.homography({ { 0, 0 }, { width, 0 }, { width, height }, { 0, height } }, corners)
  local part = image.perspective(picture:float(), map, { width = width, height = height, mode = 'bicubic', clamp = 'clamp' })
  part = part:clamp(0, 255):add(0.5):byte()
  return height / width >= 1.5 and torch.flip(part:transpose(2, 3), { 2 }) or part
end

--- The same upside down.
-- @tparam torch.ByteTensor picture
-- @treturn torch.ByteTensor
function pictures.turned(picture) return torch.flip(picture, { 2, 3 }) end

return pictures
