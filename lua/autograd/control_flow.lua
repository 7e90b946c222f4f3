--- Control flow with tracked tensors inside captures: the extension point `controlDerivatives`. The gradient of a step is a step of the
-- same kind: a scan from the other end, or a cond, which runs the functions of the program again, on the tape.
-- @module autograd.control_flow
-- @local
local torch, C = require 'torch', require 'libmoontorch'
local node, Function = require 'autograd.node', require 'autograd.function'
local mode, border = require 'autograd.mode', require 'autograd.border'
local control = require 'torch.graph_control'
local native = require('torch.graph_object').native

local function pack(...) return { n = select('#', ...), ... } end

local function append(list, values, count)
  local n = list.n or #list
  for i = 1, count or #values do list[n + i] = values[i] end
  list.n = n + (count or #values)
  return list
end

local function numbered(letter, count)
  local names = {}
  for i = 1, count do names[i] = letter .. i end
  return names
end

-- Calls f, which captures a function of the program on the tape. Returns the nodes outside of the function on which its results depend;
-- then what f returns, a graph and results. The function ran before, so that the nodes of views are up to date.
local function traced(f, ...)
  local start = node.lastNumber()
  local graph, results = f(...)
  return border.of(results, start), graph, results
end

local function plus(a, b)
  if a and b then return torch.add(a, b) end
  return a or b
end

-- Runs f on the tape, with gradients by its results, nil for none. Returns the results and, by position, the gradients at its arguments and
-- at nodes outside of it.
local function pulledBack(f, arguments, gradients, nodes)
  local leaves, wanted, place = {}, {}, {}      -- place: node -> position
  for i, argument in ipairs(arguments) do
    leaves[i] = argument
    if argument:isFloatingPoint() then
      if not C.tracked(argument) then leaves[i] = C.detach(argument):requiresGrad() end
      wanted[#wanted + 1] = C.node(leaves[i])
      place[wanted[#wanted]] = i
    end
  end
  for j, n in ipairs(nodes) do
    wanted[#wanted + 1] = n
    place[n] = #arguments + j
  end
  local start = node.lastNumber()
  local results = pack(mode.enableGrad(f, unpack(leaves, 1, #arguments)))
  local found, inner = {}, {}
  for i = 1, results.n do
    local n = gradients[i] and C.node(results[i])
    if n and place[n] then
      found[place[n]] = plus(found[place[n]], gradients[i])               -- an argument that f returns unchanged
    elseif n then
      inner[i] = gradients[i]
    end
  end
  local list = pack(border.gradients(results, inner, wanted, start))
  for k, n in ipairs(wanted) do found[place[n]] = plus(found[place[n]], list[k]) end
  return results, found
end

local derivatives = {}

--- Runs a cond with tracked tensors.
-- @tparam torch.Tensor predicate
-- @tparam function ifTrue
-- @tparam function ifFalse
-- @tparam {torch.Tensor,...} operands
-- @return the results
function derivatives.cond(predicate, ifTrue, ifFalse, operands)
  local where, count = 'graph.cond', #operands
  local graphs, nodes, place, total = {}, {}, {}, nil
  for b, f in ipairs { ifTrue, ifFalse } do
    local name = b == 1 and 'ifTrue' or 'ifFalse'
    local found, graph, results = traced(control.captured, where, name, f, numbered('x', count), operands, count, 1)
    local info = native.info(graph)
    if info.draws or info.updates > 0 then
      error(('%s: %s: random numbers or a write, expected neither where a gradient is needed'):format(where, name), 0)
    end
    graphs[b], total = graph, results.n
    for _, n in ipairs(found) do
      if not place[n] then
        nodes[#nodes + 1] = n
        place[n] = #nodes
      end
    end
  end

  local function backward(ctx, ...)
    local given, gradients, positions = pack(...), {}, {}
    ctx:saved()
    for i = 1, total do
      if given[i] then
        gradients[#gradients + 1] = given[i]
        positions[#gradients] = i
      end
    end
    local all = append(append({ n = 0 }, operands), gradients)
    local samples = {}      -- a gradient for each argument and node that has one in a branch
    local function gradientsOf(f, finish)
      return function(...)
        local arguments, seeds = pack(...), {}
        for k, i in ipairs(positions) do seeds[i] = arguments[count + k] end
        local _, found = pulledBack(f, { unpack(arguments, 1, count) }, seeds, nodes)
        return finish(found, arguments)
      end
    end
    for _, f in ipairs { ifTrue, ifFalse } do
      control.withinCapture(control.captured, where, 'gradient', gradientsOf(f, function(found, arguments)
        for i = 1, count + #nodes do samples[i] = samples[i] or found[i] and { size = found[i]:size(), type = found[i]:type() } end
        return arguments[1]
      end), numbered('x', all.n), all, all.n, 1)
    end
    local needed, results = {}, {}      -- positions
    for i = 1, count + #nodes do
      if samples[i] and (i > count or ctx.needs[i + 1]) then needed[#needed + 1] = i end
    end
    if #needed == 0 then return end
    local function complete(found)
      local list = {}
      for k, i in ipairs(needed) do list[k] = found[i] or torch.zeros(samples[i].size, samples[i].type) end
      return unpack(list, 1, #needed)
    end
    local list = { control.cond(predicate, gradientsOf(ifTrue, complete), gradientsOf(ifFalse, complete), { unpack(all, 1, all.n) }) }
    for k, i in ipairs(needed) do results[i + 1] = list[k] end
    return unpack(results, 1, 1 + count + #nodes)
  end

  local apply = Function {
    name = 'cond',
    forward = function(ctx)
      ctx:save(predicate, unpack(operands))
      return native.runControl('cond', graphs, operands, {}, predicate)
    end,
    backward = backward,
  }
  local inputs = append({ n = 1, predicate }, operands)
  for _, n in ipairs(nodes) do append(inputs, { border.standIn(n) }) end
  return apply(unpack(inputs, 1, inputs.n))
end

--- Runs a scan with tracked tensors. It also stacks the states before each iteration, for the gradient.
-- @tparam function body
-- @tparam {torch.Tensor,...} state
-- @tparam {torch.Tensor,...} sequences
-- @bool[opt] reverse
-- @return the results
function derivatives.scan(body, state, sequences, reverse)
  local where, n, m = 'graph.scan', #state, #sequences
  local function f(...)
    local results = pack(body(...))
    for i = 1, n do append(results, { torch.clone((select(i, ...))) }) end
    return unpack(results, 1, results.n)
  end
  local nodes, graph, sample = traced(control.captureScan, where, f, state, sequences)
  local total = sample.n

  local function backward(ctx, ...)
    local given, saved = pack(...), pack(ctx:saved())
    local before = { unpack(saved, n + m + 1, saved.n) }                -- the states before each iteration
    local floats, initial = {}, { n = 0 }
    for i = 1, n do
      if saved[i]:isFloatingPoint() then
        floats[#floats + 1] = i
        append(initial, { given[i] or torch.zerosLike(saved[i]) })
      end
    end
    local slices = append(append({ n = 0 }, before), { unpack(saved, n + 1, n + m) })
    local positions = {}
    for i = n + 1, total do
      if given[i] then
        positions[#positions + 1] = i
        append(slices, { given[i] })
      end
    end
    local sums = {}      -- nodes that get gradients: positions, sizes and types
    local function gradients(first, ...)
      local arguments, seeds = { select(first + 1, ...) }, {}
      for k, i in ipairs(floats) do seeds[i] = (select(k, ...)) end
      for k, i in ipairs(positions) do seeds[i] = arguments[n + m + k] end
      return select(2, pulledBack(f, { unpack(arguments, 1, n + m) }, seeds, nodes))
    end
    local all = append(append({ n = 0 }, initial), slices)
    control.withinCapture(control.captured, where, 'gradient', function(...)
      local found = gradients(#floats, ...)
      for j = 1, #nodes do
        local g = found[n + m + j]
        if g then sums[#sums + 1] = { node = j, sum = { g:size(), g:type() } } end
      end
      return (...)
    end, append({}, numbered('s', all.n)), all, initial.n, 1)
    local start, isNeeded = append({ n = 0 }, initial), initial.n + #sums > 0
    for i = 1, m do isNeeded = isNeeded or ctx.needs[n + i] end
    if not isNeeded then return end
    for _, sum in ipairs(sums) do append(start, { torch.zeros(unpack(sum.sum)) }) end
    local list = pack(control.scan(function(...)
      local found, results = gradients(start.n, ...), { n = 0 }
      for k, i in ipairs(floats) do append(results, { found[i] or torch.zerosLike((select(k, ...))) }) end
      for k, sum in ipairs(sums) do append(results, { plus((select(#floats + k, ...)), found[n + m + sum.node]) }) end
      for i = 1, m do
        if ctx.needs[n + i] then append(results, { found[n + i] or torch.zerosLike((select(start.n + n + i, ...))) }) end
      end
      return unpack(results, 1, results.n)
    end, { unpack(start, 1, start.n) }, { unpack(slices, 1, slices.n) }, not reverse))
    local results, at = {}, start.n
    for k, i in ipairs(floats) do results[i] = list[k] end
    for k, sum in ipairs(sums) do results[n + m + sum.node] = list[#floats + k] end
    for i = 1, m do
      if ctx.needs[n + i] then
        at = at + 1
        results[n + i] = list[at]
      end
    end
    return unpack(results, 1, n + m + #nodes)
  end

  local apply = Function {
    name = 'scan',
    forward = function(ctx)
      local results = pack(native.runControl('scan', { graph }, state, sequences, reverse))
      local list = append(append({ n = 0 }, state), sequences)
      for i = total - n + 1, total do append(list, { results[i] }) end
      ctx:save(unpack(list, 1, list.n))
      return unpack(results, 1, total)
    end,
    backward = backward,
  }
  local inputs = append(append({ n = 0 }, state), sequences)
  for _, each in ipairs(nodes) do append(inputs, { border.standIn(each) }) end
  local results = pack(apply(unpack(inputs, 1, inputs.n)))
  return unpack(results, 1, total - n)
end

require 'torch.extensions'.register('controlDerivatives', derivatives)
