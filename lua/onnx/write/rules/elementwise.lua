--- ONNX nodes for ops that work element by element.
-- @module onnx.write.rules.elementwise
local formula = require 'onnx.write.formula'
local elementwise, comparison, byKind = formula.elementwise, formula.comparison, formula.byKind

local rules = {}

local functions = {
  abs = 'Abs(x)', acos = 'Acos(x)', acosh = 'Acosh(x)', asin = 'Asin(x)', asinh = 'Asinh(x)', atan = 'Atan(x)', atanh = 'Atanh(x)',
  cinv = 'Reciprocal(x)', cos = 'Cos(x)', cosh = 'Cosh(x)', erf = 'Erf(x)', exp = 'Exp(x)', log = 'Log(x)', neg = 'Neg(x)',
  sigmoid = 'Sigmoid(x)', sign = 'Sign(x)', sin = 'Sin(x)', sinh = 'Sinh(x)', softplus = 'Softplus(x)', sqrt = 'Sqrt(x)',
  square = 'Mul(x, x)', tan = 'Tan(x)', tanh = 'Tanh(x)', rsqrt = 'Reciprocal(Sqrt(x))', silu = 'Mul(x, Sigmoid(x))',
  gelu = 'Mul(Mul(x, 0.5), Add(Erf(Mul(x, 0.7071067811865476)), 1))',
  erfc = 'Sub(1, Erf(x))', exp2 = 'Pow(2, x)', expm1 = 'Sub(Exp(x), 1)', log1p = 'Log(Add(x, 1))',
  log2 = 'Mul(Log(x), 1.4426950408889634)', log10 = 'Mul(Log(x), 0.4342944819032518)',
  hypot = 'Sqrt(Add(Mul(x, x), Mul(y, y)))',
  logaddexp = [[Where(Equal(a, b), Add(a, 0.6931471805599453),
    Add(Max(a, b), Log(Add(1, Exp(Neg(Abs(Sub(a, b))))))))]],
  atan2 = [[Where(Equal(x, 0), Mul(Sign(y), 1.5707963267948966),
    Where(Less(x, 0), Add(Atan(Div(y, x)), Where(Less(y, 0), number(-3.141592653589793, dtype), number(3.141592653589793, dtype))),
      Atan(Div(y, x))))]],
  pow = 'Pow(x, y)',
  cmul = 'Mul(x, y)', mul = 'Mul(x, value)', cdiv = 'Div(x, y)', div = 'Div(x, value)', rsub = 'Sub(y, x)',
  addcmul = 'Add(x, Mul(Mul(a, b), value))', addcdiv = 'Add(x, Mul(Div(a, b), value))', lerp = 'Add(a, Mul(Sub(b, a), weight))',
  fmod = 'Mod(x, y, { fmod = 1 })',
  relu_grad = 'Where(Greater(y, 0), g, 0)', tanh_grad = 'Mul(g, Sub(1, Mul(y, y)))', sigmoid_grad = 'Mul(g, Mul(y, Sub(1, y)))',
  silu_grad = 'Mul(g, Mul(Sigmoid(x), Add(1, Mul(x, Sub(1, Sigmoid(x))))))',
  gelu_grad = [[Mul(g, Add(Mul(Add(Erf(Mul(x, 0.7071067811865476)), 1), 0.5),
    Mul(x, Mul(Exp(Mul(Mul(x, x), -0.5)), 0.3989422804014327))))]],
}
for op, text in pairs(functions) do rules[op] = elementwise(text) end

-- Integers are whole numbers already.
local rounding = {
  ceil = 'Ceil(x)', floor = 'Floor(x)', trunc = 'Mul(Sign(x), Floor(Abs(x)))', frac = 'Sub(x, Mul(Sign(x), Floor(Abs(x))))',
  round = [[Mul(Sign(x), Add(Floor(Abs(x)),
    cast(GreaterOrEqual(Sub(Abs(x), Floor(Abs(x))), 0.5), dtype)))]],
}
for op, text in pairs(rounding) do rules[op] = byKind(text, op == 'frac' and 'Sub(x, x)' or 'x') end

