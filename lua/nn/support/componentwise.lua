--- Makes nn.CAdd and nn.CMul: a learnt tensor that is added to each sample, or multiplies it.
-- @module nn.support.componentwise
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local sizesOf = require('torch.check.message').sizes
local boundOf = require 'nn.support.bound'

-- The parameter in a shape that broadcasts over the input.
local function beside(name, parameter, input)
  if parameter:dim() == 1 and input:dim() == 2 and parameter:size(1) == input:size(2) then return parameter end
  if parameter:nElement() == input:nElement() then return torch.viewAs(parameter, input) end
  if parameter:dim() == input:dim() then
    local fits = true
    for d = 1, input:dim() do fits = fits and (parameter:size(d) == 1 or parameter:size(d) == input:size(d)) end
    if fits then return parameter end
  end
  local count = input:size(1)
  if input:nElement() ~= count * parameter:nElement() then
    error(('%s: input: size %s, which does not fit %s'):format(name, sizesOf(input), sizesOf(parameter)), 0)
  end
  local sizes = input:size()
  sizes[1] = 1
  return torch.view(parameter, sizes)
end

--- @tparam string name of the class
-- @tparam string field of the parameter
-- @tparam function fn combines input and parameter, and broadcasts
-- @treturn table the class
return function(name, field, fn)
  local class, parent = torch.class(name, 'nn.Module')

  function class:__init(...)
    parent.__init(self)
    local sizes = check.sizes(name, ...)
    self.size = torch.LongStorage(#sizes):copy(sizes)
    self:declare(field, torch.Tensor(self.size))
    self:reset()
  end

  --- Draws the parameter uniformly between -s and s, s = 1 / sqrt(number of elements).
  -- @tparam[opt] number stdv standard deviation to have instead
  function class:reset(stdv)
    self:draw(boundOf(self, stdv, 1 / math.sqrt(self[field]:nElement())))
  end

  function class:compute(input)
    return fn(input, beside(name, self[field], input))
  end

  return class
end
