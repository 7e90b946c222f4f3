--- A dictionary of parameters, as a member of a module; each is also a field.
-- @usage self.factors = nn.ParameterDict { left = torch.randn(3), right = torch.randn(4) }
-- @classmod nn.ParameterDict
local torch = require 'torch'
require 'nn'
local lists = require 'nn.support.member_lists'

local ParameterDict, parent = torch.class('nn.ParameterDict', 'nn.Module')

--- @tparam[opt] table parameters as for `update`; tensors that nn.Parameter did not create become parameters that share their memory
-- @raise if a value is not a tensor, or a key is not possible
function ParameterDict:__init(parameters)
  parent.__init(self)
  self._childNames = {}
  self:update(parameters or {})
end

lists.asDictionary(ParameterDict, lists.parameters, 'parameters')

ParameterDict._takesNames = true      -- the names in a table are keys, not options
ParameterDict.__givesWay = true      -- Torch7 lacks it

return ParameterDict
