--- Probabilities of the next token, from logits.
-- @module zoo.sampling
local torch = require 'torch'

local sampling = {}

-- Returns logits of the k likeliest tokens; the others are -inf.
local function likeliest(logits, k)
  local least = torch.topk(logits, k, 2, true):min(2)
  return logits:clone():maskedFill(torch.lt(logits, least:expandAs(logits)), -math.huge)
end

-- Returns the least set of the likeliest tokens that have the probability p together, scaled to 1.
-- Source: Holtzman et al. (2020), "The Curious Case of Neural Text Degeneration", ICLR, section 3.1.
local function nucleus(probabilities, p)
  local sorted, order = torch.sort(probabilities, 2, true)
  local before = torch.cumsum(sorted, 2) - sorted
  sorted:maskedFill(torch.ge(before, p), 0)
  sorted:narrow(2, 1, 1):cmax(1e-300)                                  -- the likeliest stays, whatever p is
  local kept = torch.zeros(probabilities:size(1), probabilities:size(2)):typeAs(probabilities):scatter(2, order, sorted)
  return kept:cdiv(kept:sum(2):expandAs(kept))
end

--- Returns probabilities in float64.
-- @tparam torch.Tensor logits (N, V)
-- @tparam table o `temperature` (1) divides the logits, then `topK` and `topP` leave tokens out
-- @treturn torch.DoubleTensor (N, V)
function sampling.probabilities(logits, o)
  local x = logits:double() / (o.temperature or 1)
  if o.topK and o.topK < x:size(2) then x = likeliest(x, o.topK) end
  local probabilities = torch.softmax(x, 2)
  return o.topP and o.topP < 1 and nucleus(probabilities, o.topP) or probabilities
end

return sampling
