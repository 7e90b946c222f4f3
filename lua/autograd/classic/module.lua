--- Parts of networks as functions of their parameters: `autograd.module`.
-- @module autograd.classic.module
local torch, mode = require 'torch', require 'autograd.mode'

local module = {}

local function column(x, like) return torch.expandAs(x, like) end

-- Returns x as rows of its last dimension.
local function rowsOf(x)
  local n = x:size(x:dim())
  return torch.view(torch.contiguous(x), x:nElement() / n, n)
end

--- Normalises each row of x (N x n), or x itself (n), to mean 0 and variance 1; multiplies it by a gain and adds a bias.
-- Source: Ba, Kiros & Hinton (2016), "Layer Normalization", arXiv:1607.06450, equation 4.
-- @tparam[opt] table options nOutputs (10)
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, x [, eps = 1e-5]) -> in x's shape
-- @treturn table parameters: {gain 1 x n of ones, bias 1 x n of zeros}
function module.LayerNormalization(options, parameters)
  local size = (options or {}).nOutputs or 10
  parameters = parameters or {}
  table.insert(parameters, { gain = torch.Tensor(1, size):fill(1), bias = torch.Tensor(1, size):zero() })
  return function(given, x, eps)
    local p, rows = given[1] or given, rowsOf(x)
    local centred = torch.add(rows, torch.mul(column(torch.mean(rows, 2), rows), -1))
    local deviation = torch.sqrt(torch.add(torch.mean(torch.cmul(centred, centred), 2), eps or 1e-5))
    local y = torch.cdiv(centred, column(deviation, centred))
    return torch.viewAs(torch.add(torch.cmul(y, column(p.gain, y)), column(p.bias, y)), x)
  end, parameters
end

--- Soft attention: weights of the subject's choices by the subject and a hidden state, and the subject's weighted sum.
-- Source: Xu et al. (2015), "Show, Attend and Tell", ICML, section 3.1.2 and 4.2.
-- @tparam[opt] table options hiddenFeatures (10), subjectFeatures (15), subjectChoices (20), layerNormalization (false)
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, subject N x features x choices, h N x hidden) -> attention N x features, focus N x choices; without the N
--   for a single subject and a vector h
-- @treturn table parameters: {W_att_subject 1 x 1 x features, W_att_h hidden x choices, b_att 1 x choices}, zeros
function module.SoftAttention(options, parameters)
  options = options or {}
  local hidden, features, choices = options.hiddenFeatures or 10, options.subjectFeatures or 15, options.subjectChoices or 20
  parameters = parameters or {}
  local own = {
    W_att_subject = torch.Tensor(1, 1, features):zero(), W_att_h = torch.Tensor(hidden, choices):zero(),
    b_att = torch.Tensor(1, choices):zero(),
  }
  table.insert(parameters, own)
  local position, normalise = #parameters, nil
  if options.layerNormalization then
    normalise = module.LayerNormalization({ nOutputs = choices }, own)
    own.norm, own[1] = own[1], nil
  end
  return function(given, subject, h)
    local p, single = given[position] or given, subject:dim() == 2
    if single then subject = torch.view(torch.contiguous(subject), 1, features, choices) end
    if h:dim() == 1 then h = torch.view(torch.contiguous(h), 1, hidden) end
    local count = subject:size(1)
    local bySubject = torch.bmm(torch.expand(p.W_att_subject, count, 1, features), subject)
    local scores = torch.add(torch.view(bySubject, count, choices), torch.mm(h, p.W_att_h))
    scores = torch.add(scores, column(p.b_att, scores))
    if normalise then scores = normalise(p.norm, scores) end
    local focus = torch.softmax(scores, 2)
    local attention = torch.bmm(subject, torch.view(focus, count, choices, 1))
    if single then return torch.view(attention, features), torch.view(focus, choices) end
    return torch.view(attention, count, features), focus
  end, parameters
end

-- Returns the means of columns over the rows with weight 1, as a row.
local function weightedMean(x, weights, count) return torch.cdiv(torch.sum(torch.cmul(x, weights), 1), count) end

--- Batch normalisation over the elements with mask 1; the others become zeros. It uses running means and deviations; in training, each call
-- first updates them with its batch.
-- @tparam[opt] table options nOutputs (10), momentum (0.1)
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, x, mask, state [, eps = 1e-5]) -> in x's shape: n, N x n or N x T x n, where N and T count as one
-- dimension. The mask of 0 and 1 has x's sizes, or 1 as the last of them
-- @treturn table parameters: {gain 1 x n of 0.1, bias 1 x n of zeros}
-- @treturn table state: {momentum, train = 1, running_mean 1 x n of zeros, running_std 1 x n of ones}; the running values are replaced at
-- each call with train = 1, by momentum * new + (1 - momentum) * old, and stay with train = 0
function module.MaskedBatchNormalization(options, parameters)
  options = options or {}
  local size = options.nOutputs or 10
  parameters = parameters or {}
  table.insert(parameters, { gain = torch.Tensor(1, size):fill(0.1), bias = torch.Tensor(1, size):zero() })
  local fresh = {
    momentum = options.momentum or 0.1, train = 1,
    running_mean = torch.Tensor(1, size):zero(), running_std = torch.Tensor(1, size):fill(1),
  }
  return function(given, x, mask, state, eps)
    local p, rows = given[1] or given, rowsOf(x)
    local weights = torch.contiguous(column(rowsOf(mask:type(x:type())), rows))
    local average, deviation = state.running_mean, state.running_std
    if state.train == 1 then
      local count = torch.cmax(torch.sum(weights, 1), 1)
      local own = weightedMean(rows, weights, count)
      local centred = torch.add(rows, torch.mul(column(own, rows), -1))
      local spread = torch.sqrt(torch.add(weightedMean(torch.cmul(centred, centred), weights, count), eps or 1e-5))
      local function blended(new, old) return torch.add(torch.mul(new, state.momentum), torch.mul(old, 1 - state.momentum)) end
      average, deviation = blended(own, average), blended(spread, deviation)
      -- The next call uses the values as constants: a graph doesn't outlive its call.
      mode.noGrad(function() state.running_mean, state.running_std = average:detach():clone(), deviation:detach():clone() end)
    end
    local y = torch.cdiv(torch.add(rows, torch.mul(column(average, rows), -1)), column(deviation, rows))
    y = torch.cmul(torch.add(torch.cmul(y, column(p.gain, y)), column(p.bias, y)), weights)
    return torch.viewAs(y, x)
  end, parameters, fresh
end

return module
