--- A dictionary of modules, as a member of another module; each is also a field.
-- @usage self.heads = nn.ModuleDict { { 'class', nn.Linear(3, 10) }, { 'box', nn.Linear(3, 4) } }
-- @classmod nn.ModuleDict
local torch = require 'torch'
require 'nn'
local lists = require 'nn.support.member_lists'

local ModuleDict, parent = torch.class('nn.ModuleDict', 'nn.Module')

--- @tparam[opt] table modules as for `update`
-- @raise if a value is not a module, or a key is not possible
function ModuleDict:__init(modules)
  parent.__init(self)
  self._childNames = {}
  self:update(modules or {})
end

lists.asDictionary(ModuleDict, lists.modules, 'modules')

function ModuleDict:__tostring__()
  local lines = {}
  for name, module in self:items() do lines[#lines + 1] = ('\n  (%s): %s'):format(name, (tostring(module):gsub('\n', '\n  '))) end
  return ('nn.ModuleDict {%s\n}'):format(table.concat(lines))
end

ModuleDict._takesNames = true      -- the names in a table are keys, not options
ModuleDict.__givesWay = true      -- Torch7 lacks it

return ModuleDict
