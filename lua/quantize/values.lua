--- Values of a network of integers: each is computed as floats, or as integers, when a step asks for one or the other.
-- @module quantize.values
-- @local
local torch = require 'torch'

local Value = {}
Value.__index = Value

--- Creates a value.
-- @tparam table fields `makeFloats`: a function that returns a tensor; `makeIntegers`: a function of a key of a range that returns
-- integers, scale and zero point; `id`: the key of its range; `isRanged`: whether this range is known. What was computed once is converted:
-- `quantize(tensor, key)`, `dequantize(key, integers, scale, zero)`, and `rescale(from, key, integers, scale, zero)`
local function create(fields) return setmetatable(fields, Value) end

--- Returns the value as floats.
function Value:floats()
  if self.tensor then return self.tensor end
  local own = self.known and self.known[self.id]
  self.tensor = own and self.dequantize(self.id, unpack(own)) or self.makeFloats()
  return self.tensor
end

--- Returns the value as floats that were not integers on the way.
function Value:exact() return self.tensor or self.makeFloats() end

--- Returns whether floats or integers were computed.
function Value:isComputed() return self.tensor ~= nil or next(self.known or {}) ~= nil end

local function integersOf(self, id)
  if self.tensor then return self.quantize(self.tensor, id) end
  local own = self.known[self.id]
  if own then return self.rescale(self.id, id, unpack(own)) end
  return self.makeIntegers(id)
end

--- Returns integers, their scale and zero point, for the range of a key.
-- @param[opt] id default: the value's own key
function Value:quantized(id)
  id = id or self.id
  self.known = self.known or {}
  local known = self.known[id]
  if not known then
    known = { integersOf(self, id) }
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
