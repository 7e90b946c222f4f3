--- Perplexity: how many tokens a language model has to choose from, as it were.
-- @module text.perplexity
local torch, check = require 'torch', require 'torch.check'

local perplexity = {}

--- Returns the perplexity of a language model, exp(-mean(log p(token))). Jelinek et al. (1977), "Perplexity: a measure of the difficulty of
-- speech recognition tasks".
-- @tparam torch.Tensor logits (..., tokens), not normalised, or log-probabilities
-- @tparam torch.Tensor targets (...), ids from 1
-- @tparam[opt] table options `ignored`: an id that does not count, such as that of padding
-- @treturn number from 1; nan if no target counts
-- @raise if sizes differ, or a target is no id
function perplexity.perplexity(logits, targets, options)
  local where = 'text.perplexity'
  check.tensor(where, 'logits', logits)
  check.tensor(where, 'targets', targets)
  options = check.options(where, options, { 'ignored' })
  local size = logits:dim() > 0 and logits:size(logits:dim()) or 0
  check.that(logits:dim() > 0 and logits:isFloatingPoint(), where .. ': logits: expected floats with a dimension of tokens')
  check.that(targets:nElement() * size == logits:nElement() and targets:nElement() > 0,
    ('%s: targets: %d ids, expected one for each row of %d logits'):format(where, targets:nElement(), size))
  local ids = targets:long():view(-1)
  local counted = options.ignored and torch.ne(ids, check.int(where, 'ignored', options.ignored)) or torch.ByteTensor(ids:size()):fill(1)
  local rows = counted:nonzero():view(-1)
  if rows:nElement() == 0 then return 0 / 0 end
  ids = ids:index(1, rows)
  local first, last = ids:min(), ids:max()
  check.that(first >= 1 and last <= size, ('%s: targets: ids from %d to %d, expected 1 to %d'):format(where, first, last, size))
  local logarithms = torch.logsoftmax(logits:detach():contiguous():view(-1, size):index(1, rows):double(), 2)
  return math.exp(-logarithms:gather(2, ids:view(-1, 1)):mean())
end

return perplexity
