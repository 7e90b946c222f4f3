--- The steps of a graph with integers of 8 bits. It runs twice: the first time it packs weights and computes what depends on constants
-- alone, the second time inside a capture, in which these are constants of the new graph.
-- @module quantize.integers
-- @local
local torch = require 'torch'
local folding, joining, pairing = require 'quantize.folding', require 'quantize.joining', require 'quantize.pairs'
local products, program, rowsOf = require 'quantize.products', require 'quantize.program', require 'quantize.rows'
local scales = require 'quantize.scales'
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
-- `perChannel`, `symmetricWeights`; `attention`: whether products of two values are integers; `skips`: a function of the op and the weight;
-- `onLayer`: a function of the number of the step, the name of the op, the weight, the integers, the value, and the number of the step that
-- it replaces
-- @treturn function
return function(graph, plan)
  local constants = program.constants(graph)
  local folded, ids, remember = folding(constants, true), setmetatable({}, { __mode = 'k' }), cache()
  local isConstant = folded.isConstant

  local function scaleOf(id)
    local range = plan.ranges[id]
    if not range then return nil end
    return scales.ofRange(range[1], range[2], plan.symmetric)
  end

  local function scaleTensors(key, scale, zero)
    return unpack(remember('scale' .. key, function() return { torch.FloatTensor { scale }, torch.IntTensor { zero } } end))
  end

  -- Integers of floats, for the range of a key.
  local function quantized(tensor, key)
    local scale, zero, type = scaleOf(key)
    local scaleTensor, zeroTensor = scaleTensors(key, scale, zero)
    return torch.quantize(tensor, scaleTensor, zeroTensor, nil, type), scale, zero
  end

  -- Floats of integers.
  local function dequantized(key, q, scale, zero) return torch.dequantize(q, scaleTensors(key, scale, zero)) end

  -- Integers for the range of a key, from integers with another scale: a function of each number, by a table under a name.
  local function mapped(name, key, q, scale, zero, f)
    local outScale, outZero, type = scaleOf(key)
    local table = remember(name, function()
      local least = plan.symmetric and -128 or 0
      local x = torch.range(least, least + 255):float():add(-zero):mul(scale)
      return torch.quantize(f(x), torch.FloatTensor { outScale }, torch.IntTensor { outZero }, nil, type)
    end)
    return torch.int8Map(q, table), outScale, outZero
  end

  local function rescaled(from, key, q, scale, zero)
    return mapped(('from %s to %s'):format(from, key), key, q, scale, zero, function(x) return x end)
  end

  local function create(fields)
    fields.isRanged = fields.id ~= nil and plan.ranges[fields.id] ~= nil
    fields.quantize, fields.dequantize, fields.rescale = quantized, dequantized, rescaled
    return values.create(fields)
  end

  -- A value of floats, which are quantised by their range.
  local function ofFloats(tensor) return create { tensor = tensor, id = ids[tensor] } end

  local function valueOf(x) return values.is(x) and x or ofFloats(x) end
  local function idOf(x) return values.is(x) and x.id or ids[x] end
  local function canQuantize(x) return not plan.isDynamic and idOf(x) ~= nil and plan.ranges[idOf(x)] ~= nil end

  local function relu(number, name, arguments)
    local base = arguments[1]
    if not values.is(base) or not steps.isPositivePart(name, arguments) then return nil end
    return create {
      id = number,
      makeFloats = function() return torch[name](base:floats(), unpack(arguments, 2, arguments.n)) end,
      -- Quantised by the range of the results, from 0 on, integers have no number outside, except those with a sign below 0.
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

  local function arranged(name, base, rest, n)
    return create {
      id = base.id,
      makeFloats = function() return (torch[name](base:floats(), unpack(rest, 1, n))) end,
      makeIntegers = function(key)
        local q, scale, zero = base:quantized(key)
        return arrange(name, q, unpack(rest, 1, n)), scale, zero
      end,
    }
  end

  -- The columns of a layer that are still the last dimension after a view: `count`, the number of `dims`, and `value(number, first,
  -- length)`, which makes a value of some of them.
  local function columnsAfter(name, base, rest, n)
    local of, sizes = base.columns, rest[1]
    if not of or not steps.viewing[name] then return nil end
    if name == 'contiguous' or name == 'clone' then return of end
    if type(sizes) ~= 'table' or sizes[#sizes] ~= of.count then return nil end
    return {
      count = of.count, dims = #sizes,
      value = function(number, first, length)
        local some = { unpack(sizes) }
        some[#some] = length
        return arranged(name, of.value(number, first, length), { some }, n)
      end,
    }
  end

  -- A function that makes the value of a slice of a layer alone, after the ops that arrange it, or nil.
  local function sliceAfter(number, name, base, rest, n)
    local part = base.columns and steps.slice(name, { base, unpack(rest, 1, n) }, base.columns.dims)
    if part then return function() return base.columns.value(number, part.first, part.length) end end
    return base.slice and function() return arranged(name, base.slice(), rest, n) end
  end

  local function arranging(number, name, arguments)
    local base = arguments[1]
    if not steps.arranging[name] or not values.is(base) then return nil end
    local rest = { unpack(arguments, 2, arguments.n) }
    local n = arguments.n - 1
    if name == 'maxPool2d' and #base:size() ~= 4 then return nil end
    local first = arranged(name, base, rest, n)
    first.columns = columnsAfter(name, base, rest, n)
    first.slice = sliceAfter(number, name, base, rest, n)
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
        local q, scale, zero = base:quantized()
        return mapped(number .. 'table' .. key, key, q, scale, zero, function(x) return torch[name](x, unpack(rest, 1, n)) end)
      end,
    }
  end

  local tools = {
    isConstant = isConstant, transposed = folded.transposed, canQuantize = canQuantize, create = create, valueOf = valueOf,
    ofFloats = ofFloats, scaleOf = scaleOf, remember = remember,
  }
  local rules = products(plan, tools)
  for _, rule in ipairs { relu, arranging, unary } do rules[#rules + 1] = rule end
  for _, more in ipairs { pairing(plan, tools), rowsOf(plan, tools), joining(tools) } do
    for _, rule in ipairs(more) do rules[#rules + 1] = rule end
  end

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
