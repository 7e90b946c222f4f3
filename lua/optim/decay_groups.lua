--- Groups of parameters for weight decay.
-- @module optim.decay_groups
local torch, check = require 'torch', require 'torch.check'
local kindOf = require('torch.check.message').kind

local groups = {}

-- Returns lists of parameters and of their names.
local function parametersOf(given)
  if type(given) == 'table' and torch.typename(given) and given.namedParameters then
    local list, names = {}, {}
    for name, parameter in given:namedParameters() do
      list[#list + 1] = parameter
      names[parameter] = name
    end
    return list, names
  end
  if type(given) ~= 'table' or torch.typename(given) then
    check.raise(('optim.decayGroups: parameters: %s, expected a list of tensors or a module'):format(kindOf(given)))
  end
  return given, {}
end

--- Divides parameters into two groups for an optimiser: those that its weight decay shrinks, and the others, with the option weightDecay =
-- 0. By default biases, and the weights of normalisations, do not decay: parameters with one dimension.
-- @param parameters a list of tensors, or a module
-- @tparam[opt] function decays (parameter, name) -> whether it decays; the name is that of a module's namedParameters, else nil
-- @treturn {table,table} groups, the first decays; one of them may have no parameters
-- @usage local steps = optim.AdamW(optim.decayGroups(net), { weightDecay = 0.1 })
function groups.decayGroups(parameters, decays)
  local list, names = parametersOf(parameters)
  if type(decays) == 'table' and torch.isTensor(decays[1]) then decays = nil end      -- the gradients of net:parameters()
  if decays ~= nil then check.callable('optim.decayGroups', 'decays', decays) end
  local decaying, others, met = {}, {}, {}
  for i, parameter in ipairs(list) do
    check.tensor('optim.decayGroups', 'parameters: number ' .. i, parameter)
    local does
    if decays then does = decays(parameter, names[parameter]) else does = parameter:dim() > 1 end
    if not met[parameter] then table.insert(does and decaying or others, parameter) end
    met[parameter] = true
  end
  return { { parameters = decaying }, { parameters = others, weightDecay = 0 } }
end

return groups
