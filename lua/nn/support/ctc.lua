--- Connectionist temporal classification of one sequence: the negative log-probability of a list of labels, and its gradient.
-- Logarithms of the forward and backward probabilities of the states blank, label 1, blank, label 2, …, blank, by the recursions of section
-- 4.1 of Graves et al. (2006), "Connectionist Temporal Classification", ICML. The loops run on pointers, compiled by LuaJIT.
-- @module nn.support.ctc
local ffi = require 'ffi'

local exp, log, max, huge = math.exp, math.log, math.max, math.huge

local doubles, integers = ffi.typeof 'double[?]', ffi.typeof 'int32_t[?]'

-- Rows have two more numbers on both sides, -inf, so that the loops have no branches for the ends.
local margin = 2

local function row(states)
  local memory = doubles(states + 2 * margin)
  for i = 0, states + 2 * margin - 1 do memory[i] = -huge end
  return memory
end

-- Fills a row of alpha from the one before. `skips` is 0 for states that follow the second last one, too, else -inf.
local function forward(to, from, skips, labels, logp, states)
  for s = margin, margin + states - 1 do
    local a, b, c = from[s], from[s - 1], from[s - 2] + skips[s]
    local high = max(max(a, b), max(c, -1e300))
    to[s] = high + log(exp(a - high) + exp(b - high) + exp(c - high)) + logp[labels[s]]
  end
end

-- Fills a row of beta from the one behind.
local function backward(to, from, skips, labels, logp, states)
  for s = margin, margin + states - 1 do
    local a, b, c = from[s], from[s + 1], from[s + 2] + skips[s + 2]
    local high = max(max(a, b), max(c, -1e300))
    to[s] = high + log(exp(a - high) + exp(b - high) + exp(c - high)) + logp[labels[s]]
  end
end

-- Subtracts the posteriors of the states of one step from the gradient.
local function subtract(gradient, alpha, beta, labels, logp, states, loss)
  for s = margin, margin + states - 1 do
    local l = labels[s]
    if logp[l] > -huge then gradient[l] = gradient[l] - exp(alpha[s] + beta[s] - logp[l] + loss) end
  end
end

local function logAdd(a, b)
  local high = max(a, b)
  if high == -huge then return -huge end
  return high + log(exp(a - high) + exp(b - high))
end

--- @tparam cdata logp pointer to the log-probabilities of the first step, doubles
-- @int stride numbers from one step to the next
-- @int steps
-- @tparam {int,...} target labels from 0
-- @int blank from 0
-- @tparam ?cdata gradient pointer to zeros in the layout of logp, from which posteriors are subtracted
-- @treturn number the loss, infinite if the labels don't fit into the steps
return function(logp, stride, steps, target, blank, gradient)
  local states = 2 * #target + 1
  if steps == 0 then return states == 1 and 0 or huge end
  local labels, skips, width = integers(states + 2 * margin), row(states), states + 2 * margin
  for s = 0, states - 1 do labels[s + margin] = s % 2 == 0 and blank or target[(s + 1) / 2] end
  for s = 3, states - 1, 2 do
    if labels[s + margin] ~= labels[s + margin - 2] then skips[s + margin] = 0 end
  end
  local alpha, last = doubles(steps * width), states + margin - 1
  for i = 0, steps * width - 1 do alpha[i] = -huge end
  for s = margin, math.min(margin + 1, last) do alpha[s] = logp[labels[s]] end
  for t = 1, steps - 1 do forward(alpha + t * width, alpha + (t - 1) * width, skips, labels, logp + t * stride, states) end
  local final = alpha + (steps - 1) * width
  local loss = -(states > 1 and logAdd(final[last], final[last - 1]) or final[last])
  if not gradient or loss == huge then return loss end
  local beta, other = row(states), row(states)
  local p = logp + (steps - 1) * stride
  for s = math.max(margin, last - 1), last do beta[s] = p[labels[s]] end
  subtract(gradient + (steps - 1) * stride, final, beta, labels, p, states, loss)
  for t = steps - 2, 0, -1 do
    p = logp + t * stride
    backward(other, beta, skips, labels, p, states)
    subtract(gradient + t * stride, alpha + t * width, other, labels, p, states, loss)
    beta, other = other, beta
  end
  return loss
end
