--- The state of an optimiser as a table: Optimizer:stateDict and loadStateDict.
-- @module optim.optimizer_state
local torch, check = require 'torch', require 'torch.check'
local rules = require 'optim.rules'
local noGrad = require('autograd.mode').noGrad
local kindOf = require('torch.check.message').kind
local Optimizer = torch.getmetatable 'optim.Optimizer'

-- Returns a copy of a table and of the tables in it; tensors are shared or copied.
local function copyOf(value, copiesTensors)
  if torch.isTensor(value) then return copiesTensors and value:clone() or value end
  if type(value) ~= 'table' then return value end
  local copy = {}
  for key, part in pairs(value) do copy[key] = copyOf(part, copiesTensors) end
  return copy
end

--- Returns the state that a program needs to continue later. torch.save also accepts the optimiser itself, with its parameters.
-- @treturn table `class`, its name; `groups`, for each group all options and the numbers of its parameters; `state`, by these numbers.
--   Tensors are shared with the optimiser
function Optimizer:stateDict()
  local groups, count = {}, 0
  for i, group in ipairs(self.groups) do
    local options, numbers = rules.options(self._rule, group, self.config), {}
    for k = 1, #group.parameters do numbers[k] = count + k end
    count = count + #numbers
    options.parameters = numbers
    groups[i] = copyOf(options)
  end
  return { class = torch.typename(self), groups = groups, state = copyOf(self.state) }
end

local function checkGroups(self, where, groups)
  check.table(where, 'state: groups', groups)
  if #groups ~= #self.groups then
    check.raise(('%s: state: %d groups, expected %d as in the optimiser'):format(where, #groups, #self.groups))
  end
  for i, group in ipairs(groups) do
    local here = ('%s: state: group %d'):format(where, i)
    local numbers = type(group) == 'table' and type(group.parameters) == 'table' and #group.parameters
    local expected = #self.groups[i].parameters
    if numbers ~= expected then
      check.raise(('%s: %s parameters, expected %d as in the optimiser'):format(here, numbers or 'no', expected))
    end
    rules.checkOptions(here, self._rule, group, 'parameters')
  end
end

local function checkState(self, where, state)
  check.table(where, 'state: state', state)
  for i, own in pairs(state) do
    local parameter = self.parameters[i]
    local here = ('%s: state: parameter %s'):format(where, tostring(i))
    if not parameter then check.raise(('%s, expected one from 1 to %d'):format(here, #self.parameters)) end
    if type(own) ~= 'table' or type(own[self._rule.counter]) ~= 'number' then
      check.raise(('%s: %s, expected a table with the number %s'):format(here, kindOf(own), self._rule.counter))
    end
    for name, value in pairs(own) do
      local factored = self._rule.otherSizes and self._rule.otherSizes[name]
      if torch.isTensor(value) and not factored and value:nElement() ~= parameter:nElement() then
        check.raise(('%s: %s has %d elements, expected %d'):format(here, tostring(name), value:nElement(), parameter:nElement()))
      end
    end
  end
end

-- Writes the options where the optimiser has them.
local function setOptions(self, groups)
  for i, group in ipairs(groups) do
    for name, value in pairs(group) do
      if name ~= 'parameters' then self:setOption(name, copyOf(value), i) end
    end
  end
end

--- Continues from a state. The optimiser has the same groups of parameters; tensors are copied, in the type and on the device of their
-- parameters.
-- @tparam table state result of `stateDict`
-- @raise if it is of another class, or of groups or parameters of other sizes; then nothing changes
function Optimizer:loadStateDict(state)
  local where = torch.typename(self) .. '.loadStateDict'
  check.table(where, 'state', state)
  if state.class ~= torch.typename(self) then
    check.raise(('%s: state: of %s, expected one of %s'):format(where, tostring(state.class), torch.typename(self)))
  end
  checkGroups(self, where, state.groups)
  checkState(self, where, state.state)
  setOptions(self, state.groups)
  self.state = noGrad(copyOf, state.state, true)
  for i, own in pairs(self.state) do self:_cast(own, self.parameters[i]) end
end

return true
