--- The computation of nn.LSTM, nn.GRU and nn.RNN: several layers, each in one direction or two, from given states or zeros to the last
-- ones.
-- Functions have the module and its kind as arguments (nn.recurrent.kinds); `given` is what the input says: the initial states, and
-- `lengths`, a list.
-- @module nn.recurrent.stack
local torch = require 'torch'
local lengths, parameters = require 'nn.recurrent.lengths', require 'nn.recurrent.parameters'
local sizesOf = require('torch.check.message').sizes
local refuse = require 'torch.check.refuse'

local unpack = unpack

-- Returns the size of state k, h or c.
local function sizeOf(module, k) return k == 1 and parameters.outputSize(module) or module.size end

-- Returns the initial states of a layer and direction.
local function startOf(module, kind, given, index, x)
  local list = {}
  for k = 1, kind.states do
    list[k] = given[k] and torch.select(given[k], 1, index) or x.new(x:size(2), sizeOf(module, k)):zero()
  end
  return list
end

-- Checks the states, whose dimension N an input of a single sequence may lack; returns whether there are such.
local function checkStates(module, kind, given, x, isSingle)
  local lacksBatch = isSingle
  for k = 1, kind.states do
    local state = given[k]
    local expected = { module.layers * module.directions, x:size(2), sizeOf(module, k) }
    if state and isSingle and state:dim() == 2 then
      table.remove(expected, 2)
      given[k] = torch.view(torch.contiguous(state), state:size(1), 1, state:size(2))
    elseif state then
      lacksBatch = false
    end
    local actual, wanted = state and sizesOf(state), ('[%s]'):format(table.concat(expected, ', '))
    if state and actual ~= wanted then refuse.shape(('%s: state %d: %s, expected %s'):format(torch.type(module), k, actual, wanted)) end
  end
  return lacksBatch
end

-- Returns x as (T, N, in).
local function prepared(module, x)
  local dims = x:dim()
  if dims ~= 2 and dims ~= 3 or x:size(dims) ~= module.inputSize or x:nElement() == 0 then
    refuse.shape(('%s: input: %s, expected (%s, %d)%s'):format(torch.type(module), sizesOf(x), module.batchFirst and 'N, T' or 'T, N',
      module.inputSize, x:nElement() == 0 and '; sequences of length 0 come by { x, lengths = ... }' or ''))
  end
  if dims == 2 then return torch.view(torch.contiguous(x), x:size(1), 1, module.inputSize) end
  return module.batchFirst and torch.contiguous(torch.transpose(x, 1, 2)) or x
end

-- Returns outputs (T, N, out) in the order of the input's dimensions.
local function inOrderOf(isSingle, module, y)
  if isSingle then return torch.view(torch.contiguous(y), y:size(1), y:size(3)) end
  return module.batchFirst and torch.contiguous(torch.transpose(y, 1, 2)) or y
end

local function dropped(module, x)
  if module.dropout == 0 or module.train == false then return x end
  return require('nn.functional').dropout(x, module.dropout)
end

-- Runs one layer in one direction; returns outputs and last states.
local function runDirection(kind, x, start, own, reverse, list)
  if not list then return { kind.sequence(x, start, own, reverse) } end
  local function sequence(part, states, backwards) return kind.sequence(part, states, own, backwards) end
  return lengths.run(sequence, x, start, reverse, list)
end

-- Runs one layer; returns the concatenated outputs of its directions, and appends last states to `finals`.
local function runLayer(module, kind, x, layer, given, finals)
  local outputs = {}
  for direction = 1, module.directions do
    local start = startOf(module, kind, given, (layer - 1) * module.directions + direction, x)
    local results = runDirection(kind, x, start, parameters.of(module, layer, direction), direction == 2, given.lengths)
    outputs[direction] = results[1]
    for k = 1, kind.states do
      local state = torch.contiguous(results[k + 1])
      finals[k][#finals[k] + 1] = torch.view(state, 1, state:size(1), state:size(2))
    end
  end
  return #outputs == 1 and outputs[1] or torch.cat(outputs, 3)
end

-- Runs all layers on x (T, N, in); returns y and the last states.
local function runAll(module, kind, x, given)
  local finals = {}
  for k = 1, kind.states do finals[k] = {} end
  for layer = 1, module.layers do
    if layer > 1 then x = dropped(module, x) end
    x = runLayer(module, kind, x, layer, given, finals)
  end
  local states = {}
  for k = 1, kind.states do states[k] = torch.cat(finals[k], 1) end
  return x, states
end

-- Returns the sequences of an input, its states, and whether they are in a table of their own.
local function partsOf(kind, input)
  if torch.isTensor(input) or input.batchSizes then return input, {}, false end
  local states = { unpack(input, 2, kind.states + 1) }
  local isNested = type(states[1]) == 'table'
  return input[1], isNested and { unpack(states[1], 1, kind.states) } or states, isNested
end

local function resultOf(y, states, isNested)
  if isNested then return { y, states } end
  return { y, unpack(states) }
end

local function runPacked(module, kind, packed, given, isNested)
  local packing = require 'nn.recurrent.packing'
  local x, list = packing.padded(torch.type(module), packed)
  if x:size(3) ~= module.inputSize then
    refuse.shape(('%s: input: a packed sequence of rows of %d, expected %d'):format(torch.type(module), x:size(3), module.inputSize))
  end
  checkStates(module, kind, given, x, false)
  given.lengths = list
  local y, states = runAll(module, kind, x, given)
  return resultOf(packing.packedAs(packed, y), states, isNested)
end

--- Runs all layers.
-- @tparam nn.Module module
-- @tparam table kind
-- @tparam torch.Tensor|table input x, or {x, state, ..., lengths = or mask =}
-- @treturn torch.Tensor|table y, or {y, last state, ...}
return function(module, kind, input)
  local original, given, isNested = partsOf(kind, input)
  if type(original) == 'table' then return runPacked(module, kind, original, given, isNested) end
  local x, isSingle = prepared(module, original), original:dim() == 2
  local lacksBatch = checkStates(module, kind, given, x, isSingle)
  local isTable = type(input) == 'table'
  if isTable then given.lengths = lengths.of(torch.type(module), module, input, x:size(1), x:size(2)) end
  local result, states = runAll(module, kind, x, given)
  local y = inOrderOf(isSingle, module, result)
  if not isTable then return y end
  for k = 1, lacksBatch and kind.states or 0 do states[k] = torch.view(states[k], states[k]:size(1), states[k]:size(3)) end
  return resultOf(y, states, isNested)
end
