--- Products and convolutions of a network of integers, with the normalisations behind them.
-- @module quantize.products
-- @local
local torch = require 'torch'
local scales, steps, values = require 'quantize.scales', require 'quantize.steps', require 'quantize.values'
local windows = require 'quantize.windows'

--- Returns the rules for these steps, functions of the number of the step, the name of the op and its arguments.
-- @tparam table plan of quantize.integers
-- @tparam table tools of quantize.integers: `isConstant`, `transposed`, `canQuantize`, `create`, `valueOf`, `scaleOf`, `remember`
-- @treturn {function,...}
return function(plan, tools)
  local create, remember, isConstant = tools.create, tools.remember, tools.isConstant

  -- The integers of a weight, whose rows belong to outputs; steps that use a weight again share it.
  local function packed(operands)
    local weight, form = operands.weight, operands.form
    local forms = remember(weight, function() return {} end)
    local key = form and form.key .. form.groups or operands.isTransposed and 't' or ''
    forms[key] = forms[key] or (function()
      local rows = (form and form.filter(weight) or operands.isTransposed and weight:t() or weight):float():contiguous()
      local scale, zero = scales.ofWeight(rows, true, plan.symmetricWeights)
      if not plan.perChannel then
        local one, centre = scales.ofWeight(rows, false, plan.symmetricWeights)
        scale = scale:fill(one[1])
        zero = centre and zero:fill(centre[1])
      end
      local q = torch.quantize(rows, scale, zero, 1, 'torch.CharTensor')
      local kernel = form and { rows:size(3), rows:size(4) }
      return { data = torch.int8Pack(q, form and form.groups), scale = scale, zero = zero, columns = rows:size(1), kernel = kernel }
    end)()
    return forms[key]
  end

  local function biasOf(number, operands)
    local bias, form = operands.bias, operands.form
    if not bias then return nil end
    if not form or not form.isTransposed then return remember(bias, function() return bias:float() end) end
    return remember(number .. 'bias', function() return form.bias(bias):float() end)
  end

  -- A product or a convolution. `call` gets integers or floats x, and the arguments behind the zero point.
  local function productValue(number, x, w, bias, call)
    if plan.isDynamic then
      return create { makeFloats = function() return call(values.resolve(x), 0, w.scale, bias, w.zero, 0, nil) end }
    end
    local input = tools.valueOf(x)
    return create {
      id = number,
      makeFloats = function()
        local q, scale, zero = input:quantized()
        local multiplier = remember(number .. 'float', function() return torch.mul(w.scale, scale) end)
        return call(q, zero, multiplier, bias, w.zero, 0, nil)
      end,
      makeIntegers = function(key)
        local q, scale, zero = input:quantized()
        local outScale, outZero, type = tools.scaleOf(key)
        local multiplier = remember(number .. 'to' .. key, function() return torch.mul(w.scale, scale / outScale) end)
        local offset = bias and remember(number .. 'bias' .. key, function() return torch.div(bias, outScale) end)
        return call(q, zero, multiplier, offset, w.zero, outZero, type), outScale, outZero
      end,
    }
  end

  -- Whether a step with these operands is one of integers.
  local function accepts(name, operands)
    return operands ~= nil and not plan.skips(name, operands.weight) and (plan.isDynamic or tools.canQuantize(operands.x))
  end

  local makers = {}
  local layerValue

  -- The columns of a layer, of which some may be a layer of their own.
  local function columnsOf(whole, name, operands, count)
    return {
      count = count,
      value = function(number, first, length)
        local part = remember(number .. 'slice', function()
          return {
            weight = operands.weight:narrow(1, first, length), bias = operands.bias and operands.bias:narrow(1, first, length),
          }
        end)
        return layerValue(number, name, setmetatable({ weight = part.weight, bias = part.bias }, { __index = operands }), whole)
      end,
    }
  end

  -- The value of a layer. A normalisation behind it, or its slices, may replace it: a normalisation is made from `layer`.
  function layerValue(number, name, operands, replaced)
    local w = packed(operands)
    local result = productValue(number, operands.x, w, biasOf(number, operands), makers[name](operands, w))
    result.layer = { number = number, name = name, operands = operands }
    if name == 'linear' and not plan.isDynamic then result.columns = columnsOf(number, name, operands, w.columns) end
    plan.onLayer(number, name, operands.weight, w, result, replaced)
    return result
  end

  function makers.linear(_, w)
    return function(x, zero, ...) return torch.int8Linear(x, w.data, w.columns, zero, ...) end
  end
  makers.addmm, makers.mm, makers.matmul = makers.linear, makers.linear, makers.linear

  function makers.conv2d(operands, w)
    local form = operands.form
    return function(x, zero, multiplier, bias, weightZero, outZero, type)
      local y = form.after(torch.int8Conv2d(form.before(x, zero), w.data, w.columns, w.kernel, zero, multiplier, bias, weightZero, outZero,
        type, form.window, form.groups))
      return type and y or torch.contiguous(y)      -- steps of floats expect channels first
    end
  end
  for name in pairs(windows) do makers[name] = makers.conv2d end

  local function product(number, name, arguments)
    local operands = steps.product(name, arguments, isConstant, tools.transposed)
    if not accepts(name, operands) then return nil end
    local result = layerValue(number, name, operands)
    if operands.added then return torch.add(values.resolve(operands.added), values.resolve(result)) end
    return plan.isDynamic and name ~= 'linear' and values.resolve(result) or result
  end

  local function convolution(number, name, arguments)
    local operands = steps.convolution(name, arguments, isConstant)
    return accepts(name, operands) and layerValue(number, name, operands) or nil
  end

  -- A layer with the factors and summands of a normalisation in its weight and its bias; the layer itself is never computed, unless another
  -- step needs it.
  local function normalization(number, name, arguments)
    local base = arguments[1]
    local layer = values.is(base) and base.layer
    if not layer or layer.operands.isTransposed or base:isComputed() then return nil end
    local affine = steps.normalization(name, arguments, isConstant)
    if not affine then return nil end
    local operands = remember(number .. 'normalised', function() return steps.normalized(layer.operands, affine) end)
    if not operands.weight then return nil end
    return layerValue(number, layer.name,
      setmetatable({ x = layer.operands.x, weight = operands.weight, bias = operands.bias }, { __index = layer.operands }), layer.number)
  end

  return { product, convolution, normalization }
end
