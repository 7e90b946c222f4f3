--- Steps by gradients of rows (torch.RowGradient): they read and write the rows that were used alone.
-- @module optim.rows
local torch, check = require 'torch', require 'torch.check'
local RowGradient, lists = require 'autograd.row_gradient', require 'optim.lists'

local rows = {}

--- Raises an error if an algorithm does not accept a gradient.
-- @string where
-- @tparam table rule
-- @tparam table options
-- @int i number of the parameter
-- @param gradient
function rows.check(where, rule, options, i, gradient)
  if not RowGradient.is(gradient) then
    if rule.onlyRows and gradient then
      check.raise(('%s: parameters: number %d has a dense gradient, expected one of rows; optim.Adam accepts dense ones'):format(where, i))
    end
    return
  end
  if not rule.takesRows then
    check.raise(('%s: parameters: number %d has a gradient of rows, expected a dense one; optim.SparseAdam, SGD and Adagrad accept rows')
      :format(where, i))
  end
  for _, name in ipairs { 'weightDecay', 'masterWeights' } do
    local value = options[name]
    if value and value ~= 0 then
      check.raise(('%s: config: %s: %s, expected %s for gradients of rows (parameter %d)'):format(where, name, tostring(value),
        value == true and 'false' or '0', i))
    end
  end
end

-- Makes the step of the rows at the positions.
local function stepOfRows(rule, x, positions, values, options, state, names, isFirst)
  local own, states = torch.index(x, 1, positions), {}
  for k, name in ipairs(names) do states[k] = { torch.index(state[name], 1, positions) } end
  rule.launch({ own }, { values }, states, options, state, isFirst)
  x:indexCopy(1, positions, own)
  for k, name in ipairs(names) do state[name]:indexCopy(1, positions, states[k][1]) end
end

--- Makes the step of a parameter.
-- @tparam table rule with `launch` and `takesRows(options)`: whether rows without a gradient stay as they are; otherwise the step is that
--   of the whole gradient
-- @tparam torch.Tensor parameter
-- @tparam torch.RowGradient gradient
-- @tparam table options
-- @tparam table state
function rows.step(rule, parameter, gradient, options, state)
  local x, names = parameter:detach(), rule.fields(options)
  local isFirst = names[1] ~= nil and not state[names[1]]
  for _, name in ipairs(names) do lists.fill({ state }, name, { x }, rule.start and rule.start(name, options)) end
  if rule.takesRows(options) then
    gradient:coalesce()
    local values = options.maximize and torch.neg(gradient:values()) or gradient:values()
    if values:nElement() > 0 then stepOfRows(rule, x, gradient:rows(), values, options, state, names, isFirst) end
  else
    local whole, states = gradient:toDense(), {}
    for k, name in ipairs(names) do states[k] = { state[name] } end
    rule.launch({ x }, { options.maximize and whole:neg() or whole }, states, options, state, isFirst)
  end
  state[rule.counter] = state[rule.counter] + 1
end

return rows
