--- Creates nn.CAdd and nn.CMul: a learned tensor that is added to each sample, or multiplies it.
-- @module nn.support.componentwise
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local sizesOf = require('torch.check.message').sizes
local boundOf = require 'nn.support.bound'
local refuse = require 'torch.check.refuse'

-- Whether the parameter broadcasts over the input in its present shape.
local function isBeside(parameter, input)
  if parameter:nElement() == input:nElement() then return true end
  local dims = input:dim()
  if parameter:dim() == 1 and dims == 2 then return parameter:size(1) == input:size(2) end
  if parameter:dim() ~= dims then return false end
  for d = 1, dims do
    if parameter:size(d) ~= 1 and parameter:size(d) ~= input:size(d) then return false end
  end
  return true
end

-- Returns the sizes in which it does, as one sample.
local function sampleSizes(name, parameter, input)
  if input:nElement() ~= input:size(1) * parameter:nElement() then
    refuse.shape(('%s: input: size %s, which does not fit %s'):format(name, sizesOf(input), sizesOf(parameter)))
  end
  local sizes = { 1 }
  for d = 2, input:dim() do sizes[d] = input:size(d) end
  return sizes
end

--- @tparam string name of the class
-- @tparam string field of the parameter
-- @tparam string op that combines input and parameter
-- @tparam table samples for the specs
-- @treturn table the class
return function(name, field, op, samples)
  local asItIs, asSample = ('%s(input, %s)'):format(op, field), ('%s(input, view(%s, sizes))'):format(op, field)

  local class, parent = nn.declare {
    name = name,
    parameters = { { field } },
    values = { 'sizes' },
    formula = function(self, input)
      local parameter = self[field]
      if isBeside(parameter, input) then return asItIs end
      return asSample, sampleSizes(name, parameter, input)
    end,
    samples = samples,
  }

  function class:__init(...)
    parent.__init(self)
    local sizes = check.sizes(name, ...)
    self.size = torch.LongStorage(#sizes):copy(sizes)
    self:declare(field, torch.Tensor(self.size))
    self:reset()
  end

  --- Draws the parameter uniformly between -s and s, s = 1 / sqrt(number of elements).
  -- @tparam[opt] number stdv standard deviation of the draws instead
  function class:reset(stdv)
    self:draw(boundOf(self, stdv, 1 / math.sqrt(self[field]:nElement())))
  end

  return class
end
