--- Rules for ops that work element by element, as formulas: 'Mul(x, Sigmoid(x))' has nodes of ONNX, and the op's arguments by name.
-- @module onnx.write.formula
local formula = {}

-- Returns a rule; `dtypeOf(step)` is the dtype in which the tensors among the arguments are read, by default that of the result.
local function rule(text, dtypeOf)
  local compute = assert(loadstring('return ' .. text, text))
  return function(o, step)
    local dtype = dtypeOf and dtypeOf(step) or step.dtype
    local scope = setmetatable({}, { __index = function(known, name)
      local given = step[name]
      if given == nil then return o[name] end
      known[name] = type(given) == 'number' and o.number(given, dtype) or step:paired(o, given, dtype)
      return known[name]
    end })
    return setfenv(compute, setmetatable({ dtype = dtype }, { __index = scope }))()
  end
end

--- A formula of operands in the dtype of the result.
function formula.elementwise(text) return rule(text) end

--- A formula of x and y in the dtype to which these are promoted.
function formula.comparison(text) return rule(text, function(step) return step:promoted(step.x, step.y) end) end

--- A formula for floats, and another one for integers.
function formula.byKind(floats, integers)
  local ofFloats, ofIntegers = rule(floats), rule(integers)
  return function(o, step)
    return (step.dtype:find 'float' and ofFloats or ofIntegers)(o, step)
  end
end

return formula
