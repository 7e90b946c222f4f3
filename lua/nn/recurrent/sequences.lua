--- A recurrent layer over a whole sequence: LSTM and GRU are a single node of the tape each.
-- The input projections are one matrix product for all steps; each step adds the product with the state and runs the cell in one
-- pass; an op runs all steps of an LSTM, where that is worth it. Backward collects the gradients of the gates for all steps, so that the
-- gradients of weights and input need one product each.
-- Gradients of gradients come from the same layer composed of single ops.
-- @module nn.recurrent.sequences
local torch, C = require 'torch', require 'libmoontorch'
local autograd = require 'autograd.core'

local sequences = {}

-- Returns loop bounds and step for positions 1..length, or backwards.
local function orderOf(length, reverse)
  if reverse then return length, 1, -1 end
  return 1, length, 1
end

-- Returns the input projections, the products of each step's input and the weight: (T, N, gates).
local function fromInput(x, weight, bias)
  local length, batch = x:size(1), x:size(2)
  local flat = torch.view(torch.contiguous(x), length * batch, x:size(3))
  return torch.view(torch.linear(flat, weight, bias), length, batch, weight:size(1))
end

-- Returns the sum over all steps of g' x, both (T, N, …).
local function product(g, x)
  local rows = g:size(1) * g:size(2)
  return torch.mm(torch.view(g, rows, g:size(3)):t(), torch.view(torch.contiguous(x), rows, x:size(3)))
end

-- Returns the sum over all steps of g' h, where h is the state before each: `first` before the first step, then the outputs y.
local function productWithStates(g, first, y, reverse)
  local length = g:size(1)
  local start = reverse and length or 1
  local sum = torch.mm(g[start]:t(), first)
  if length > 1 then
    local later, earlier = reverse and 1 or 2, reverse and 2 or 1
    sum:add(product(g:narrow(1, later, length - 1), y:narrow(1, earlier, length - 1)))
  end
  return sum
end

local function sumOfRows(g) return torch.sum(torch.view(g, g:size(1) * g:size(2), g:size(3)), 1):view(-1) end

-- Saves the arguments and y on the tape; ctx.kept has the further fields that backward needs.
local function keep(ctx, arguments, y, fields)
  local n = arguments.n
  arguments[n + 1] = C.detach(y)
  ctx:save(unpack(arguments, 1, n + 1))
  ctx.kept = fields
end

