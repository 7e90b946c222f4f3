--- Sequences of different lengths, packed or padded: `nn.utils.rnn`.
-- A packed sequence is a table: `data` has the rows of all sequences, those of the first step of all, from the longest sequence to the
-- shortest, then those of the second step, and so on; `batchSizes`, a LongTensor, the number of rows of each step; `sortedIndices` and
-- `unsortedIndices`, LongTensors or nil, the number of each sorted sequence, and the position of each sequence among the sorted ones.
-- nn.LSTM, nn.GRU and nn.RNN accept it. Source of the form: PyTorch.
-- @module nn.recurrent.packing
local torch, check, signature = require 'torch', require 'torch.check', require 'nn.support.signature'
local onDeviceOf = require 'autograd.on_device_of'
local messages = require 'torch.check.message'
local sorted = require 'nn.recurrent.lengths'.sorted

local packing = {}

local function refuse(where, what, actual, expected, kind)
  check.raise(('nn.utils.rnn.%s: %s: %s, expected %s'):format(where, what, actual, expected), kind)
end

-- Returns the lengths as a list of numbers.
local function lengthsOf(where, given, count, steps, least)
  local list = torch.isTensor(given) and given:nElement() > 0 and torch.reshape(given, given:nElement()):totable() or given
  if type(list) ~= 'table' then refuse(where, 'lengths', messages.value(given), 'a tensor or a list of integers') end
  if #list ~= count then refuse(where, 'lengths', ('%d numbers'):format(#list), ('%d, one for each sequence'):format(count), 'shape') end
  for i, length in ipairs(list) do
    if type(length) ~= 'number' or length ~= math.floor(length) or length < least or length > steps then
      refuse(where, ('lengths[%d]'):format(i), messages.value(length), ('an integer from %d to %d'):format(least, steps), 'range')
    end
  end
  return list
end

local function indexOf(numbers, x) return onDeviceOf(torch.LongTensor(numbers), x) end

-- Returns the rows of x (T, N, ...) at these positions among the T N rows.
local function rowsAt(x, positions)
  local sizes = x:size():totable()
  local count = sizes[1] * sizes[2]
  table.remove(sizes, 1)
  sizes[1] = count
  return torch.index(torch.view(torch.contiguous(x), torch.LongStorage(sizes)), 1, indexOf(positions, x))
end

-- Returns x with its first two dimensions swapped if the batch is first.
local function timeFirst(x, batchFirst) return batchFirst and torch.transpose(x, 1, 2) or x end

-- Returns lengths of the sorted sequences from the number of rows of each step.
local function sortedLengths(batchSizes)
  local list = {}
  for t, count in ipairs(batchSizes) do
    for i = 1, count do list[i] = t end
  end
  return list
end

