--- ONNX nodes for ops that create tensors: constants whose sizes may be those of inputs.
-- @module onnx.write.rules.creation
local rules = {}

for op, v in pairs { zeros = 0, ones = 1, empty = 0 } do
  rules[op] = function(o, step) return o.full(v, step.dtype, step.sizes) end
end

local function arithmetic(more)
  return function(o, step)
    local dtype, wide = step.dtype, step.dtype:find 'float' and step.dtype or 'int64'
    local last = o.scalar(step.last, wide)
    local past = more and o.Add(last, wide == 'int64' and (step.step > 0 and 1 or -1) or step.step / 2) or last
    return o.cast(o.Range(o.scalar(step.first, wide), past, o.number(step.step, wide)), dtype)
  end
end
rules.arange, rules.range = arithmetic(false), arithmetic(true)

function rules.eye(o, step) return o.EyeLike(o.full(0, step.dtype, { step.n, step.m or step.n })) end

function rules.full(o, step) return o.full(step.value, step.dtype, step.sizes) end
function rules.fill(o, step) return o.full(step.value, step.dtype, o.sizesOf(step.x)) end
function rules.zero(o, step) return o.full(0, step.dtype, o.sizesOf(step.x)) end

return rules
