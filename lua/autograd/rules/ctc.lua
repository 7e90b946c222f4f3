-- Derivatives of connectionist temporal classification.
local torch, C = require 'torch', require 'libmoontorch'
local rules = require 'autograd.rules'

-- The logarithm of 0 of which differences and sums are finite.
local never = -1e30

-- The classes of the states blank, label 1, blank, ..., label S, blank of all samples, (N, 2 S + 1); and what is added to a logarithm that
-- comes from two states before: 0, or `never` where that state is a blank or the same label.
local function statesOf(targets, blank)
  local samples, most = targets:size(1), targets:size(2)
  local classes = torch.LongTensor(samples, 2 * most + 1):fill(blank)
  local skips = torch.DoubleTensor(samples, 2 * most + 1):fill(never)
  for n = 1, samples do
    for i = 1, most do
      local label = targets[n][i]
      classes[n][2 * i] = label
      if i > 1 and label ~= targets[n][i - 1] then skips[n][2 * i] = 0 end
    end
  end
  return classes, skips
end

-- The last two states of each sample, (N, 2), and what is added to their logarithms: without labels the second one does not count.
local function lastStates(lengths)
  local states, weights = torch.LongTensor(lengths:size(1), 2), torch.DoubleTensor(lengths:size(1), 2):zero()
  for n = 1, lengths:size(1) do
    states[n][1], states[n][2] = 2 * lengths[n] + 1, math.max(2 * lengths[n], 1)
    if lengths[n] == 0 then weights[n][2] = never end
  end
  return states, weights
end

-- x moved by `count` columns to the right.
local function moved(x, count)
  local width = x:size(2)
  if count >= width then return torch.add(torch.mul(x, 0), never) end
  local empty = x.new(x:size(1), count):fill(never)
  return torch.cat(empty, torch.narrow(x, 2, 1, width - count), 2)
end

local function doubles(x) return torch.to(x:double(), 'cpu') end
local function integers(x) return torch.to(x:long(), 'cpu') end

-- The losses by differentiable ops, for the derivative of the gradient: in each step the logarithms of the probabilities of all states.
-- They are computed in float64, on the CPU.
local function composed(logp, targets, steps, lengths, blank)
  local classes, skips = statesOf(integers(targets), blank)
  local samples, states = classes:size(1), classes:size(2)
  local x, alpha, counts = doubles(logp), torch.DoubleTensor(samples, states):fill(never), integers(steps):view(samples, 1)
  alpha:select(2, 1):zero()
  for t = 1, logp:size(1) do
    local near = torch.logaddexp(alpha, moved(alpha, 1))
    local next_ = torch.add(torch.logaddexp(near, torch.add(moved(alpha, 2), skips)), torch.gather(torch.select(x, 1, t), 2, classes))
    alpha = torch.where(torch.ge(counts, t), next_, alpha)
  end
  local last, weights = lastStates(integers(lengths))
  local ends = torch.add(torch.gather(alpha, 2, last), weights)
  return torch.mul(torch.view(torch.logsumexp(ends, 2), samples), -1)
end

-- What the gradients of finite losses are multiplied by, 1; and those of infinite ones, 0 or NaN.
local function factors(losses, zeroInfinity)
  return torch.where(torch.eq(losses, math.huge), zeroInfinity and 0 or 0 / 0, torch.DoubleTensor(losses:size()):fill(1))
end

rules.ctc_loss = { rules.saving('...', function(g, logp, targets, steps, lengths, blank, zero)
  if not C.gradMode() then return torch.ctc_loss_grad(g, logp, targets, steps, lengths, blank, zero) end
  local losses = doubles(torch.ctc_loss(C.detach(logp), targets, steps, lengths, blank))
  local found = require('autograd.core').grad({ composed(logp, targets, steps, lengths, blank) }, { logp },
    { gradOutputs = { torch.cmul(doubles(g), factors(losses, zero)) }, createGraph = true })
  return found[1]
end) }
rules.ctc_loss_grad = rules.none 'wherever the gradient is to be derived again, it is made of other ops'
