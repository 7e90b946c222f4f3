--- Values of a network of integers: each is computed as floats, or as integers, when a step asks for one or the other.
-- @module quantize.values
-- @local
local torch = require 'torch'

local Value = {}
Value.__index = Value

--- Creates a value.
-- @tparam table fields `makeFloats`: a function that returns a tensor; `makeIntegers`: a function of a key of a range that returns
-- integers, scale and zero point; `id`: the key of its range; `isRanged`: whether this range is known
local function create(fields) return setmetatable(fields, Value) end

--- Returns the value as floats.
function Value:floats()
  if not self.tensor then self.tensor = self.makeFloats() end
  return self.tensor
end

--- Returns integers, their scale and zero point, for the range of a key.
-- @param[opt] id default: the value's own key
function Value:quantized(id)
  id = id or self.id
  self.known = self.known or {}
  local known = self.known[id]
  if not known then
    known = { self.makeIntegers(id) }
    self.known[id] = known
  end
  return known[1], known[2], known[3]
end

--- Returns the sizes, or one of them.
-- @int[opt] dim
function Value:size(dim)
  local _, known = next(self.known or {})
  local like = self.tensor or known and known[1] or self.isRanged and self:quantized() or self:floats()
  if dim == nil then return like:size() end
  return like:size(dim)
end

local values = { create = create }

--- Returns whether something is a value.
function values.is(x) return getmetatable(x) == Value end

--- Returns a value or a list of values as floats; anything else as it is.
function values.resolve(x)
  if getmetatable(x) == Value then return x:floats() end
  if type(x) == 'table' and not torch.typename(x) then
    local list = {}
    for key, each in pairs(x) do list[key] = values.resolve(each) end
    return list
  end
  return x
end

return values
