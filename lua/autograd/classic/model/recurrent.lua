--- Recurrent networks: f(parameters, x [, state]) -> output, state.
-- x is T x F, or N x T x F; the output is the last hidden state, N x H, or, with outputType 'all', all hidden states, N x T x H. Parameters
-- are initially zeros: programs fill them.
-- @module autograd.classic.model.recurrent
local torch = require 'torch'
local functionalize = require('autograd.classic.nnwrapper').functionalize

local recurrent = {}

local function zeros(...) return torch.Tensor(...):zero() end

-- Applies an affine map to x and h concatenated.
local function affine(x, h, weight, bias)
  local joined = torch.mm(torch.cat(x, h, 2), weight)
  return torch.add(joined, torch.expand(bias, joined:size(1), joined:size(2)))
end

local function start(x, state, name, size)
  return state[name] or x.new():resize(x:size(1), size):zero()
end

-- The common part of the four networks: `step(parameters, x_t, state, t)` returns the next state, `names` are the state's fields; h is the
-- output.
local function network(options, sizes, parameters, makeStep)
  local hidden, all = options.hiddenFeatures or 100, options.outputType == 'all'
  local function f(given, x, previous)
    if x:dim() == 2 then x = torch.view(torch.contiguous(x), 1, x:size(1), x:size(2)) end
    local p, state, step, outputs = given, {}, makeStep, {}
    for _, name in ipairs(sizes) do state[name] = start(x, previous or {}, name, hidden) end
    for t = 1, x:size(2) do
      state = step(p, torch.select(x, 2, t), state, t)
      if all then outputs[t] = torch.view(torch.contiguous(state.h), x:size(1), 1, hidden) end
    end
    if all then return torch.cat(outputs, 2), state end
    return state.h, state
  end
  return f, parameters
end

local function append(parameters, values)
  parameters = parameters or {}
  table.insert(parameters, values)
  return parameters
end

local function sizesOf(options)
  return options.inputFeatures or 10, options.hiddenFeatures or 100
end

--- h = tanh(W [x, h] + b).
-- @tparam[opt] table options inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all')
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, x, state) -> output, {h}
-- @treturn table parameters: {W (in + hid) x hid, b 1 x hid}
function recurrent.RecurrentNetwork(options, parameters)
  options = options or {}
  local inputs, hidden = sizesOf(options)
  parameters = append(parameters, { W = zeros(inputs + hidden, hidden), b = zeros(1, hidden) })
  return network(options, { 'h' }, parameters, function(given, x, state)
    local p = given[1] or given
    return { h = torch.tanh(affine(x, state.h, p.W, p.b)) }
  end)
end

--- Gated recurrent units: r, z = sigmoid(W [x, h] + b); h = (1 - z) h + z tanh(V [x, r h] + c).
-- Source: Cho et al. (2014), "Learning Phrase Representations using RNN Encoder-Decoder", EMNLP, section 2.3, z and 1 - z exchanged.
-- @tparam[opt] table options as RecurrentNetwork's
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, x, state) -> output, {h}
-- @treturn table parameters: {W (in + hid) x 2 hid, b, V (in + hid) x hid, c}
function recurrent.RecurrentGRUNetwork(options, parameters)
  options = options or {}
  local inputs, hidden = sizesOf(options)
  parameters = append(parameters, {
    W = zeros(inputs + hidden, 2 * hidden), b = zeros(1, 2 * hidden), V = zeros(inputs + hidden, hidden), c = zeros(1, hidden),
  })
  return network(options, { 'h' }, parameters, function(given, x, state)
    local p, h = given[1] or given, state.h
    local gates = torch.sigmoid(affine(x, h, p.W, p.b))
    local reset, update = torch.narrow(gates, 2, 1, hidden), torch.narrow(gates, 2, hidden + 1, hidden)
    local candidate = torch.tanh(affine(x, torch.cmul(reset, h), p.V, p.c))
    return { h = torch.add(h, torch.cmul(update, torch.add(candidate, torch.mul(h, -1)))) }
  end)
end

-- Returns batch normalisations of the gates, one for each of the first steps, and their parameters.
local function gateNorms(options, width)
  local norms, parameters = {}, {}
  for t = 1, options.maxBatchNormalizationLayers or 10 do
    norms[t], parameters[t] = functionalize(require('nn').BatchNormalization(width))
  end
  return norms, parameters
