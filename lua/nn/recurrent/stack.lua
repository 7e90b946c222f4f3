--- The computation of nn.LSTM, nn.GRU and nn.RNN: several layers, each in one direction or two, from given states or zeros to the last
-- ones.
-- Functions have the module and its kind as arguments: a table with the class's `name`, the number of `states`, and `sequence`, which runs
-- one layer in one direction (see nn.recurrent.layers).
-- @module nn.recurrent.stack
local torch = require 'torch'
local lengths, parameters = require 'nn.recurrent.lengths', require 'nn.recurrent.parameters'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

-- Returns the initial states of a layer and direction.
local function startOf(module, kind, given, index, x)
  local list = {}
  for k = 1, kind.states do
    list[k] = given[k] and torch.select(given[k], 1, index) or x.new(x:size(2), module.size):zero()
  end
  return list
end

local function checkStates(module, kind, given, x)
  local expected = { module.layers * module.directions, x:size(2), module.size }
  for k = 1, kind.states do
    local state = given[k]
    local actual, wanted = state and table.concat(state:size():totable(), ', '), table.concat(expected, ', ')
    if state and actual ~= wanted then refuse.shape(('%s: state %d: [%s], expected [%s]'):format(kind.name, k, actual, wanted)) end
  end
end

-- Returns x as (T, N, in).
local function prepared(module, kind, x)
  local dims = x:dim()
  if dims ~= 2 and dims ~= 3 or x:size(dims) ~= module.inputSize or x:nElement() == 0 then
    refuse.shape(('%s: input: %s, expected (%s, %d)%s'):format(kind.name, sizesOf(x), module.batchFirst and 'N, T' or 'T, N',
      module.inputSize, x:nElement() == 0 and '; sequences of length 0 come by { x, lengths = ... }' or ''))
  end
  if dims == 2 then return torch.view(torch.contiguous(x), x:size(1), 1, module.inputSize) end
  return module.batchFirst and torch.contiguous(torch.transpose(x, 1, 2)) or x
end

-- Returns outputs (T, N, out) in the order of the input's dimensions.
local function inOrderOf(input, module, y)
  if input:dim() == 2 then return torch.view(y, y:size(1), y:size(3)) end
  return module.batchFirst and torch.contiguous(torch.transpose(y, 1, 2)) or y
end

local function dropped(module, x)
  if module.dropout == 0 or module.train == false then return x end
  return torch.cmul(x, x.new():resizeAs(x):bernoulli(1 - module.dropout):div(1 - module.dropout))
end

-- Runs one layer in one direction; returns outputs and last states.
local function runDirection(module, kind, x, start, own, reverse, list)
  if not list then return { kind.sequence(module, x, start, own, reverse) } end
  local function sequence(part, states, backwards) return kind.sequence(module, part, states, own, backwards) end
  return lengths.run(sequence, x, start, reverse, list)
end

-- Runs one layer; returns the concatenated outputs of its directions, and appends last states to `finals`.
local function runLayer(module, kind, x, layer, given, finals)
  local outputs = {}
  for direction = 1, module.directions do
    local start = startOf(module, kind, given, (layer - 1) * module.directions + direction, x)
    local results = runDirection(module, kind, x, start, parameters.of(module, layer, direction), direction == 2, given.lengths)
    outputs[direction] = results[1]
    for k = 1, kind.states do
      finals[k][#finals[k] + 1] = torch.view(torch.contiguous(results[k + 1]), 1, x:size(2), module.size)
    end
  end
  return #outputs == 1 and outputs[1] or torch.cat(outputs, 3)
end

--- Runs all layers.
-- @tparam nn.Module module
-- @tparam table kind
-- @tparam torch.Tensor|table input x, or {x, state, ..., lengths = or mask =}
-- @treturn torch.Tensor|table y, or {y, last state, ...}
return function(module, kind, input)
  local given, original = {}, input
  if type(input) == 'table' then
    original = input[1]
    for k = 1, kind.states do given[k] = input[k + 1] end
  end
  local x = prepared(module, kind, original)
  checkStates(module, kind, given, x)
  if type(input) == 'table' then given.lengths = lengths.of(kind.name, module, input, x:size(1), x:size(2)) end
  local finals = {}
  for k = 1, kind.states do finals[k] = {} end
  for layer = 1, module.layers do
    if layer > 1 then x = dropped(module, x) end
    x = runLayer(module, kind, x, layer, given, finals)
  end
  local y = inOrderOf(original, module, x)
  if type(input) ~= 'table' then return y end
  local results = { y }
  for k = 1, kind.states do results[k + 1] = torch.cat(finals[k], 1) end
  return results
end
