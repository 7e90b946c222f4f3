--- Connectionist temporal classification as a function, in nn.functional.
-- @module nn.functional.ctc
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local reductions, signature, ctc = require 'nn.support.reduction', require 'nn.support.signature', require 'nn.support.ctc'
local Function = require 'autograd.function'
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

-- Returns each sample's labels, from 0.
local function labelsOf(targets, lengths, classes)
  local isRows, rows, place = targets:dim() == 2, targets:long(), 0
  local flat = rows:contiguous():view(-1):totable()
  local width, lists = isRows and targets:size(2) or nil, {}
  for n, length in ipairs(lengths) do
    local first, list = isRows and (n - 1) * width or place, {}
    if isRows and length > width or not isRows and place + length > #flat then
      check.raise(('%s: targetLengths[%d]: %d, expected at most %d'):format(where, n, length, isRows and width or #flat - place), 'range')
    end
    for i = 1, length do
      local label = flat[first + i]
      if label < 1 or label > classes then
        check.raise(('%s: targets: %d, expected a class from 1 to %d'):format(where, label, classes), 'range')
      end
      list[i] = label - 1
    end
    lists[n], place = list, place + length
  end
  return lists
end

-- The losses of all samples, (N), for log-probabilities (T, N, C).
local losses = Function {
  name = 'ctcLoss',
  forward = function(ctx, logp, lists, steps, blank, zeroInfinity)
    local samples, classes = logp:size(2), logp:size(3)
    local plain = torch.DoubleTensor(logp:size()):copy(logp)
    local gradient = ctx.needs[1] and torch.DoubleTensor(logp:size()):zero()
    local result, values, slopes = torch.DoubleTensor(samples), plain:data(), gradient and gradient:data()
    for n = 1, samples do
      local offset = (n - 1) * classes
      local loss = ctc(values + offset, samples * classes, steps[n], lists[n], blank - 1, slopes and slopes + offset)
      if loss == math.huge and zeroInfinity then
        loss = 0
      elseif loss == math.huge and gradient then
        gradient:narrow(1, 1, math.max(steps[n], 1)):select(2, n):fill(0 / 0)
      end
      result[n] = loss
    end
    ctx.gradient = gradient and logp.new(logp:size()):copy(gradient)
    return logp.new(samples):copy(result)
  end,
  backward = function(ctx, g)
    if C.gradMode() then error(where .. ': its gradient has no derivative', 0) end
    return torch.cmul(ctx.gradient, torch.expandAs(torch.view(g:contiguous(), 1, -1, 1), ctx.gradient))
  end,
}

--- The negative log-probability of lists of labels for sequences of class probabilities, over all alignments with blanks in between.
-- The mean divides each sample's loss by its number of labels. Gradients have no derivative.
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
  local lists = labelsOf(targets:detach(), lengths, classes)
  local result = losses(logp, lists, steps, blank, zeroInfinity)
  if kind ~= 'mean' then return reductions.of(result, kind) end
  local shares = {}
  for n = 1, samples do shares[n] = 1 / math.max(lengths[n], 1) end
  return torch.mean(torch.cmul(result, result.new(shares)))
end)

return functional
