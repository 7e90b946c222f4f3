--- Copies its input into a tensor of another type, and gradients back.
-- @classmod nn.Copy
local torch = require 'torch'
local nested, typeName = require 'nn.nested', require 'torch.class.type_name'

local function whole(typename)
  typename = typename or torch.Tensor.__typename
  return typeName(typename) or typename
end

local Copy, parent = require 'nn'.declare {
  name = 'nn.Copy',
  widens = false,
  compute = function(self, input)
    if self.intype == self.outtype and not self.forceCopy then return input end
    return torch.clone(torch.to(input, self.outtype))
  end,
}

--- @tparam[opt] string intype type of the input; by default the default type
-- @tparam[opt] string outtype
-- @tparam[opt=false] boolean forceCopy copy even if the types are equal
-- @tparam[opt=false] boolean dontCast keep the types when the module is converted
function Copy:__init(intype, outtype, forceCopy, dontCast)
  intype, outtype = whole(intype), whole(outtype)
  parent.__init(self)
  self.dontCast = dontCast
  self.intype, self.outtype, self.forceCopy = intype, outtype, forceCopy
  self.gradInput = torch.getmetatable(intype).new()
  self.output = torch.getmetatable(outtype).new()
end

--- Converts the output's type, or nothing if `dontCast` is set.
function Copy:type(typename, cache)
  if typename and self.dontCast then return self end
  if typename then self.outtype = nested.typeAfter(nested.checkType(self, typename), self.outtype) end
  return parent.type(self, typename, cache)
end

return Copy
