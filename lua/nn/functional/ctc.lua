--- Connectionist temporal classification as a function, in nn.functional.
-- @module nn.functional.ctc
local torch, check = require 'torch', require 'torch.check'
local reductions, signature = require 'nn.support.reduction', require 'nn.support.signature'
local onDeviceOf = require 'autograd.on_device_of'
local sizesOf = require('torch.check.message').sizes

local functional = {}
local where = 'nn.functional.ctcLoss'

-- Returns lengths, a tensor, a list, or a number, as a list of integers from 0 to `most`.
local function lengthsOf(name, given, count, most)
  local list = given
  if type(given) == 'number' then list = { given } elseif torch.isTensor(given) then list = given:long():view(-1):totable() end
  if type(list) ~= 'table' or #list ~= count then
    check.raise(('%s: %s: %s, expected %d numbers'):format(where, name, type(list) == 'table' and #list .. ' numbers' or type(list), count))
  end
  for i = 1, count do list[i] = check.int(where, ('%s[%d]'):format(name, i), list[i], { min = 0, max = most }) end
  return list
end

-- Returns each sample's labels in a row, (N, most labels), with blanks behind them.
local function labelsOf(targets, lengths, classes, blank)
  local isRows, given, place = targets:dim() == 2, targets:long():to('cpu'):contiguous(), 0
  local width, count = isRows and given:size(2) or nil, given:nElement()
  local longest = 0
  for _, length in ipairs(lengths) do longest = math.max(longest, length) end
  local labels = torch.LongTensor(#lengths, longest):fill(blank)
  local from, to = given:data(), labels:data()
  for n, length in ipairs(lengths) do
    local first = isRows and (n - 1) * width or place
    if isRows and length > width or not isRows and place + length > count then
      check.raise(('%s: targetLengths[%d]: %d, expected at most %d'):format(where, n, length, isRows and width or count - place), 'range')
    end
    for i = 0, length - 1 do
      local label = tonumber(from[first + i])
      if label < 1 or label > classes then
        check.raise(('%s: targets: %d, expected a class from 1 to %d'):format(where, label, classes), 'range')
      end
      to[(n - 1) * longest + i] = label
    end
    place = place + length
  end
  return labels
end

--- The negative log-probability of lists of labels for sequences of class probabilities, over all alignments with blanks in between.
-- The mean divides each sample's loss by its number of labels.
-- Source: Graves et al. (2006), "Connectionist Temporal Classification", ICML.
-- @function ctcLoss
-- @tparam torch.Tensor logProbs (T, N, classes) or (T, classes), as of a log-softmax
-- @tparam torch.Tensor targets labels from 1: (N, S), or the lists of all samples one after the other
-- @tparam torch.Tensor|{int,...}|int inputLengths number of steps of each sample, at most T
-- @tparam torch.Tensor|{int,...}|int targetLengths number of labels of each sample
-- @tparam[opt=1] int blank class of the blank, from 1
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=false] boolean zeroInfinity whether samples with more labels than steps have loss and gradient 0
functional.ctcLoss = signature(where, {
  { 'logProbs', 'tensor' }, { 'targets', 'tensor' }, { 'inputLengths', 'any' }, { 'targetLengths', 'any' },
  { 'blank', 'int', min = 1, default = 1 }, reductions.argument, { 'zeroInfinity', 'boolean', default = false },
}, function(logp, targets, inputLengths, targetLengths, blank, kind, zeroInfinity)
  if (logp:dim() ~= 2 and logp:dim() ~= 3) or not logp:isFloatingPoint() or logp:nElement() == 0 then
    check.raise(('%s: logProbs: %s %s, expected floats (T, N, classes) or (T, classes)'):format(where, logp:type(), sizesOf(logp)), 'shape')
  end
  if logp:dim() == 2 then
    logp = torch.view(logp:contiguous(), logp:size(1), 1, logp:size(2))
    if targets:dim() == 2 and targets:size(1) ~= 1 then
      check.raise(('%s: targets: %s, expected (S) for one sequence'):format(where, sizesOf(targets)), 'shape')
    end
  end
  local samples, classes = logp:size(2), logp:size(3)
  if targets:dim() == 2 and targets:size(1) ~= samples or targets:dim() > 2 then
    check.raise(('%s: targets: %s, expected (%d, S), or one dimension'):format(where, sizesOf(targets), samples), 'shape')
  end
  if blank > classes then check.raise(('%s: blank: %d, expected a class from 1 to %d'):format(where, blank, classes), 'range') end
  local steps = lengthsOf('inputLengths', inputLengths, samples, logp:size(1))
  local lengths = lengthsOf('targetLengths', targetLengths, samples, math.huge)
  local labels = labelsOf(targets:detach(), lengths, classes, blank)
  local result = torch.ctc_loss(logp, onDeviceOf(labels, logp), onDeviceOf(torch.LongTensor(steps), logp),
    onDeviceOf(torch.LongTensor(lengths), logp), blank, zeroInfinity)
  if kind ~= 'mean' then return reductions.of(result, kind) end
  local shares = {}
  for n = 1, samples do shares[n] = 1 / math.max(lengths[n], 1) end
  return torch.mean(torch.cmul(result, result.new(shares)))
end)

return functional