-- Returns gradients by the arguments through the same function composed of single ops, for gradients of gradients.
local function again(composed, arguments, count, reverse, ...)
  local outputs, given, roots, gradients, wanted, positions = { composed(reverse, unpack(arguments, 1, count)) }, { ... }, {}, {}, {}, {}
  for i, y in ipairs(outputs) do
    if given[i] then roots[#roots + 1], gradients[#gradients + 1] = y, given[i] end
  end
  for i = 1, count do
    if arguments[i] and C.tracked(arguments[i]) then wanted[#wanted + 1], positions[#positions + 1] = arguments[i], i end
  end
  local found = autograd.grad(roots, wanted, { gradOutputs = gradients, createGraph = true, allowUnused = true })
  local results = {}
  for k, i in ipairs(positions) do results[i] = found[k] end
  return unpack(results, 1, count)
end

local function joined(steps)
  local rows = {}
  for t, h in ipairs(steps) do rows[t] = torch.view(torch.contiguous(h), 1, h:size(1), h:size(2)) end
  return torch.cat(rows, 1)
end

-- ---- LSTM

-- With a matrix wProjection, h = wProjection o tanh(c).
local function composedLstm(reverse, x, h, c, wInput, wState, bias, wProjection)
  local pre, outputs = fromInput(x, wInput, bias), {}
  local first, last, step = orderOf(x:size(1), reverse)
  for t = first, last, step do
    h, c = torch.lstm_cell(torch.add(torch.select(pre, 1, t), torch.mm(h, torch.t(wState))), c)
    if wProjection then h = torch.mm(h, torch.t(wProjection)) end
    outputs[t] = h
  end
  return joined(outputs), h, c
end

-- Whether the op of whole layers runs here: it packs the weight first, which a few steps of a few rows are not worth. Small builds and
-- devices other than the CPU lack it, so that graphs, which run there as well, have single steps.
local function hasLayer(x)
  local info = torch.ops.lstm_layer
  if not info or C.capturing() or x:size(1) * math.min(x:size(2), 8) < 32 then return false end
  for _, device in ipairs(info.devices) do
    if device == x:device() then return true end
  end
  return false
end

-- Computes the steps one by one from `pre`, the input projections. Returns the results of torch.lstm_layer, and the last c. Without
-- training, the cells and gates of earlier steps are overwritten.
local function lstmSteps(pre, h, c, wState, reverse, training)
  local length, batch, size = pre:size(1), pre:size(2), h:size(2)
  local y = pre.new(length, batch, size)
  local gates, cells = pre.new(training and length or 1, batch, 4 * size), pre.new(training and length or 2, batch, size)
  local toState, slot = wState:t(), 0
  local first, last, step = orderOf(length, reverse)
  for t = first, last, step do
    slot = training and t or slot % 2 + 1
    local x_t, h_t, c_t = pre[t], y[t], cells[slot]
    x_t:addmm(h, toState)
    torch.lstm_cell(h_t, c_t, gates[training and t or 1], x_t, c)
    h, c = h_t, c_t
  end
  return y, cells, gates, c
end

local function runLstm(ctx, reverse, x, h0, c0, wInput, wState, bias)
  local training, last = next(ctx.needs) ~= nil, reverse and 1 or x:size(1)
  local pre = fromInput(x, wInput, bias)
  local y, cells, gates, c
  if hasLayer(pre) then
    y, cells, gates = torch.lstm_layer(pre, h0, c0, wState, reverse, training)
    c = cells[training and last or 1]
  else
    y, cells, gates, c = lstmSteps(pre, h0, c0, wState, reverse, training)
  end
  if training then
    keep(ctx, { n = 6, x, h0, c0, wInput, wState, bias }, y, { gates = gates, cells = cells, space = pre, reverse = reverse })
  end
  return y, y[last]:clone(), c:clone()
end

-- Writes the gradients of the input projections to `g`; returns those of the first states, as torch.lstm_layer_grad does.
local function lstmStepsGrad(g, gy, gh, gc, gates, c0, cells, wState, reverse)
  local length, total = g:size(1), c0.new():resizeAs(c0)
  local back = { c0.new():resizeAs(c0), c0.new():resizeAs(c0) }
  if gh then total:copy(gh) else total:zero() end
  local first, last, step = orderOf(length, not reverse)
  for t = first, last, step do
    if gy then total:add(gy[t]) end
    local previous = t - (reverse and -1 or 1)
    local before = previous >= 1 and previous <= length and cells[previous] or c0
    local next_ = rawequal(gc, back[1]) and back[2] or back[1]
    local g_t = g[t]
    torch.lstm_cell_grad(g_t, next_, total, gc, gates[t], before, cells[t])
    gc = next_
    torch.mm(total, g_t, wState)
  end
  return total, gc
end

local function lstmGradients(ctx, gy, gh, gc)
  local x, h0, c0, wInput, wState, bias, y = ctx:saved()
  local kept, reverse = ctx.kept, ctx.kept.reverse
  if C.gradMode() then return again(composedLstm, { x, h0, c0, wInput, wState, bias }, 6, reverse, gy, gh, gc) end
  local g, gh0, gc0 = kept.space, h0.new(), h0.new()
  if hasLayer(g) then
    torch.lstm_layer_grad(g, gh0, gc0, gy, gh, gc, kept.gates, c0, kept.cells, wState, reverse)
  else
    gh0, gc0 = lstmStepsGrad(g, gy, gh, gc, kept.gates, c0, kept.cells, wState, reverse)
  end
  local rows, needs = x:size(1) * x:size(2), ctx.needs
  return needs[1] and torch.view(torch.mm(torch.view(g, rows, g:size(3)), wInput), x:size()) or nil,
    needs[2] and gh0 or nil, needs[3] and gc0 or nil,
    needs[4] and product(g, x) or nil,
    needs[5] and productWithStates(g, h0, y, reverse) or nil,
    needs[6] and sumOfRows(g) or nil
end

-- ---- GRU

local function composedGru(reverse, x, h, wInput, wState, bias, stateBias)
  local pre, outputs = fromInput(x, wInput, bias), {}
  local first, last, step = orderOf(x:size(1), reverse)
  for t = first, last, step do
    h = torch.gru_cell(torch.select(pre, 1, t), torch.linear(h, wState, stateBias), h)
    outputs[t] = h
  end
  return joined(outputs), h
end

local function runGru(ctx, reverse, x, h0, wInput, wState, bias, stateBias)
  local length, batch, size = x:size(1), x:size(2), h0:size(2)
  local training = next(ctx.needs) ~= nil
  local pre = fromInput(x, wInput, bias)
  local y, h = pre.new(length, batch, size), h0
  local slots = training and length or 1
  local gates, fromState = pre.new(slots, batch, 3 * size), pre.new(slots, batch, 3 * size)
  local toState = wState:t()
  local first, last, step = orderOf(length, reverse)
  for t = first, last, step do
    local slot, h_t = training and t or 1, y[t]
    local s_t = fromState[slot]
    if stateBias then torch.linear(s_t, h, wState, stateBias) else torch.mm(s_t, h, toState) end
    torch.gru_cell(h_t, gates[slot], pre[t], s_t, h)
    h = h_t
  end
  if training then
    local fields = { gates = gates, fromState = fromState, space = pre, reverse = reverse }
    keep(ctx, { n = 6, x, h0, wInput, wState, bias, stateBias }, y, fields)
  end
  return y, h:clone()
end

local function gruGradients(ctx, gy, gh)
  local x, h0, wInput, wState, bias, stateBias, y = ctx:saved()
  local kept, reverse = ctx.kept, ctx.kept.reverse
  if C.gradMode() then return again(composedGru, { x, h0, wInput, wState, bias, stateBias }, 6, reverse, gy, gh) end
  local length = x:size(1)
  local gx = kept.space
  local gs = gx.new():resizeAs(gx)
  local total, direct = h0.new():resizeAs(h0), h0.new():resizeAs(h0)
  if gh then total:copy(gh) else total:zero() end
  local first, last, step = orderOf(length, not reverse)
  for t = first, last, step do
    if gy then total:add(gy[t]) end
    local previous = t - (reverse and -1 or 1)
    local before = previous >= 1 and previous <= length and y[previous] or h0
    local s_t = gs[t]
    torch.gru_cell_grad(gx[t], s_t, direct, total, kept.gates[t], kept.fromState[t], before)
    torch.mm(total, s_t, wState)
    total:add(direct)
  end
  local rows, needs = length * x:size(2), ctx.needs
  return needs[1] and torch.view(torch.mm(torch.view(gx, rows, gx:size(3)), wInput), x:size()) or nil,
    needs[2] and total or nil,
    needs[3] and product(gx, x) or nil,
    needs[4] and productWithStates(gs, h0, y, reverse) or nil,
    needs[5] and sumOfRows(gx) or nil,
    needs[6] and sumOfRows(gs) or nil
end

local function oneWay(name, run, gradients, reverse)
  return autograd.Function {
    name = name, autocast = 'low',
    forward = function(ctx, ...) return run(ctx, reverse, ...) end,
    backward = gradients,
  }
end

local lstm = { [false] = oneWay('nn.LSTM', runLstm, lstmGradients, false), [true] = oneWay('nn.LSTM', runLstm, lstmGradients, true) }
local gru = { [false] = oneWay('nn.GRU', runGru, gruGradients, false), [true] = oneWay('nn.GRU', runGru, gruGradients, true) }

--- Long short-term memory over a sequence; gates in the order i, f, g, o (see torch.lstm_cell).
-- @tparam torch.Tensor x (T, N, in)
-- @tparam torch.Tensor h start (N, m)
-- @tparam torch.Tensor c likewise
-- @tparam table p wInput (4m, in), wState (4m, m), bias (4m), or nil; wProjection (p, m), or nil: then h has p elements
-- @tparam boolean reverse from the last step to the first
-- @return y (T, N, m), last h, last c
function sequences.lstm(x, h, c, p, reverse)
  if p.wProjection then return composedLstm(reverse, x, h, c, p.wInput, p.wState, p.bias, p.wProjection) end
  return lstm[reverse or false](x, h, c, p.wInput, p.wState, p.bias)
end

--- Gated recurrent units over a sequence; gates in the order r, z, n (see torch.gru_cell).
-- @tparam torch.Tensor x (T, N, in)
-- @tparam torch.Tensor h start (N, m)
-- @tparam table p wInput (3m, in), wState (3m, m), bias and stateBias (3m), or nil
-- @tparam boolean reverse
-- @return y (T, N, m), last h
function sequences.gru(x, h, p, reverse)
  return gru[reverse or false](x, h, p.wInput, p.wState, p.bias, p.stateBias)
end

--- Plain recurrence h = f(W x + b + U h), in single ops.
-- @tparam torch.Tensor x (T, N, in)
-- @tparam torch.Tensor h start (N, m)
-- @tparam table p wInput (m, in), wState (m, m), bias (m), or nil
-- @tparam boolean reverse
-- @tparam function f elementwise
-- @return y (T, N, m), last h
function sequences.plain(x, h, p, reverse, f)
  local pre, outputs, toState = fromInput(x, p.wInput, p.bias), {}, torch.t(p.wState)
  local first, last, step = orderOf(x:size(1), reverse)
  for t = first, last, step do
    h = f(torch.add(torch.select(pre, 1, t), torch.mm(h, toState)))
    outputs[t] = h
  end
  return joined(outputs), h
end

return sequences
