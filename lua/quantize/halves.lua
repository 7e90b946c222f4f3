--- The steps of a graph with weights of 16 bits: products and convolutions compute in float32.
-- @module quantize.halves
-- @local
local torch = require 'torch'
local folding, program = require 'quantize.folding', require 'quantize.program'
local steps, values = require 'quantize.steps', require 'quantize.values'

local types = { bfloat16 = 'torch.BFloat16Tensor', half = 'torch.HalfTensor' }

--- Returns a function of the inputs that computes the outputs of a graph with weights of 16 bits.
-- @tparam torch.Graph graph
-- @tparam table plan `weights`: 'bfloat16' or 'half'; `skips`, `onLayer` as in quantize.integers
-- @treturn function
return function(graph, plan)
  local constants = program.constants(graph)
  local folded, kept = folding(constants, true), {}
  local isConstant = folded.isConstant

  -- The weight of a layer in 16 bits, with rows for outputs; steps that use a weight again share it, also in the run of a capture.
  local function narrowed(weight, isTransposed)
    kept[weight] = kept[weight] or { data = (isTransposed and weight:t() or weight):type(types[plan.weights]):contiguous() }
    return kept[weight]
  end

  local function layer(number, name, weight, w, result)
    plan.onLayer(number, name, weight, w, result)
    return result
  end

  local function product(number, name, arguments)
    local operands = steps.product(name, arguments, isConstant, folded.transposed)
    if not operands or not steps.isSingle(operands.x) or plan.skips(name, operands.weight) then return nil end
    local w = narrowed(operands.weight, operands.isTransposed)
    local result = layer(number, name, operands.weight, w, torch.linear16(operands.x, w.data, operands.bias))
    return operands.added and torch.add(operands.added, result) or result
  end

  local function convolution(number, name, arguments)
    local operands = steps.convolution(name, arguments, isConstant)
    if not operands or not steps.isSingle(operands.x) or plan.skips(name, operands.weight) then return nil end
    local w = narrowed(operands.weight)
    return layer(number, name, operands.weight, w, torch[name](operands.x, w.data, unpack(arguments, 3, arguments.n)))
  end

  local function lookup(number, name, arguments)
    local operands = steps.lookup(name, arguments, isConstant)
    if not operands or not steps.isSingle(operands.weight) or plan.skips(name, operands.weight) then return nil end
    local w = narrowed(operands.weight)
    return layer(number, name, operands.weight, w, torch.index(w.data, 1, operands.index):float())
  end

  local function step(number, name, ...)
    local arguments = { n = select('#', ...), ... }
    local result = product(number, name, arguments) or convolution(number, name, arguments) or lookup(number, name, arguments)
    if result then return result end
    local results = folded.run(number, name, arguments)
    return unpack(results, 1, results.n)
  end

  return program.runner(graph, constants, step, values.resolve)
end
