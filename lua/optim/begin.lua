--- The start of an algorithm's call: config and state, and a check of the names in a new config.
-- @module optim.begin
local torch, check = require 'torch', require 'torch.check'

-- Names of options in other libraries, and misspellings of them: the option that they mean, and its text in messages.
local others = {
  lr = { 'learningRate' }, learning_rate = { 'learningRate' }, learningrate = { 'learningRate' },
  lr_decay = { 'learningRateDecay' }, learning_rate_decay = { 'learningRateDecay' },
  weight_decay = { 'weightDecay' }, weightdecay = { 'weightDecay' }, betas = { 'beta1', 'beta1 and beta2' },
}

-- Names of options in PyTorch's optimisers, for hints of the classes.
local foreign = {
  eps = 'epsilon', lambd = 'lambda', etas = 'etaminus and etaplus', step_sizes = 'stepsizemin and stepsizemax', params = 'parameters',
  momentum_decay = 'momentumDecay', decoupled_weight_decay = 'decoupledWeightDecay', initial_accumulator_value = 'initialAccumulator',
  beta2_decay = 'beta2Decay', d = 'clipThreshold', ns_steps = 'iterations', ns_coefficients = 'coefficients', adjust_lr_fn = 'adjust',
  max_iter = 'maxIter', max_eval = 'maxEval', history_size = 'nCorrection', tolerance_grad = 'tolFun', tolerance_change = 'tolX',
  line_search_fn = 'lineSearch', eta0 = 'learningRate', stepsize = 'learningRate', trust_coefficient = 'trustCoefficient',
}

-- Options in PyTorch's optimisers about how a step is computed: here it is always one pass over all parameters.
local needless = { foreach = true, fused = true, capturable = true, differentiable = true }

local options = { initialMean = true, rho = true }
for name in ([[learningRate learningRateDecay learningRates weightDecay weightDecays momentum dampening nesterov
  beta1 beta2 alpha epsilon eps amsgrad masterWeights]]):gmatch '%S+' do options[name] = true end

local function onlyOptions(config)
  if type(config) ~= 'table' then return false end
  for name in pairs(config) do
    if not options[name] and not others[name] then return false end
  end
  return true
end

local function isRecord(value)
  local kind = type(value)
  return kind == 'table' or kind == 'cdata' or kind == 'userdata' and not torch.isTensor(value)
end

local begin = {}

-- Options that are numbers; a program may pass them as text, for example from its command line.
local numbers = 'learningRate learningRateDecay weightDecay momentum dampening beta1 beta2 alpha epsilon eps rho'

local function checkNumbers(where, config)
  for name in numbers:gmatch '%S+' do
    local value = config[name]
    if value ~= nil and tonumber(value) == nil then
      check.raise(('%s: config: %s: %s, expected a number'):format(where, name, torch.type(value)))
    end
  end
end

--- Raises an error for a config that is not a table, or has names of options that the algorithm would not find.
-- @string where
-- @param config
-- @tparam[opt] boolean lenient checks names only if the config contains nothing but options: a program of Torch7's may pass a table with
--   other content, in which `lr` means something else
function begin.check(where, config, lenient)
  if not isRecord(config) then
    check.raise(('%s: config: a %s, expected a table such as { learningRate = 0.1 }'):format(where, torch.type(config)))
  end
  if lenient then checkNumbers(where, config) end
  for other, ours in pairs(others) do
    if config[other] ~= nil and config[ours[1]] == nil and (not lenient or onlyOptions(config)) then
      check.raise(('%s: config: %s, expected %s'):format(where, other, ours[2] or ours[1]))
    end
  end
end

--- Returns the option that a name of another library means.
-- @string name
-- @tparam table known the options of the class
-- @treturn ?string nil if the class has no such option
function begin.hint(name, known)
  if needless[name] then return 'no such option: a step is one pass over all parameters, and is not recorded' end
  local ours = others[name] and (others[name][2] or others[name][1]) or foreign[name]
  return ours and (known[ours:match '^%w+'] ~= nil or name == 'params') and ours or nil
end

--- Raises an error for an option that is neither a number from 0 nor false.
-- @string where
-- @param value
function begin.optionalCount(where, value)
  local isRight = value == false or type(value) == 'number' and value >= 0
  check.that(isRight, ('%s: %s, expected a number, 0 or more, or false'):format(where, tostring(value)))
end

--- Returns the config and state of a call, or new tables.
-- @string where
-- @tparam ?table config
-- @tparam ?table state
-- @treturn table the config
-- @treturn table the state: the config unless given
-- @raise if one of them is no table
function begin.tables(where, config, state)
  if config ~= nil and type(config) ~= 'table' then begin.check(where, config, true) end
  if state ~= nil and not isRecord(state) then check.table(where, 'state', state) end
  config = config or {}
  return config, state or config
end

--- Returns the config and state of a call, and starts the counter.
-- @string where
-- @tparam ?table config
-- @tparam ?table state
-- @string counter field of the state that counts steps, from 0
-- @treturn table the config
-- @treturn table the state: the config unless given
-- @raise at the first step, as `check` does
function begin.call(where, config, state, counter)
  config, state = begin.tables(where, config, state)
  if state[counter] == nil then
    begin.check(where, config, true)
    state[counter] = 0
  end
  return config, state
end

return begin
