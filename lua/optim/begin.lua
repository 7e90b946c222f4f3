--- The start of an algorithm's call: config and state, and a check of the names in a new config.
-- @module optim.begin
local torch, check = require 'torch', require 'torch.check'

-- Names of options in other libraries, and misspellings of them: the option that they mean, and its text in messages.
local others = {
  lr = { 'learningRate' }, learning_rate = { 'learningRate' }, learningrate = { 'learningRate' },
  lr_decay = { 'learningRateDecay' }, learning_rate_decay = { 'learningRateDecay' },
  weight_decay = { 'weightDecay' }, weightdecay = { 'weightDecay' }, betas = { 'beta1', 'beta1 and beta2' },
}

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

--- Raises an error for a config that is not a table, or has names of options that the algorithm would not find.
-- @string where
-- @param config
-- @tparam[opt] boolean lenient checks names only if the config contains nothing but options: a program of Torch7's may pass a table with
--   other content, in which `lr` means something else
function begin.check(where, config, lenient)
  if not isRecord(config) then
    check.raise(('%s: config: a %s, expected a table such as { learningRate = 0.1 }'):format(where, torch.type(config)))
  end
  for other, ours in pairs(others) do
    if config[other] ~= nil and config[ours[1]] == nil and (not lenient or onlyOptions(config)) then
      check.raise(('%s: config: %s, expected %s'):format(where, other, ours[2] or ours[1]))
    end
  end
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
