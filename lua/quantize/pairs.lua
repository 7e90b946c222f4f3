--- Products of two values of a network of integers: attention, and products of matrices of which none is a weight.
-- @module quantize.pairs
-- @local
local torch = require 'torch'
local steps, values = require 'quantize.steps', require 'quantize.values'

-- The most elements of a sum: int8Matmul's limit.
local longest = 65536

local function last(x, k) return x:size(x:dim() - k) end

--- Returns the rules for these steps, functions of the number of the step, the name of the op and its arguments.
-- @tparam table plan of quantize.integers
-- @tparam table tools of quantize.integers: `isConstant`, `canQuantize`, `create`, `valueOf`, `ofFloats`, `scaleOf`
-- @treturn {function,...}
return function(plan, tools)
  local create = tools.create

  -- An operand as a value: if it is a slice of a layer, the slice has a range of its own.
  local function operandOf(x)
    local slice = values.is(x) and x.slice and x.slice()
    return slice and tools.canQuantize(slice) and slice or tools.canQuantize(x) and tools.valueOf(x) or nil
  end

  -- The value of a step. `integers` computes it from the scale, the zero point and the type of the result, or from none of them; it returns
  -- nil if sizes don't fit.
  local function valueOf(number, name, floats, integers)
    local result = create {
      id = number,
      makeFloats = function() return integers(1, 0, nil) or floats() end,
      makeIntegers = function(key)
        local scale, zero, type = tools.scaleOf(key)
        local q = integers(scale, zero, type)
        if not q then return tools.ofFloats(floats()):quantized(key) end
        return q, scale, zero
      end,
    }
    plan.onLayer(number, name, nil, nil, result)
    return result
  end

  -- Results of floats in the dynamic mode.
  local function dynamic(number, name, result)
    plan.onLayer(number, name, nil, nil, result)
    return result
  end

  local function attention(number, name, arguments)
    local o = plan.attention and steps.attention(name, arguments, tools.isConstant)
    if not o then return nil end
    local mask = values.resolve(o.mask)
    local function floats() return torch[name](o.query:floats(), o.key:floats(), o.value:floats(), mask, o.causal, o.scale) end
    if plan.isDynamic then
      local q, k, v = values.resolve(o.query), values.resolve(o.key), values.resolve(o.value)
      if not steps.isSingle(q) or last(q, 0) > longest or last(k, 1) > longest then return nil end
      return dynamic(number, name, torch.int8Attention(q, k, v, mask, o.causal, o.scale)),
        create { makeFloats = function() return (select(2, torch[name](q, k, v, mask, o.causal, o.scale))) end }
    end
    o.query, o.key, o.value = operandOf(o.query), operandOf(o.key), operandOf(o.value)
    if not o.query or not o.key or not o.value then return nil end
    local result = valueOf(number, name, function() return (floats()) end, function(scale, zero, type)
      local q, scaleQ, zeroQ = o.query:quantized()
      local k, scaleK = o.key:quantized()
      local v, scaleV, zeroV = o.value:quantized()
      if last(q, 0) > longest or last(k, 1) > longest then return nil end
      local factor = o.scale or 1 / math.sqrt(math.max(1, last(q, 0)))
      return torch.int8Attention(q, k, v, mask, o.causal, factor * scaleQ * scaleK, zeroQ, zeroV, scaleV / scale, zero, type)
    end)
    return result, create { makeFloats = function() return (select(2, floats())) end }
  end

  local function product(number, name, arguments)
    local x, y = steps.pair(name, arguments, tools.isConstant)
    if not x or not plan.attention then return nil end
    if plan.isDynamic then
      x, y = values.resolve(x), values.resolve(y)
      if not steps.isSingle(x) or not steps.isSingle(y) or x:dim() < 2 or y:dim() < 2 or last(x, 0) > longest then return nil end
      return dynamic(number, name, torch.int8Matmul(x, y))
    end
    x, y = operandOf(x), operandOf(y)
    if not x or not y then return nil end
    return valueOf(number, name, function() return torch[name](x:floats(), y:floats()) end, function(scale, zero, type)
      local qx, scaleX, zeroX = x:quantized()
      local qy, scaleY, zeroY = y:quantized()
      if qx:dim() < 2 or qy:dim() < 2 or last(qx, 0) > longest then return nil end
      return torch.int8Matmul(qx, qy, zeroX, zeroY, scaleX * scaleY / scale, zero, type)
    end)
  end

  return { attention, product }
end
