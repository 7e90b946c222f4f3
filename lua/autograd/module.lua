--- Parts of networks as functions of their parameters: `autograd.module`.
-- @module autograd.module
local torch = require 'torch'

local module = {}

local function column(x, like) return torch.expandAs(x, like) end

--- Each row of x (N x n) with mean 0 and variance 1, times a gain, plus a bias.
-- Source: Ba, Kiros & Hinton (2016), "Layer Normalization", arXiv:1607.06450, equation 4.
-- @tparam[opt] table options nOutputs (10)
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, x [, eps = 1e-5]) -> N x n
-- @treturn table parameters: {gain 1 x n of ones, bias 1 x n of zeros}
function module.LayerNormalization(options, parameters)
  local size = (options or {}).nOutputs or 10
  parameters = parameters or {}
  table.insert(parameters, { gain = torch.Tensor(1, size):fill(1), bias = torch.Tensor(1, size):zero() })
  return function(given, x, eps)
    local p = given[1] or given
    local centred = torch.add(x, torch.mul(column(torch.mean(x, 2), x), -1))
    local deviation = torch.sqrt(torch.add(torch.mean(torch.cmul(centred, centred), 2), eps or 1e-5))
    local y = torch.cdiv(centred, column(deviation, centred))
    return torch.add(torch.cmul(y, column(p.gain, y)), column(p.bias, y))
  end, parameters
end

--- Soft attention: weights of the subject's choices by the subject and a hidden state, and the subject's weighted sum.
-- Source: Xu et al. (2015), "Show, Attend and Tell", ICML, section 3.1.2 and 4.2.
-- @tparam[opt] table options hiddenFeatures (10), subjectFeatures (15), subjectChoices (20), layerNormalization (false)
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, subject N x features x choices, h N x hidden) -> attention N x features, focus N x choices
-- @treturn table parameters: {W_att_subject 1 x features, W_att_h hidden x choices, b_att 1 x choices}, zeros
function module.SoftAttention(options, parameters)
  options = options or {}
  local hidden, features, choices = options.hiddenFeatures or 10, options.subjectFeatures or 15, options.subjectChoices or 20
  parameters = parameters or {}
  local own = {
    W_att_subject = torch.Tensor(1, features):zero(), W_att_h = torch.Tensor(hidden, choices):zero(),
    b_att = torch.Tensor(1, choices):zero(),
  }
  table.insert(parameters, own)
  local position, normalise = #parameters, nil
  if options.layerNormalization then
    normalise = module.LayerNormalization({ nOutputs = choices }, own)
    own.norm, own[1] = own[1], nil
  end
  return function(given, subject, h)
    local p, count = given[position] or given, subject:size(1)
    local bySubject = torch.bmm(torch.expand(torch.view(p.W_att_subject, 1, 1, features), count, 1, features), subject)
    local scores = torch.add(torch.view(bySubject, count, choices), torch.mm(h, p.W_att_h))
    scores = torch.add(scores, column(p.b_att, scores))
    if normalise then scores = normalise(p.norm, scores) end
    local focus = torch.softmax(scores, 2)
    local attention = torch.bmm(subject, torch.view(focus, count, choices, 1))
    return torch.view(attention, count, features), focus
  end, parameters
end

--- Batch normalisation over the rows that a mask names; the others become zeros.
-- @tparam[opt] table options nOutputs (10), eps (1e-5)
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, x N x n, mask N of 0 and 1) -> N x n
-- @treturn table parameters: {gain 1 x n of ones, bias 1 x n of zeros}
function module.MaskedBatchNormalization(options, parameters)
  options = options or {}
  local size, eps = options.nOutputs or 10, options.eps or 1e-5
  parameters = parameters or {}
  table.insert(parameters, { gain = torch.Tensor(1, size):fill(1), bias = torch.Tensor(1, size):zero() })
  return function(given, x, mask)
    local p = given[1] or given
    local weights = column(mask:type(x:type()):view(-1, 1), x)
    local count = math.max(mask:sum(), 1)
    local function mean(y) return torch.div(torch.sum(torch.cmul(y, weights), 1), count) end
    local centred = torch.add(x, torch.mul(column(mean(x), x), -1))
    local deviation = torch.sqrt(torch.add(mean(torch.cmul(centred, centred)), eps))
    local y = torch.cdiv(centred, column(deviation, centred))
    return torch.cmul(torch.add(torch.cmul(y, column(p.gain, y)), column(p.bias, y)), weights)
  end, parameters
end

return module