rules.relu = byKind('Relu(x)', 'Max(x, 0)')
rules.remainder = byKind('Sub(x, Mul(y, Floor(Div(x, y))))', 'Mod(x, y)')
rules.lshift = byKind('Mul(x, Pow(2, y))', "BitShift(x, y, { direction = 'LEFT' })")
rules.rshift = byKind('Div(x, Pow(2, y))', "BitShift(x, y, { direction = 'RIGHT' })")

local sums = { add = 'Add', csub = 'Sub' }      -- x + alpha y, x - alpha y
for op, node in pairs(sums) do
  local plain, scaled = elementwise(node .. '(x, y)'), elementwise(node .. '(x, Mul(y, alpha))')
  rules[op] = function(o, step)
    if type(step.y) == 'number' then
      step.y = step.y * step.alpha
      return plain(o, step)
    end
    return (step.alpha == 1 and plain or scaled)(o, step)
  end
end

-- ---- extrema: a NaN in y stays

rules.cmax, rules.cmin = elementwise 'Where(Greater(x, y), x, y)', elementwise 'Where(Less(x, y), x, y)'

function rules.clamp(o, step)
  local function bound(v) return math.abs(v) < math.huge and o.number(v, step.dtype) end
  return o.Clip(o.cast(step.x, step.dtype), bound(step.min), bound(step.max))
end

-- ---- conditions

local comparisons = {
  eq = 'Equal(x, y)', ne = 'Not(Equal(x, y))', gt = 'Greater(x, y)', ge = 'GreaterOrEqual(x, y)', lt = 'Less(x, y)',
  le = 'LessOrEqual(x, y)',
}
for op, text in pairs(comparisons) do rules[op] = comparison(text) end

-- Integers are finite.
local classes = { isnan = 'IsNaN(x)', isinf = 'IsInf(x)', isfinite = 'Not(Or(IsNaN(x), IsInf(x)))' }
for op, text in pairs(classes) do
  local ofFloats = comparison(text)
  rules[op] = function(o, step)
    if not step.x.dtype:find 'float' then step.x = o.cast(step.x, 'float32') end
    return ofFloats(o, step)
  end
end

local function condition(o, step) return step:paired(o, step.mask, 'bool') end

-- Numbers in both places have no dtype but that of the result.
function rules.where(o, step)
  if type(step.x) == 'number' then step.x = o.number(step.x, step.dtype) end
  local x, y = step:paired(o, step.x, step.dtype), step:paired(o, step.y, step.dtype)
  return o.Where(condition(o, step), x, y)
end

function rules.maskedFill(o, step) return o.Where(condition(o, step), o.number(step.value, step.dtype), o.cast(step.x, step.dtype)) end

-- The element with number n of the source is where the mask is true for the n-th time.
function rules.maskedCopy(o, step)
  local mask = condition(o, step)
  local flat = o.integers { -1 }
  local number = o.Sub(o.CumSum(o.Reshape(o.cast(mask, 'int64'), flat), o.number(0, 'int64')), 1)
  local picked = o.Gather(o.Reshape(o.cast(step.source, step.dtype), flat), o.Max(number, 0), { axis = 0 })
  return o.Where(mask, o.reshapeTo(picked, step.results[1]), step.x)
end

-- ---- bits of integers

for op, node in pairs { bitand = 'BitwiseAnd', bitor = 'BitwiseOr', bitxor = 'BitwiseXor' } do
  local rule = elementwise(node .. '(x, y)')
  rules[op] = function(o, step)
    step:needs(o, 18)
    return rule(o, step)
  end
end
for _, op in ipairs { 'lshift', 'rshift' } do
  local rule = rules[op]
  rules[op] = function(o, step)
    if step.dtype:find '^int' then step:refuse('%s, expected uint8 or a float: ONNX shifts integers without a sign', step.dtype) end
    return rule(o, step)
  end
end

-- ---- copies and conversions

local function identity(_, step) return step.x end
for _, op in ipairs { 'clone', 'contiguous', 'channelsLast', 'to' } do rules[op] = identity end

function rules.copy(o, step)
  local source = step:paired(o, step.source, step.dtype)
  return o.Expand(source, o.shape(o.sizesOf(step.x)))
end

return rules
