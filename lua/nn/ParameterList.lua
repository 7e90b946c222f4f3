--- A list of parameters, as a member of a module: positions count from 1 here, and from 0 in `stateDict`, as in PyTorch.
-- @usage self.factors = nn.ParameterList { torch.randn(3), torch.randn(4) }
-- @classmod nn.ParameterList
local torch = require 'torch'
require 'nn'
local lists = require 'nn.support.member_lists'

local ParameterList, parent = torch.class('nn.ParameterList', 'nn.Module')

--- @tparam[opt] {torch.Tensor,...} parameters those that nn.Parameter did not create become parameters that share their memory
-- @raise if an entry is not a tensor
function ParameterList:__init(parameters)
  parent.__init(self)
  self._childNames = {}
  self:extend(parameters or {})
end

lists.asList(ParameterList, lists.parameters, 'parameters')

ParameterList.__givesWay = true      -- Torch7 lacks it

return ParameterList