-- Returns the positions of the rows of T steps of N sequences in `data`, which precedes one row of padding, in the order (T, N); and the
-- lengths. Both are in the order of the sequences before they were sorted.
local function paddedPositions(where, packed, steps)
  if type(packed) ~= 'table' or not torch.isTensor(packed.data) or not torch.isTensor(packed.batchSizes) then
    check.raise(('%s: sequence: %s, expected a packed sequence'):format(where, messages.value(packed)))
  end
  local batchSizes = packed.batchSizes:totable()
  local count, padding = batchSizes[1], packed.data:size(1) + 1
  local places = packed.unsortedIndices and packed.unsortedIndices:totable()
  steps = steps or #batchSizes
  local positions, before = {}, 0
  for t = 1, steps do
    local active = batchSizes[t] or 0
    for i = 1, count do
      local place = places and places[i] or i
      positions[#positions + 1] = place <= active and before + place or padding
    end
    before = before + active
  end
  local byPlace, lengths = sortedLengths(batchSizes), {}
  for i = 1, count do lengths[i] = byPlace[places and places[i] or i] end
  return positions, lengths
end

-- Returns (T, N, ...) and the lengths.
local function padded(where, packed, value, steps)
  local positions, lengths = paddedPositions(where, packed, steps)
  local data = packed.data
  local sizes = data:size():totable()
  sizes[1] = 1
  local rows = torch.index(torch.cat(data, data.new():resize(torch.LongStorage(sizes)):fill(value), 1), 1, indexOf(positions, data))
  local count = #lengths
  sizes[1] = count
  table.insert(sizes, 1, #positions / count)
  return torch.view(rows, torch.LongStorage(sizes)), lengths
end

--- Returns the padded rows of a packed sequence (T, N, ...), and the lengths, in the order before sorting.
-- @string where prefix of messages
-- @tparam table packed
-- @treturn torch.Tensor
-- @treturn {int,...}
function packing.padded(where, packed) return padded(where, packed, 0) end

--- Returns rows (T, N, ...), in the order before sorting, packed as another packed sequence is.
-- @tparam table packed
-- @tparam torch.Tensor y
-- @treturn table
function packing.packedAs(packed, y)
  local order, positions = packed.sortedIndices and packed.sortedIndices:totable(), {}
  local count = y:size(2)
  for t, active in ipairs(packed.batchSizes:totable()) do
    for i = 1, active do positions[#positions + 1] = (t - 1) * count + (order and order[i] or i) end
  end
  return {
    data = rowsAt(y, positions), batchSizes = packed.batchSizes, sortedIndices = packed.sortedIndices,
    unsortedIndices = packed.unsortedIndices,
  }
end

--- The table of a packed sequence from its parts.
-- @function PackedSequence
-- @tparam torch.Tensor data rows (sum of lengths, ...)
-- @tparam torch.LongTensor batchSizes rows of each step, not increasing
-- @tparam[opt] torch.LongTensor sortedIndices
-- @tparam[opt] torch.LongTensor unsortedIndices by default those that belong to sortedIndices
-- @treturn table
packing.PackedSequence = signature('nn.utils.rnn.PackedSequence', {
  { 'data', 'tensor' }, { 'batchSizes', 'tensor' }, { 'sortedIndices', 'tensor', optional = true },
  { 'unsortedIndices', 'tensor', optional = true },
}, function(data, batchSizes, sortedIndices, unsortedIndices)
  local sum, last = 0, math.huge
  for t, count in ipairs(batchSizes:totable()) do
    if count > last or count < 1 then
      refuse('PackedSequence', ('batchSizes[%d]'):format(t), count, 'numbers from 1 on that do not increase', 'range')
    end
    sum, last = sum + count, count
  end
  if data:dim() < 1 or sum ~= data:size(1) then
    refuse('PackedSequence', 'data', messages.sizes(data), ('the %d rows of batchSizes'):format(sum), 'shape')
  end
  if sortedIndices and not unsortedIndices then
    local places = {}
    for place, i in ipairs(sortedIndices:totable()) do places[i] = place end
    unsortedIndices = torch.LongTensor(places)
  end
  return { data = data, batchSizes = batchSizes, sortedIndices = sortedIndices, unsortedIndices = unsortedIndices }
end)

--- Packs padded sequences.
-- @function packPaddedSequence
-- @tparam torch.Tensor input (T, N, ...), or (N, T, ...)
-- @tparam torch.Tensor|{int,...} lengths of the N sequences, 1 to T
-- @tparam[opt=false] bool batchFirst input is (N, T, ...)
-- @tparam[opt=true] bool enforceSorted it is an error if a sequence is longer than the one before it; false sorts them
-- @treturn table a packed sequence
packing.packPaddedSequence = signature('nn.utils.rnn.packPaddedSequence', {
  { 'input', 'tensor' }, { 'lengths', 'any' }, { 'batchFirst', 'boolean', default = false },
  { 'enforceSorted', 'boolean', default = true },
}, function(input, lengths, batchFirst, enforceSorted)
  if input:dim() < 2 then refuse('packPaddedSequence', 'input', messages.sizes(input), '(T, N, …)', 'shape') end
  local x = timeFirst(input, batchFirst)
  local list = lengthsOf('packPaddedSequence', lengths, x:size(2), x:size(1), 1)
  local order, places = sorted(list)
  for i = 2, enforceSorted and #list or 1 do
    if list[i] > list[i - 1] then
      refuse('packPaddedSequence', ('lengths[%d]'):format(i), list[i], ('at most %d, the one before, or enforceSorted = false')
        :format(list[i - 1]), 'range')
    end
  end
  local batchSizes = {}
  for _, length in ipairs(list) do
    for t = 1, length do batchSizes[t] = (batchSizes[t] or 0) + 1 end
  end
  return packing.packedAs({
    batchSizes = torch.LongTensor(batchSizes), sortedIndices = not enforceSorted and torch.LongTensor(order) or nil,
    unsortedIndices = not enforceSorted and torch.LongTensor(places) or nil,
  }, x)
end)

-- A packed sequence as last argument would be a table of options for `signature`.
local paddingOf = signature('nn.utils.rnn.padPackedSequence', {
  { 'batchFirst', 'boolean', default = false }, { 'paddingValue', 'number', default = 0 },
  { 'totalLength', 'int', optional = true, min = 1 },
}, function(...) return ... end)

--- The inverse: padded sequences, in the order before sorting.
-- @tparam table sequence a packed sequence
-- @param[opt] ... batchFirst (false): the result is (N, T, ...); paddingValue (0); totalLength: T, at least the longest sequence's, which
--   is the default
-- @treturn torch.Tensor (T, N, ...)
-- @treturn torch.LongTensor lengths
function packing.padPackedSequence(sequence, ...)
  local batchFirst, paddingValue, totalLength = paddingOf(...)
  local longest = type(sequence) == 'table' and torch.isTensor(sequence.batchSizes) and sequence.batchSizes:nElement() or 0
  if totalLength and totalLength < longest then
    refuse('padPackedSequence', 'totalLength', totalLength, ('at least %d, the longest sequence'):format(longest), 'range')
  end
  local x, lengths = padded('nn.utils.rnn.padPackedSequence', sequence, paddingValue, totalLength)
  return torch.contiguous(timeFirst(x, batchFirst)), torch.LongTensor(lengths)
end

local function checkList(where, sequences)
  if type(sequences) ~= 'table' or #sequences == 0 then refuse(where, 'sequences', messages.value(sequences), 'a list of tensors') end
  for i, x in ipairs(sequences) do
    check.tensor('nn.utils.rnn.' .. where, ('sequences[%d]'):format(i), x)
    local sizes, first = x:size():totable(), sequences[1]:size():totable()
    first[1] = sizes[1]
    if x:dim() == 0 or table.concat(sizes, ' ') ~= table.concat(first, ' ') then
      refuse(where, ('sequences[%d]'):format(i), messages.sizes(x), 'the sizes of the first, except in dimension 1', 'shape')
    end
  end
end

--- Stacks sequences of different lengths, with padding.
-- @function padSequence
-- @tparam {torch.Tensor,...} sequences (length, ...)
-- @tparam[opt=false] bool batchFirst the result is (N, T, ...)
-- @tparam[opt=0] number paddingValue
-- @tparam[opt='right'] string paddingSide or 'left'
-- @treturn torch.Tensor (T, N, ...)
packing.padSequence = signature('nn.utils.rnn.padSequence', {
  { 'sequences', 'any' }, { 'batchFirst', 'boolean', default = false }, { 'paddingValue', 'number', default = 0 },
  { 'paddingSide', 'choice', choices = { 'right', 'left' }, default = 'right' },
}, function(sequences, batchFirst, paddingValue, paddingSide)
  checkList('padSequence', sequences)
  local longest, rows = 0, {}
  for _, x in ipairs(sequences) do longest = math.max(longest, x:size(1)) end
  for i, x in ipairs(sequences) do
    local sizes = x:size():totable()
    sizes[1] = longest - x:size(1)
    local whole = x
    if sizes[1] > 0 then
      local padding = x.new():resize(torch.LongStorage(sizes)):fill(paddingValue)
      if x:nElement() == 0 then
        whole = padding
      else
        whole = paddingSide == 'left' and torch.cat(padding, x, 1) or torch.cat(x, padding, 1)
      end
    end
    sizes[1] = longest
    table.insert(sizes, batchFirst and 1 or 2, 1)
    rows[i] = torch.view(torch.contiguous(whole), torch.LongStorage(sizes))
  end
  return torch.cat(rows, batchFirst and 1 or 2)
end)

--- Packs sequences of different lengths.
-- @function packSequence
-- @tparam {torch.Tensor,...} sequences (length, ...), from the longest to the shortest unless enforceSorted is false
-- @tparam[opt=true] bool enforceSorted
-- @treturn table a packed sequence
packing.packSequence = signature('nn.utils.rnn.packSequence', {
  { 'sequences', 'any' }, { 'enforceSorted', 'boolean', default = true },
}, function(sequences, enforceSorted)
  checkList('packSequence', sequences)
  local lengths = {}
  for i, x in ipairs(sequences) do lengths[i] = x:size(1) end
  return packing.packPaddedSequence(packing.padSequence(sequences), lengths, false, enforceSorted)
end)

--- Splits padded sequences.
-- @function unpadSequence
-- @tparam torch.Tensor paddedSequences (T, N, ...), or (N, T, ...)
-- @tparam torch.Tensor|{int,...} lengths 1 to T
-- @tparam[opt=false] bool batchFirst
-- @treturn {torch.Tensor,...} (length, ...), views
packing.unpadSequence = signature('nn.utils.rnn.unpadSequence', {
  { 'paddedSequences', 'tensor' }, { 'lengths', 'any' }, { 'batchFirst', 'boolean', default = false },
}, function(paddedSequences, lengths, batchFirst)
  local x, list = timeFirst(paddedSequences, batchFirst), {}
  for i, length in ipairs(lengthsOf('unpadSequence', lengths, x:size(2), x:size(1), 1)) do
    list[i] = torch.narrow(torch.select(x, 2, i), 1, 1, length)
  end
  return list
end)

--- Splits a packed sequence.
-- @tparam table packedSequences
-- @treturn {torch.Tensor,...} (length, ...), in the order before sorting
function packing.unpackSequence(packedSequences)
  local x, lengths = padded('nn.utils.rnn.unpackSequence', packedSequences, 0)
  return packing.unpadSequence(x, lengths)
end

return packing
