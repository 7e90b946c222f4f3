--- Sequences of different lengths in one batch, for nn.LSTM, nn.GRU and nn.RNN.
-- The batch is sorted by length. Consecutive steps with the same active sequences are one call of the layer for these sequences: no step
-- is computed beyond the end of a sequence, and its states stay as they are there. Source of the idea: packed sequences, as in PyTorch.
-- @module nn.recurrent.lengths
local torch = require 'torch'
local onDeviceOf = require 'autograd.on_device_of'
local raise = require 'torch.check.refuse'
local sizesOf, shown = require('torch.check.message').sizes, require('torch.check.message').value

local lengths = {}

local function refuse(kind, name, what, actual, expected) raise[kind](('%s: %s: %s, expected %s'):format(name, what, actual, expected)) end

-- Returns the lengths for a mask (T, N) of the used positions.
local function ofMask(name, module, mask, steps, batch)
  local first, second = steps, batch
  if module.batchFirst then first, second = batch, steps end
  if not torch.isTensor(mask) or mask:nElement() ~= steps * batch or mask:size(1) ~= first and mask:dim() > 1 then
    local actual = torch.isTensor(mask) and sizesOf(mask) or shown(mask)
    refuse('shape', name, 'mask', actual, ('a mask of sizes (%d, %d)'):format(first, second))
  end
  local rows = torch.ne(torch.reshape(mask, first, second), 0):double()
  if module.batchFirst then rows = rows:t() end
  local counts = torch.sum(rows, 1):view(-1)
  for i = 1, batch do
    local used = counts[i]
    if used > 0 and rows[{ { 1, used }, i }]:sum() ~= used then
      refuse('invalid', name, 'mask', ('a gap in sequence %d'):format(i), 'positions in use from the first on')
    end
  end
  return counts:totable()
end

--- Returns the lengths of an input's sequences, after checks.
-- @string name of the class
-- @tparam nn.Module module
-- @tparam table input with `lengths`, a tensor or a list of N numbers, or `mask`
-- @int steps T
-- @int batch N
-- @treturn ?{int,...} nil if the input has neither
function lengths.of(name, module, input, steps, batch)
  local given = input.lengths
  if given == nil then return input.mask ~= nil and ofMask(name, module, input.mask, steps, batch) or nil end
  if input.mask ~= nil then refuse('invalid', name, 'mask', 'given with lengths', 'one of both') end
  if type(given) == 'number' then given = { given } end
  if torch.isTensor(given) and given:nElement() > 0 then given = torch.reshape(given, given:nElement()):totable() end
  if type(given) ~= 'table' then refuse('invalid', name, 'lengths', shown(given), 'a tensor or a list of numbers') end
  if #given ~= batch then refuse('shape', name, 'lengths', ('%d numbers'):format(#given), ('%d, one for each sequence'):format(batch)) end
  for i = 1, batch do
    local length = tonumber(given[i])
    if not length or length ~= math.floor(length) or length < 0 or length > steps then
      refuse('range', name, ('lengths[%d]'):format(i), tostring(given[i]), ('a whole number from 0 to %d'):format(steps))
    end
  end
  return given
end

--- Returns the numbers of the sequences from the longest to the shortest, those of equal length in order, and the position of each in this
-- order.
-- @tparam {int,...} list lengths
-- @treturn {int,...}
-- @treturn {int,...}
function lengths.sorted(list)
  local order, places = {}, {}
  for i = 1, #list do order[i] = i end
  table.sort(order, function(a, b) return list[a] > list[b] or list[a] == list[b] and a < b end)
  for place, i in ipairs(order) do places[i] = place end
  return order, places
end

-- Returns ranges of steps with a constant number of active sequences: {first, last, count}, in order.
local function runsOf(list, order)
  local runs, first, count = {}, 1, #order
  while count > 0 do
    local last = list[order[count]]
    if last >= first then
      runs[#runs + 1] = { first, last, count }
      first = last + 1
    end
    while count > 0 and list[order[count]] == last do count = count - 1 end
  end
  return runs
end

local function indexOf(numbers, x) return onDeviceOf(torch.LongTensor(numbers), x) end

local function zeros(x, ...) return x.new(...):zero() end

-- Returns the first `count` rows of a state, and the others.
local function split(state, count)
  local rest = state:size(1) - count
  return torch.narrow(state, 1, 1, count), rest > 0 and torch.narrow(state, 1, count + 1, rest) or nil
end

--- Runs one layer in one direction. Outputs beyond a sequence's length are 0; the last state of a sequence of length 0 is its initial one.
-- @tparam function sequence (x, list of states, reverse) -> y, states...
-- @tparam torch.Tensor x (T, N, in)
-- @tparam {torch.Tensor,...} start states (N, m)
-- @tparam boolean reverse from each sequence's last step to its first
-- @tparam {int,...} list lengths
-- @treturn {torch.Tensor,...} y (T, N, m), last states
function lengths.run(sequence, x, start, reverse, list)
  local steps, batch, size = x:size(1), x:size(2), start[1]:size(2)
  local order, places = lengths.sorted(list)
  local runs = runsOf(list, order)
  local index = indexOf(order, x)
  x = torch.index(x, 2, index)
  local states, outputs = {}, {}
  for k, state in ipairs(start) do states[k] = torch.index(state, 1, index) end
  for i = reverse and #runs or 1, reverse and 1 or #runs, reverse and -1 or 1 do
    local first, last, count = unpack(runs[i])
    local own, rest = {}, {}
    for k, state in ipairs(states) do own[k], rest[k] = split(state, count) end
    local part = torch.narrow(torch.narrow(x, 1, first, last - first + 1), 2, 1, count)
    local results = { sequence(torch.contiguous(part), own, reverse) }
    local y = results[1]
    outputs[i] = count < batch and torch.cat(y, zeros(y, y:size(1), batch - count, size), 2) or y
    for k = 1, #states do states[k] = rest[k] and torch.cat(results[k + 1], rest[k], 1) or results[k + 1] end
  end
  local longest = #runs > 0 and runs[#runs][2] or 0
  if longest < steps then outputs[#outputs + 1] = zeros(x, steps - longest, batch, size) end
  local back = indexOf(places, x)
  local results = { torch.index(#outputs > 1 and torch.cat(outputs, 1) or outputs[1], 2, back) }
  for k, state in ipairs(states) do results[k + 1] = torch.index(state, 1, back) end
  return results
end

return lengths
