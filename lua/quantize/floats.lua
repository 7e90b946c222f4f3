--- The steps of a graph with floats, which observe what will become integers, and may round it as integers do.
-- @module quantize.floats
-- @local
local torch = require 'torch'
local folding, program, scales = require 'quantize.folding', require 'quantize.program', require 'quantize.scales'
local steps, values = require 'quantize.steps', require 'quantize.values'

--- Returns a function of the inputs that computes the outputs of a graph.
-- @tparam torch.Graph graph
-- @tparam {torch.Tensor,...} constants in its order; they may be tracked by the tape
-- @tparam table plan `observe`: a function of the key of a value and the value; `onLayer`: a function of the number of a step and its
-- result; both may be nil. `attention`: whether products of two values are observed; `rounds`: whether arguments of products are rounded;
-- then `rangeOf`: a function of a key that returns the range; `symmetric`, `perChannel`, `symmetricWeights`, `skips` as in
-- quantize.integers
-- @treturn function
return function(graph, constants, plan)
  local folded = folding(constants, false)
  local isConstant, ids = folded.isConstant, setmetatable({}, { __mode = 'k' })
  -- The number of columns of layers, and keys of slices of these.
  local columns, slices = setmetatable({}, { __mode = 'k' }), setmetatable({}, { __mode = 'k' })

  local function roundedInput(x, id)
    local range = plan.rounds and id and plan.rangeOf(id)
    if not range then return x end
    local scale, zero = scales.ofRange(range[1], range[2], plan.symmetric)
    local least = plan.symmetric and -128 or 0
    return torch.fakeQuantize(x, torch.FloatTensor { scale }, torch.IntTensor { zero }, nil, least, least + 255)
  end

  local function roundedWeight(weight, axis)
    if not plan.rounds then return weight end
    local rows = axis == 1 and weight or weight:transpose(1, axis)
    local scale, zero = scales.ofWeight(rows:contiguous(), plan.perChannel, plan.symmetricWeights, 'quantize.Prepared: weight')
    return torch.fakeQuantize(weight, scale, zero, plan.perChannel and axis or nil, -128, 127)
  end

  local function observe(x)
    if plan.observe and steps.isFloat(x) and ids[x] and not isConstant(x) then plan.observe(ids[x], x:detach()) end
    return roundedInput(x, ids[x])
  end

  -- Operands of products of two values: a slice of a layer has a range of its own.
  local function observeSlice(x)
    local rounded = observe(x)
    if not slices[x] then return rounded end
    if plan.observe then plan.observe(slices[x], x:detach()) end
    return roundedInput(x, slices[x])
  end

  local function pair(name, arguments)
    if not plan.attention then return nil end
    local o = steps.attention(name, arguments, isConstant)
    if o and steps.isFloat(o.query) then
      return torch[name](observeSlice(o.query), observeSlice(o.key), observeSlice(o.value), o.mask, o.causal, o.scale)
    end
    local x, y = steps.pair(name, arguments, isConstant)
    return x and steps.isFloat(x) and steps.isFloat(y) and torch[name](observeSlice(x), observeSlice(y)) or nil
  end

  -- Remembers which results are layers with all their columns, or slices of these.
  local function follow(number, name, arguments, result)
    local x = arguments[1]
    if name == 'linear' then
      columns[result] = result:size(result:dim())
    elseif torch.isTensor(x) and steps.viewing[name] then
      columns[result] = columns[x] == result:size(result:dim()) and columns[x] or nil
    elseif torch.isTensor(x) and columns[x] and steps.slice(name, arguments, x:dim()) then
      slices[result] = number
      if plan.onLayer then plan.onLayer(number, result) end
    end
    if steps.arranging[name] and slices[x] then slices[result] = slices[x] end
  end

  local function product(name, arguments)
    local operands = steps.product(name, arguments, isConstant, folded.transposed)
    if not operands or not steps.isFloat(operands.x) or plan.skips(name, operands.weight) then return nil end
    local x = observe(operands.x)
    if not plan.rounds then return torch[name](unpack(arguments, 1, arguments.n)) end
    if name == 'linear' then return torch.linear(x, roundedWeight(operands.weight, 1), operands.bias) end
    local weight = operands.isTransposed and roundedWeight(operands.weight, 2) or torch.t(roundedWeight(operands.weight, 1))
    local y = torch.matmul(x, weight)
    return operands.added and torch.add(operands.added, y) or y
  end

  local function convolution(name, arguments)
    local operands = steps.convolution(name, arguments, isConstant)
    if not operands or plan.skips(name, operands.weight) then return nil end
    local x = observe(operands.x)
    return torch[name](x, roundedWeight(operands.weight, operands.form.axis), unpack(arguments, 3, arguments.n))
  end

  local function lookup(name, arguments)
    local operands = steps.lookup(name, arguments, isConstant)
    if not operands or not plan.rounds or plan.skips(name, operands.weight) then return nil end
    local scale = scales.ofWeight(operands.weight, true, true, 'quantize.Prepared: weight')
    return torch.index(torch.fakeQuantize(operands.weight, scale, nil, 1, -128, 127), 1, operands.index)
  end

  local function bag(name, arguments)
    local operands = steps.bag(name, arguments, isConstant)
    if not operands or plan.skips(name, operands.weight) then return nil end
    local weight = operands.weight
    if plan.rounds then
      weight = torch.fakeQuantize(weight, scales.ofWeight(weight, true, true, 'quantize.Prepared: weight'), nil, 1, -128, 127)
    end
    return torch[name](weight, unpack(arguments, 2, arguments.n))
  end

  local function step(number, name, ...)
    local arguments = { n = select('#', ...), ... }
    local result, second = pair(name, arguments)
    if not result then result, second = bag(name, arguments) end
    result = result or product(name, arguments) or convolution(name, arguments) or lookup(name, arguments)
    if result then
      ids[result] = number
      follow(number, name, arguments, result)
      if plan.onLayer then plan.onLayer(number, result) end
      return result, second
    end
    if steps.unary[name] then observe(arguments[1]) end
    for _, x in ipairs(steps.joined(name, arguments, isConstant)) do observe(x) end
    local results = folded.run(number, name, arguments)
    if name == 'batchNorm' and plan.onLayer then plan.onLayer(number, results[1]) end
    if torch.isTensor(results[1]) then
      ids[results[1]] = steps.arranging[name] and ids[arguments[1]] or number
      follow(number, name, arguments, results[1])
    end
    return unpack(results, 1, results.n)
  end

  local run = program.runner(graph, constants, step, values.resolve)
  return function(...)
    for i = 1, select('#', ...) do ids[select(i, ...)] = 'x' .. i end
    return run(...)
  end
end
