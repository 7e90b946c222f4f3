--- The step of classes that evaluate the loss at several points: the algorithm sees all parameters as one vector.
-- @module optim.search
local torch, check = require 'torch', require 'torch.check'
local rules, mode = require 'optim.rules', require 'autograd.mode'

-- Copies the elements of a vector to tensors.
local function scatter(vector, tensors)
  local at = 1
  for _, x in ipairs(tensors) do
    local n = x:nElement()
    if n > 0 then x:copy(vector:narrow(1, at, n):viewAs(x)) end
    at = at + n
  end
end

-- Copies tensors, or zeros for missing ones, to a vector.
local function gather(vector, tensors, found)
  local at = 1
  for _, x in ipairs(tensors) do
    local n, value = x:nElement(), found(x)
    if n > 0 then
      local part = vector:narrow(1, at, n)
      if value then part:copy(value:reshape(n)) else part:zero() end
    end
    at = at + n
  end
  return vector
end

local function itself(x) return x:detach() end
local function gradientOf(x) return x.grad end

local function valueOf(where, loss)
  if torch.isTensor(loss) and loss:nElement() == 1 then return loss:detach():view(1)[1] end
  if type(loss) ~= 'number' then check.raise(('%s: closure: returned %s, expected the loss'):format(where, torch.type(loss))) end
  return loss
end

local function vectorLike(parameters)
  local count = 0
  for _, x in ipairs(parameters) do
    if x:type() ~= parameters[1]:type() then
      check.raise(('optim.search: parameters: a %s and a %s, expected one type'):format(parameters[1]:type(), x:type()))
    end
    count = count + x:nElement()
  end
  return parameters[1]:detach().new():resize(count)
end

--- Makes a step.
-- @tparam optim.Optimizer optimizer its rule has `search(opfunc, x, options, state)`
-- @tparam function closure
-- @return the loss before the step, as the closure returned it
return function(optimizer, closure)
  local where = torch.typename(optimizer) .. '.step'
  check.callable(where, 'closure', closure)
  check.that(#optimizer.groups == 1, where .. ': groups: ' .. #optimizer.groups .. ', expected one')
  local parameters, rule, first = optimizer.parameters, optimizer._rule, nil
  if #parameters == 0 then return mode.enableGrad(closure) end
  local options = rules.options(rule, optimizer.groups[1], optimizer.config)
  local sign = options.maximize and -1 or 1
  local state = optimizer.state[1] or { [rule.counter] = 0 }
  optimizer.state[1] = state
  local x = mode.noGrad(gather, vectorLike(parameters), parameters, itself)
  mode.noGrad(rule.search, function(at)
    mode.noGrad(scatter, at, parameters)
    local loss = mode.enableGrad(closure)
    if first == nil then first = loss end
    local gradient = mode.noGrad(gather, at.new():resizeAs(at), parameters, gradientOf)
    return sign * valueOf(where, loss), sign == 1 and gradient or gradient:mul(-1)
  end, x, options, state)
  mode.noGrad(scatter, x, parameters)
  return first
end
