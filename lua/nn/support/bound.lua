--- The bound of the uniform draws of a module's parameters.
-- @module nn.support.bound
local torch, check = require 'torch', require 'torch.check'

--- Returns the bound of draws with a standard deviation, or the usual one.
-- @tparam nn.Module module for the message
-- @tparam ?number stdv
-- @tparam number usual
return function(module, stdv, usual)
  return stdv and check.number(torch.type(module), 'stdv', stdv) * math.sqrt(3) or usual
end
