--- A list of modules, as a member of another module: positions count from 1 here, and from 0 in `stateDict`, as in PyTorch.
-- @usage self.layers = nn.ModuleList { nn.Linear(3, 4), nn.Linear(4, 2) }
-- @classmod nn.ModuleList
local torch, check = require 'torch', require 'torch.check'
require 'nn'
local lists = require 'nn.support.member_lists'

local ModuleList, parent = torch.class('nn.ModuleList', 'nn.Module')

--- @tparam[opt] {nn.Module,...} modules
-- @raise if an entry is not a module
function ModuleList:__init(modules)
  parent.__init(self)
  self._childNames = {}
  self:extend(modules or {})
end

lists.asList(ModuleList, lists.modules, 'modules')

-- Stores a list of modules as the members.
local function refill(self, list)
  for i = 1, math.max(#self, #list) do rawset(self, i, list[i]) end
  local names = {}
  for i = 1, #list do names[i] = i end
  self._childNames = names
end

--- Inserts a module before a position.
-- @int index from 1 to one past the last
-- @tparam nn.Module module
-- @raise if the index is out of range
function ModuleList:insert(index, module)
  check.int('nn.ModuleList: insert', 'index', index, { min = 1, max = #self + 1 })
  local list = { unpack(self) }
  table.insert(list, index, lists.modules.accept('nn.ModuleList: insert', 'module', module))
  refill(self, list)
end

--- Removes a module and returns it.
-- @int[opt] index from 1, by default that of the last
-- @treturn nn.Module
-- @raise if the index is out of range
function ModuleList:pop(index)
  index = check.int('nn.ModuleList: pop', 'index', index or #self, { min = 1, max = #self })
  local list = { unpack(self) }
  local removed = table.remove(list, index)
  refill(self, list)
  return removed
end

function ModuleList:__tostring__()
  local lines = {}
  for i, module in self:iter() do lines[i] = ('\n  (%d): %s'):format(i, (tostring(module):gsub('\n', '\n  '))) end
  return ('nn.ModuleList {%s\n}'):format(table.concat(lines))
end

ModuleList.__givesWay = true      -- Torch7 lacks it

return ModuleList
