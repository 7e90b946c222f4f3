--- Connectionist temporal classification: the negative log-probability of lists of labels, over all alignments with blanks in between.
-- The input is log-probabilities (T, N, classes) or (T, classes); the target {targets, inputLengths, targetLengths}: see
-- nn.functional.ctcLoss.
-- Source: Graves et al. (2006), "Connectionist Temporal Classification", ICML.
-- @classmod nn.CTCLoss
local nn, loss = require 'nn', require 'nn.support.loss'

local targets = '{ torch.LongTensor { { 2, 3 }, { 3, 3 } }, torch.LongTensor { 4, 4 }, torch.LongTensor { 2, 2 } }'

--- @tparam[opt=1] int blank class of the blank, from 1
-- @tparam[opt='mean'] string reduction 'mean', 'sum', 'none'
-- @tparam[opt=false] boolean zeroInfinity whether samples with more labels than steps have loss and gradient 0
local CTCLoss = nn.declare(loss {
  name = 'nn.CTCLoss', call = 'ctcLoss', data = 4,
  arrange = function(input, target) return input, target[1], target[2], target[3] end,
  samples = { { 'CTCLoss()', { 4, 2, 3 }, targets }, { "CTCLoss(1, 'sum', true)", { 4, 2, 3 }, targets } },
})
CTCLoss.__givesWay = true

return CTCLoss
