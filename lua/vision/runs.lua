--- Masks as lengths of runs of 0 and 1, column by column, and COCO's text of them.
-- Runs are a list of lengths: of zeros, of ones, and so on; the first may be 0. Source: COCO's maskApi.c (P. Dollár, T.-Y. Lin).
-- @module vision.runs
local bit, ffi = require 'bit', require 'ffi'
local torch = require 'torch'

local runs = {}

local band, bor, arshift, lshift = bit.band, bit.bor, bit.arshift, bit.lshift

--- Runs of a mask.
-- @tparam torch.ByteTensor mask (height, width), of 0 and others
-- @treturn {int,...}
function runs.ofMask(mask)
  local columns = mask:t():contiguous()
  local p, n = ffi.cast('const uint8_t *', columns:data()), columns:nElement()
  local list, at, isSet, length = {}, 0, false, 0
  for i = 0, n - 1 do
    if (p[i] ~= 0) ~= isSet then
      at = at + 1
      list[at] = length
      isSet, length = not isSet, 0
    end
    length = length + 1
  end
  list[at + 1] = length
  return list
end

--- A mask of runs.
-- @tparam {int,...} list
-- @int height
-- @int width
-- @treturn torch.ByteTensor (height, width)
function runs.toMask(list, height, width)
  local columns = torch.ByteTensor(width, height):zero()
  if height * width == 0 then return torch.ByteTensor(height, width) end
  local p, at = ffi.cast('uint8_t *', columns:data()), 0
  for i = 1, #list do
    if i % 2 == 0 then ffi.fill(p + at, list[i], 1) end
    at = at + list[i]
  end
  return columns:t():contiguous()
end

--- COCO's text of runs: differences to the run before the last one, in groups of 5 bits.
-- @tparam {int,...} list
-- @treturn string
function runs.toText(list)
  local bytes = {}
  for i = 1, #list do
    local x = i > 3 and list[i] - list[i - 2] or list[i]
    local more = true
    while more do
      local group = band(x, 31)
      x = arshift(x, 5)
      if band(group, 16) ~= 0 then more = x ~= -1 else more = x ~= 0 end
      bytes[#bytes + 1] = string.char((more and bor(group, 32) or group) + 48)
    end
  end
  return table.concat(bytes)
end

--- Runs of COCO's text.
-- @string text
-- @int total the height times the width
-- @treturn ?{int,...} nil if the text has another total, or is no text of runs
-- @treturn ?string what is wrong
function runs.ofText(text, total)
  local list, at, sum = {}, 1, 0
  while at <= #text do
    local x, shift, more = 0, 0, true
    while more do
      local byte = text:byte(at)
      if not byte or byte < 48 or byte > 111 or shift > 30 then return nil, ('no text of runs at byte %d'):format(at) end
      local group = byte - 48
      x = bor(x, lshift(band(group, 31), shift))
      more, shift, at = band(group, 32) ~= 0, shift + 5, at + 1
      if not more and band(group, 16) ~= 0 and shift < 32 then x = bor(x, lshift(-1, shift)) end
    end
    if #list > 2 then x = x + list[#list - 1] end
    sum = sum + x
    if x < 0 or sum > total then return nil, ('a run of %d, of %d pixels'):format(x, total) end
    list[#list + 1] = x
  end
  if sum ~= total then return nil, ('runs of %d pixels, expected %d'):format(sum, total) end
  return list
end

--- The number of ones.
function runs.area(list)
  local area = 0
  for i = 2, #list, 2 do area = area + list[i] end
  return area
end

--- Runs of the pixels that are 1 in both, or in at least one of two masks.
-- @tparam {int,...} a
-- @tparam {int,...} b
-- @bool isBoth
-- @treturn {int,...}
-- @treturn int the number of ones
function runs.merge(a, b, isBoth)
  local list, i, j, length, area = {}, 1, 1, 0, 0
  local restA, restB, setA, setB, isSet = a[1] or 0, b[1] or 0, false, false, false
  while true do
    while restA == 0 and i < #a do
      i = i + 1
      restA, setA = a[i], not setA
    end
    while restB == 0 and j < #b do
      j = j + 1
      restB, setB = b[j], not setB
    end
    local step = math.min(restA, restB)
    if step == 0 then break end
    local found
    if isBoth then found = setA and setB else found = setA or setB end
    if found ~= isSet then
      list[#list + 1] = length
      length, isSet = 0, found
    end
    length = length + step
    if found then area = area + step end
    restA, restB = restA - step, restB - step
  end
  list[#list + 1] = length
  return list, area
end

--- The smallest box around the ones: x, y, width, height, all 0 if there are none.
-- @tparam {int,...} list
-- @int height
-- @int width
function runs.box(list, height, width)
  local left, top, right, bottom, at = width, height, -1, -1, 0
  for i = 1, #list do
    local length = list[i]
    if i % 2 == 0 and length > 0 then
      local last = at + length - 1
      local column, lastColumn = math.floor(at / height), math.floor(last / height)
      left, right = math.min(left, column), math.max(right, lastColumn)
      if column < lastColumn then
        top, bottom = 0, height - 1
      else
        top, bottom = math.min(top, at % height), math.max(bottom, last % height)
      end
    end
    at = at + length
  end
  if right < 0 then return 0, 0, 0, 0 end
  return left, top, right - left + 1, bottom - top + 1
end

return runs
