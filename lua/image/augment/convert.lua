--- Types and ranges of elements.
-- @module image.augment
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'
local source = require 'image.augment.source'
local typeName = require 'torch.class.type_name'

local converting = {}

local function asFloats(x, whole)
  if x:isFloatingPoint() then return x:type() == whole and x or x:type(whole) end
  return x:type(whole):div(255)
end

--- Converts bytes to floats from 0 to 1; floats are unchanged.
-- @string[opt='float'] kind type of floats
-- @treturn function
function converting.toFloat(kind)
  local where = 'augment.toFloat'
  local whole = typeName(kind or 'float')
  if not whole or not torch[whole:match '^torch%.(.*)$']():isFloatingPoint() then
    check.raise(("%s: kind: %s, expected a type of floats such as 'float'"):format(where, messages.value(kind)))
  end
  return function(picture) return asFloats(source.picture(where, picture), whole) end
end

--- Converts floats from 0 to 1 to rounded bytes; bytes are unchanged.
-- @treturn function
function converting.toByte()
  return function(picture)
    local x = source.picture('augment.toByte', picture)
    if not x:isFloatingPoint() then return x:byte() end
    return torch.clamp(torch.mul(x, 255), 0, 255):add(0.5):byte()
  end
end

local function perChannel(where, name, value, min)
  if type(value) == 'number' then value = { value } end
  if torch.isTensor(value) then value = value:totable() end
  check.table(where, name, value)
  check.that(#value > 0, ('%s: %s: nothing, expected a number a channel'):format(where, name))
  for i = 1, #value do check.number(where, name, value[i], { min = min }) end
  return torch.FloatTensor(value):view(#value, 1, 1)
end

--- Subtracts a mean from each channel, and divides it by a deviation. Bytes are converted to floats from 0 to 1 first.
-- @tparam number|{number,...} mean one, or one per channel
-- @tparam number|{number,...} std likewise, not 0
-- @treturn function
function converting.normalize(mean, std)
  local where = 'augment.normalize'
  mean, std = perChannel(where, 'mean', mean), perChannel(where, 'std', std, 0)
  check.that(std:min() > 0, where .. ': std: 0, expected deviations above 0')
  local factorOfBytes = torch.mul(std, 255):pow(-1)
  return function(picture)
    local x = source.picture(where, picture)
    local channels = x:size(-3)
    for name, value in pairs { mean = mean, std = std } do
      if value:size(1) ~= 1 and value:size(1) ~= channels then
        check.raise(('%s: %s: %d numbers for a picture of %d channels'):format(where, name, value:size(1), channels))
      end
    end
    if not x:isFloatingPoint() then return x:float():add(-255, mean):cmul(factorOfBytes) end
    local shift, scale = mean:type(x:type()), std:type(x:type())
    return torch.add(x, -1, shift):cdiv(scale)
  end
end

return converting
