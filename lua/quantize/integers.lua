--- The steps of a graph with integers of 8 bits. It runs twice: the first time it packs weights and computes what depends on constants
-- alone, the second time inside a capture, in which these are constants of the new graph.
-- @module quantize.integers
-- @local
local torch = require 'torch'
local folding, program, scales = require 'quantize.folding', require 'quantize.program', require 'quantize.scales'
local steps, values = require 'quantize.steps', require 'quantize.values'

-- Remembers results by keys, so that the run in the capture creates no tensors of its own.
local function cache()
  local made = {}
  return function(key, make)
    if made[key] == nil then made[key] = make() end
    return made[key]
  end
end

local function pack(...) return { n = select('#', ...), ... } end

--- Returns a function of the inputs that computes the outputs of a graph with integers.
-- @tparam torch.Graph graph
-- @tparam table plan `isDynamic`: whether floats are quantised in each run; `ranges`: key of a value -> {least, most}; `symmetric`,
-- `perChannel`, `symmetricWeights`; `skips`: a function of the op and the weight; `onLayer`: a function of the number of the step, the
-- name of the op, the weight, the bytes of the integers, and the value
-- @treturn function
return function(graph, plan)
  local constants = program.constants(graph)
  local folded, ids, remember = folding(constants, true), setmetatable({}, { __mode = 'k' }), cache()
  local isConstant = folded.isConstant

  -- The integers of a weight, whose rows belong to outputs; steps that use a weight again share it.
  local function packed(weight, groups, isTransposed)
    return remember(weight, function()
      local rows = (isTransposed and weight:t() or weight):float():contiguous()
      local scale, zero = scales.ofWeight(rows, true, plan.symmetricWeights)
      if not plan.perChannel then
        local one, centre = scales.ofWeight(rows, false, plan.symmetricWeights)
        scale = scale:fill(one[1])
        zero = centre and zero:fill(centre[1])
      end
      local q = torch.quantize(rows, scale, zero, 1, 'torch.CharTensor')
      return { data = torch.int8Pack(q, groups), scale = scale, zero = zero, columns = rows:size(1) }
    end)
  end

  local function scaleOf(id)
    local range = plan.ranges[id]
    if not range then return nil end
    return scales.ofRange(range[1], range[2], plan.symmetric)
  end

  local function create(fields)
    fields.isRanged = fields.id ~= nil and plan.ranges[fields.id] ~= nil
    return values.create(fields)
  end

  -- A value of floats, which are quantised by their range.
  local function ofFloats(tensor)
    local id = ids[tensor]
    return create { tensor = tensor, id = id, makeIntegers = function(key)
      local scale, zero, type = scaleOf(key)
      local tensors = remember('scale' .. key, function() return { torch.FloatTensor { scale }, torch.IntTensor { zero } } end)
      return torch.quantize(tensor, tensors[1], tensors[2], nil, type), scale, zero
    end }
  end

  local function valueOf(x) return values.is(x) and x or ofFloats(x) end
  local function idOf(x) return values.is(x) and x.id or ids[x] end
  local function canQuantize(x) return not plan.isDynamic and idOf(x) ~= nil and plan.ranges[idOf(x)] ~= nil end

  -- A product or a convolution. `call` gets integers or floats x, and the arguments behind the zero point.
  local function productValue(number, x, w, bias, call)
    if plan.isDynamic then
      return call(values.resolve(x), 0, w.scale, bias, w.zero, 0, nil)
    end
    local input = valueOf(x)
    return create {
      id = number,
      makeFloats = function()
        local q, scale, zero = input:quantized()
        local multiplier = remember(number .. 'float', function() return torch.mul(w.scale, scale) end)
        return call(q, zero, multiplier, bias, w.zero, 0, nil)
      end,
      makeIntegers = function(key)
        local q, scale, zero = input:quantized()
        local outScale, outZero, type = scaleOf(key)
        local multiplier = remember(number .. 'to' .. key, function() return torch.mul(w.scale, scale / outScale) end)
        local offset = bias and remember(number .. 'bias' .. key, function() return torch.div(bias, outScale) end)
        return call(q, zero, multiplier, offset, w.zero, outZero, type), outScale, outZero
      end,
    }
  end

  local function biasOf(bias) return bias and remember(bias, function() return bias:float() end) end

  local function product(number, name, arguments)
    local operands = steps.product(name, arguments, isConstant, folded.transposed)
    if not operands or plan.skips(name, operands.weight) then return nil end
    if not plan.isDynamic and not canQuantize(operands.x) then return nil end
    local w = packed(operands.weight, 1, operands.isTransposed)
    local result = productValue(number, operands.x, w, biasOf(operands.bias), function(x, zero, ...)
      return torch.int8Linear(x, w.data, w.columns, zero, ...)
    end)
    plan.onLayer(number, name, operands.weight, w, result)
    if operands.added then return torch.add(values.resolve(operands.added), values.resolve(result)) end
    return result
  end

  local function convolution(number, name, arguments)
    local operands = steps.convolution(name, arguments, isConstant)
    if not operands or plan.skips(name, operands.weight) then return nil end
    if not plan.isDynamic and not canQuantize(operands.x) then return nil end
    local weight = operands.weight
    local w, kernel = packed(weight, operands.groups), { weight:size(3), weight:size(4) }
    -- Steps of floats expect channels first.
    local result = productValue(number, operands.x, w, biasOf(operands.bias), function(x, zero, multiplier, bias, weightZero, outZero, type)
      local y = torch.int8Conv2d(x, w.data, w.columns, kernel, zero, multiplier, bias, weightZero, outZero, type, operands.window,
        operands.groups)
      return type and y or torch.contiguous(y)
    end)
    plan.onLayer(number, name, weight, w, result)
    return result
  end

  local function lookup(number, name, arguments)
    local operands = steps.lookup(name, arguments, isConstant)
    if not operands or plan.skips(name, operands.weight) then return nil end
    local rows = remember(operands.weight, function()
      local weight = operands.weight:float()
      local scale = scales.ofWeight(weight, true, true)
      return { data = torch.quantize(weight, scale, nil, 1, 'torch.CharTensor'), scale = scale }
    end)
    local index = values.resolve(operands.index)
    local result = torch.dequantize(torch.index(rows.data, 1, index), torch.index(rows.scale, 1, index), nil, 1)
    plan.onLayer(number, name, operands.weight, rows, result)
    return result
  end

  local function relu(number, name, arguments)
    local base = arguments[1]
    if name ~= 'relu' or not values.is(base) then return nil end
    return create {
      id = number,
      makeFloats = function() return torch.relu(base:floats()) end,
      -- Quantised by a range from 0 on, integers have no number below 0, except those with a sign.
      makeIntegers = function(key)
        local q, scale, zero = base:quantized(key)
        if zero > 0 or plan.symmetric then q = torch.cmax(q, zero) end
        return q, scale, zero
      end,
    }
  end

  -- Integers keep their memory order; views need copies more often than those of floats.
  local function arrange(name, x, ...)
    if name == 'contiguous' or name == 'clone' then return x end
    if name == 'maxPool2d' then return torch.int8MaxPool2d(x, ...) end
    return torch[name == 'view' and 'reshape' or name](x, ...)
  end

  local function arranging(_, name, arguments)
    local base = arguments[1]
    if not steps.arranging[name] or not values.is(base) then return nil end
    local rest = { unpack(arguments, 2, arguments.n) }
    local n = arguments.n - 1
    if name == 'maxPool2d' and #base:size() ~= 4 then return nil end
    local first = create {
      id = base.id,
      makeFloats = function() return (torch[name](base:floats(), unpack(rest, 1, n))) end,
      makeIntegers = function(key)
        local q, scale, zero = base:quantized(key)
        return arrange(name, q, unpack(rest, 1, n)), scale, zero
      end,
    }
    if name ~= 'maxPool2d' then return first end
    return first, create { makeFloats = function() return (select(2, torch.maxPool2d(base:floats(), unpack(rest, 1, n)))) end }
  end

  local function unary(number, name, arguments)
    local base = arguments[1]
    if not steps.unary[name] or not values.is(base) then return nil end
    local rest, n = { unpack(arguments, 2, arguments.n) }, arguments.n - 1
    local function floats() return torch[name](base:floats(), unpack(rest, 1, n)) end
    return create {
      id = number,
      makeFloats = floats,
      makeIntegers = function(key)
        if not canQuantize(base) then return ofFloats(floats()):quantized(key) end
        local outScale, outZero, type = scaleOf(key)
        local q, scale, zero = base:quantized()
        local table = remember(number .. 'table' .. key, function()
          local least = plan.symmetric and -128 or 0
          local x = torch.range(least, least + 255):float():add(-zero):mul(scale)
          return torch.quantize(torch[name](x, unpack(rest, 1, n)), torch.FloatTensor { outScale }, torch.IntTensor { outZero }, nil, type)
        end)
        return torch.int8Map(q, table), outScale, outZero
      end,
    }
  end

  local rules = { product, convolution, lookup, relu, arranging, unary }

  local function step(number, name, ...)
    local arguments = pack(...)
    for _, rule in ipairs(rules) do
      local first, second = rule(number, name, arguments)
      if first ~= nil then
        if torch.isTensor(first) then ids[first] = number end
        return first, second
      end
    end
    local source = steps.arranging[name] and idOf(arguments[1])
    local results = folded.run(number, name, arguments)
    if torch.isTensor(results[1]) then ids[results[1]] = source or number end
    return unpack(results, 1, results.n)
  end

  local run = program.runner(graph, constants, step, values.resolve)
  return function(...)
    for i = 1, select('#', ...) do ids[select(i, ...)] = 'x' .. i end
    local outputs = pack(run(...))
    for i = 1, outputs.n do outputs[i] = values.resolve(outputs[i]) end
    return unpack(outputs, 1, outputs.n)
  end
end
