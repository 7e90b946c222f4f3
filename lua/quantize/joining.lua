--- Steps that join or average values of a network of integers: sums, concatenations, means of windows. Where their result is wanted as
-- integers, no step of floats lies between.
-- @module quantize.joining
-- @local
local torch = require 'torch'
local steps, values = require 'quantize.steps', require 'quantize.values'

-- The elements of a window whose sums fit in int32: int8AvgPool2d's limit.
local mostOfAWindow = 2 ^ 23

--- Returns the rules for these steps, functions of the number of the step, the name of the op and its arguments.
-- @tparam table tools of quantize.integers: `isConstant`, `canQuantize`, `create`, `valueOf`, `ofFloats`, `scaleOf`
-- @treturn {function,...}
return function(tools)
  local create, valueOf = tools.create, tools.valueOf

  -- A value that `integers`, a function of the scale, the zero point and the type of the result, computes from integers; it may return nil.
  local function joined(number, floats, integers, meanOf)
    return create {
      id = number, meanOf = meanOf, makeFloats = floats,
      makeIntegers = function(key)
        local scale, zero, type = tools.scaleOf(key)
        local q = integers(key, scale, zero, type)
        if not q then return tools.ofFloats(floats()):quantized(key) end
        return q, scale, zero
      end,
    }
  end

  local function sum(number, name, arguments)
    local x, y = steps.sum(name, arguments, tools.isConstant)
    if not x or not (values.is(x) or values.is(y)) or not tools.canQuantize(x) or not tools.canQuantize(y) then return nil end
    x, y = valueOf(x), valueOf(y)
    return joined(number, function() return torch.add(x:floats(), y:floats()) end, function(_, scale, zero, type)
      local qx, scaleX, zeroX = x:quantized()
      local qy, scaleY, zeroY = y:quantized()
      if not qx:isSameSizeAs(qy) then return nil end
      return torch.int8Add(qx, qy, scaleX / scale, scaleY / scale, zeroX, zeroY, zero, type)
    end)
  end

  -- The parts get the scale of the whole as they are computed.
  local function concatenation(number, name, arguments)
    local parts = steps.concatenation(name, arguments, tools.isConstant)
    local some = false
    for _, part in ipairs(parts or {}) do some = some or values.is(part) end
    if not some then return nil end
    local dim, list = arguments[2], {}
    for i, part in ipairs(parts) do list[i] = valueOf(part) end
    local function joinedParts(of)
      local tensors = {}
      for i, part in ipairs(list) do tensors[i] = of(part) end
      return torch.cat(tensors, dim)
    end
    return joined(number, function() return joinedParts(function(part) return part:floats() end) end, function(key)
      return joinedParts(function(part) return (part:quantized(key)) end)
    end)
  end

  local function averages(number, name, arguments)
    local base = arguments[1]
    if name ~= 'avgPool2d' or not values.is(base) or not tools.canQuantize(base) then return nil end
    local rest = { unpack(arguments, 2, 9) }
    return joined(number, function() return torch.avgPool2d(base:floats(), unpack(rest, 1, 8)) end, function(_, scale, zero, type)
      local q, of, zeroOf = base:quantized()
      if q:dim() ~= 4 or rest[1] * rest[2] > mostOfAWindow then return nil end
      rest[8] = rest[8] ~= false
      return torch.int8AvgPool2d(q, of / scale, rest[1], rest[2], rest[3], rest[4], rest[5], rest[6], rest[7], rest[8], zeroOf, zero, type)
    end)
  end

  -- Means over height and width are one of the whole image.
  local function mean(number, name, arguments)
    local base, dim = arguments[1], steps.meanDim(name, arguments)
    if not dim or not values.is(base) or not tools.canQuantize(base) then return nil end
    local root, dims = base, { [dim] = true }
    if base.meanOf then
      root = base.meanOf.root
      for d in pairs(base.meanOf.dims) do dims[d] = true end
    end
    return joined(number, function() return torch.mean(base:floats(), dim) end, function(_, scale, zero, type)
      local q, of, zeroOf = root:quantized()
      if q:dim() ~= 4 then return nil end
      local height, width = dims[3] and q:size(3) or 1, dims[4] and q:size(4) or 1
      if height * width > mostOfAWindow then return nil end
      return torch.int8AvgPool2d(q, of / scale, height, width, height, width, 0, 0, false, true, zeroOf, zero, type)
    end, { root = root, dims = dims })
  end

  return { sum, concatenation, averages, mean }
end
