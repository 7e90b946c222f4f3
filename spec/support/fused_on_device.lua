--- Fused steps on a device against the same steps one by one: programs of all elementwise ops, dtypes and layouts.
local torch = require 'torch'

local fused = {}

-- Ops of floats, of all dtypes of numbers, and of integers, as steps that read x, y and z = -x. (z joins the steps to one loop.)
local floats = {
  'exp(z)', 'expm1(z)', 'log(x)', 'log1p(x)', 'sqrt(x)', 'rsqrt(x)', 'cinv(z)', 'sin(z)', 'cos(z)', 'tan(z)', 'asin(z)', 'acos(z)',
  'atan(z)', 'sinh(z)', 'cosh(z)', 'tanh(z)', 'sigmoid(z)', 'erf(z)', 'gelu(z)', 'gelu_grad(z, y)', 'silu(z)', 'silu_grad(z, y)', 'exp2(z)',
  'log2(x)', 'log10(x)', 'asinh(z)', 'acosh(x)', 'atanh(z)', 'erfc(z)', 'erfinv(z)', 'lgamma(x)', 'digamma(z)', 'trigamma(z)',
  'hypot(z, y)', 'polygamma(x, 2)', 'pow(x, y)', 'pow(x, 2)', 'pow(x, 3)', 'pow(x, 0.5)', 'pow(x, -0.5)', 'pow(z, -1)', 'pow(z, -2)',
  'pow(z, 1)', 'pow(x, 1.7)', 'pow(2, z)', 'atan2(z, y)', 'cdiv(z, y)', 'div(z, 3)', 'frac(z)', 'isfinite(z)', 'add(z, 0.5, y)',
}
local numbers = {
  'add(z, y)', 'add(z, 3)', 'csub(z, y)', 'rsub(z, 2)', 'mul(z, 3)', 'cmul(z, y)', 'abs(z)', 'sign(z)', 'floor(z)', 'ceil(z)', 'round(z)',
  'trunc(z)', 'clamp(z, -1, 1)', 'cmax(z, y)', 'cmin(z, 2)', 'lt(z, y)', 'le(z, 1)', 'gt(z, y)', 'ge(z, y)', 'eq(z, y)', 'ne(z, 1)',
  'isnan(z)', 'lshift(z, 1)', 'rshift(z, 1)', 'add(z, 2, y)',
}
local integers = { 'bitand(z, y)', 'bitor(z, 5)', 'bitxor(z, y)' }

local dtypes = {
  { 'Float', floats, numbers }, { 'Double', floats, numbers }, { 'Half', floats, numbers }, { 'BFloat16', floats, numbers },
  { 'Byte', numbers, integers }, { 'Char', numbers, integers }, { 'Short', numbers, integers }, { 'Int', numbers, integers },
  { 'Long', numbers, integers },
}

-- A loop of some steps, as the text of a graph, and the same steps without a loop.
local function graphs(steps)
  local lines, results = {}, {}
  for i, step in ipairs(steps) do lines[i], results[i] = ('r%d = %s'):format(i, step), 'r' .. i end
  local body, last = 'z = mul(x, -1)\n' .. table.concat(lines, '\n') .. '\n', 'return ' .. table.concat(results, ', ')
  return torch.graph.parse('graph(x: tensor, y: tensor) {\nfused {\n' .. body .. '}\n' .. last .. '\n}'),
    torch.graph.parse('graph(x: tensor, y: tensor) {\n' .. body .. last .. '\n}')
end

--- Whether tensors have the same sizes, type and bits; any NaN equals any other.
function fused.sameBits(a, b)
  if a:type() ~= b:type() or not a:isSameSizeAs(b) then return false end
  a, b = a:to('cpu'):contiguous(), b:to('cpu'):contiguous()
  local nan = torch.ne(a, a)
  if not torch.equal(nan, torch.ne(b, b)) then return false end
  a:maskedFill(nan, 0)
  b:maskedFill(nan, 0)
  if not torch.equal(a, b) then return false end
  return not a:type():find('Double') and not a:type():find('Float') or torch.equal(torch.cinv(a), torch.cinv(b))      -- signs of 0
end

-- Functions that return tensors x and y of a dtype, by name.
local layouts = {
  ['contiguous'] = function(make) return make(3, 29), make(3, 29) end,
  ['of one element'] = function(make) return make(3, 29), make(1, 1) end,
  ['broadcast'] = function(make) return make(4, 3, 5), make(3, 1) end,
  ['transposed'] = function(make) return make(7, 5):t(), make(5, 7) end,
  ['of steps'] = function(make) return make(6, 20)[{ {}, { 1, -1, 2 } }], make(6, 11):narrow(2, 2, 10) end,
  ['at an odd address'] = function(make) return make(50):narrow(1, 2, 49), make(50):narrow(1, 2, 49) end,
}
fused.layouts = layouts

--- Calls check(title, test) for each dtype: test(layout, device) compares all steps.
function fused.each(check)
  for _, row in ipairs(dtypes) do
    local name, steps = row[1], {}
    for i = 2, #row do
      for _, step in ipairs(row[i]) do steps[#steps + 1] = step end
    end
    check(name, function(layout, device)
      local function make(...)
        local x = torch.DoubleTensor(...):uniform(0.1, 4)
        if name ~= 'Float' and name ~= 'Double' and name ~= 'Half' and name ~= 'BFloat16' then x:floor() end
        return x:type(('torch.%sTensor'):format(name)):to(device)
      end
      local x, y = layouts[layout](make)
      for first = 1, #steps, 12 do
        local some = {}
        for i = first, math.min(first + 11, #steps) do some[#some + 1] = steps[i] end
        local together, single = graphs(some)
        local results, expected = { together:run(x, y) }, { single:run(x, y) }
        for i = 1, #some do
          assert(fused.sameBits(expected[i], results[i]), ('%s of a %sTensor, %s'):format(some[i], name, layout))
        end
      end
    end)
  end
end

return fused