end

--- Long short-term memory: i, f, o = sigmoid, v = tanh of the four parts of W [x, h] + b; c = f c + i v; h = o tanh(c).
-- Source: Hochreiter & Schmidhuber (1997), "Long Short-Term Memory", Neural Computation 9, with Gers et al.'s forget gate.
-- @tparam[opt] table options as RecurrentNetwork's, and batchNormalization (false) of W [x, h] by a separate layer for each of the first
--   maxBatchNormalizationLayers (10) steps; the last one serves all later steps
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, x, state) -> output, {h, c}
-- @treturn table parameters: {W (in + hid) x 4 hid, b 1 x 4 hid}, then those of the normalisations
function recurrent.RecurrentLSTMNetwork(options, parameters)
  options = options or {}
  local inputs, hidden = sizesOf(options)
  parameters = append(parameters, { W = zeros(inputs + hidden, 4 * hidden), b = zeros(1, 4 * hidden) })
  local norms
  if options.batchNormalization then
    local normParameters
    norms, normParameters = gateNorms(options, 4 * hidden)
    table.insert(parameters, normParameters)
  end
  return network(options, { 'h', 'c' }, parameters, function(given, x, state, t)
    local p = given[1] or given
    local dots = affine(x, state.h, p.W, p.b)
    if norms then
      local k = math.min(t, #norms)
      dots = norms[k](given[#given][k], dots)
    end
    local gates = torch.sigmoid(torch.narrow(dots, 2, 1, 3 * hidden))
    local value = torch.tanh(torch.narrow(dots, 2, 3 * hidden + 1, hidden))
    local function gate(i) return torch.narrow(gates, 2, (i - 1) * hidden + 1, hidden) end
    local cell = torch.add(torch.cmul(gate(2), state.c), torch.cmul(gate(1), value))
    return { h = torch.cmul(gate(3), torch.tanh(cell)), c = cell }
  end)
end

-- Normalises rows to mean 0 and variance 1.
local function normalised(x)
  local centred = torch.add(x, torch.mul(torch.expandAs(torch.mean(x, 2), x), -1))
  local deviation = torch.sqrt(torch.add(torch.mean(torch.cmul(centred, centred), 2), 1e-5))
  return torch.cdiv(centred, torch.expandAs(deviation, centred))
end

--- Fast weights: A decays by lambda and learns eta h h'; the next h settles in S steps of h = tanh(norm(W [x, h] + b + A h)).
-- Source: Ba et al. (2016), "Using Fast Weights to Attend to the Recent Past", NIPS, equations 1 and 2. A is never computed: its product
-- with h is a sum over past states.
-- @tparam[opt] table options as RecurrentNetwork's, and lambda (0.9), eta (0.5), S (1), LayerNorm (true)
-- @tparam[opt] table parameters list to append to
-- @treturn function (parameters, x, state) -> output, {h}
-- @treturn table parameters: {W (in + hid) x hid, b 1 x hid}
function recurrent.RecurrentFWNetwork(options, parameters)
  options = options or {}
  local inputs, hidden = sizesOf(options)
  local lambda, eta, steps = options.lambda or 0.9, options.eta or 0.5, options.S or 1
  local norm = options.LayerNorm ~= false and normalised or function(x) return x end
  parameters = append(parameters, { W = zeros(inputs + hidden, hidden), b = zeros(1, hidden) })
  return network(options, { 'h' }, parameters, function(given, x, state)
    local p = given[1] or given
    local past = { unpack(state.past or {}) }
    past[#past + 1] = state.h
    local base = affine(x, state.h, p.W, p.b)
    local h = torch.tanh(base)
    for _ = 1, steps do
      local recalled
      for k, earlier in ipairs(past) do
        local likeness = torch.mul(torch.sum(torch.cmul(earlier, h), 2), eta * lambda ^ (#past - k))
        local term = torch.cmul(earlier, torch.expandAs(likeness, earlier))
        recalled = recalled and torch.add(recalled, term) or term
      end
      h = torch.tanh(norm(torch.add(base, recalled)))
    end
    return { h = h, past = past }
  end)
end

return recurrent
