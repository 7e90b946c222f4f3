-- Torch7's ways to call one function: torch.f(x), with a result tensor of any size and layout in front, as a method of the result, in
-- place, and with operands of any layout. Each must return the results of torch.f for new contiguous operands.
local torch = require 'torch'
local assertClose = require('spec.support.close').assertClose

local all = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double' }
local floats = { 'Float', 'Double' }
local integers = { 'Byte', 'Char', 'Short', 'Int', 'Long' }
local signed = { 'Int', 'Long', 'Float', 'Double' }

local generator = torch.Generator()
torch.manualSeed(generator, 42)

-- A size list stands for a tensor of the type under test, whole numbers 1..5; anything else for itself.
local function made(kind, argument)
  if type(argument) ~= 'table' then return argument end
  return torch.Tensor(unpack(argument)):random(generator, 1, 5):type('torch.' .. kind .. 'Tensor')
end

-- op -> {types, how it behaves as a method, lists of arguments}
-- 'fills': x:f(...) writes x. 'returns': x:f(...) leaves x. 'pair': values and positions. 'mask': a ByteTensor. 'makes': no operand.
local cases = {}
local function case(names, types, behaviour, ...)
  for name in names:gmatch '%S+' do
    cases[name] = cases[name] or {}
    table.insert(cases[name], { types, behaviour, { ... } })
  end
end
local m = { 3, 4 }
case('acos asin atan cos cosh sin sinh tan tanh exp log log1p sqrt rsqrt', floats, 'fills', { m })
case('ceil floor round trunc frac sigmoid neg cinv', floats, 'fills', { m })
case('abs', signed, 'fills', { m })
case('sign', all, 'fills', { m })
case('mul div fmod mod remainder lshift rshift', all, 'fills', { m, 2 })
case('add csub', all, 'fills', { m, 2 }, { m, m }, { m, 2, m })
case('cmax cmin', all, 'fills', { m, 2 }, { m, m })
case('cmul cdiv cpow cfmod cmod cremainder clshift crshift', all, 'fills', { m, m })
case('bitand bitor bitxor', integers, 'fills', { m, 3 })
case('cbitand cbitor cbitxor', integers, 'fills', { m, m })
case('clamp', all, 'fills', { m, 2, 3 })
case('addcmul addcdiv', all, 'fills', { m, m, m }, { m, 2, m, m })
case('pow', floats, 'fills', { m, 2.5 }, { 2, m })
case('lerp', floats, 'fills', { m, m, 0.25 })
case('atan2', floats, 'fills', { m, m })
case('renorm', floats, 'fills', { m, 2, 1, 1 })
case('mm', all, 'fills', { m, { 4, 2 } })
case('mv', all, 'fills', { m, { 4 } })
case('ger', all, 'fills', { { 3 }, { 4 } })
case('bmm', all, 'fills', { { 2, 3, 4 }, { 2, 4, 2 } })
case('match', all, 'fills', { m, { 5, 4 } })
case('addmm', all, 'fills', { { 3, 2 }, m, { 4, 2 } }, { 2, { 3, 2 }, 3, m, { 4, 2 } })
case('addmv', all, 'fills', { { 3 }, m, { 4 } }, { 2, { 3 }, 3, m, { 4 } })
case('addr', all, 'fills', { m, { 3 }, { 4 } }, { 2, m, 3, { 3 }, { 4 } })
case('addbmm', all, 'fills', { { 3, 2 }, { 2, 3, 4 }, { 2, 4, 2 } }, { 2, { 3, 2 }, 3, { 2, 3, 4 }, { 2, 4, 2 } })
case('baddbmm', all, 'fills', { { 2, 3, 2 }, { 2, 3, 4 }, { 2, 4, 2 } }, { 2, { 2, 3, 2 }, 3, { 2, 3, 4 }, { 2, 4, 2 } })
case('sum prod', all, 'returns', { m, 1 }, { m, 2 }, { { 3, 2, 4 }, 2 })
case('mean', floats, 'returns', { m, 1 }, { m, 2 })
case('var std', floats, 'returns', { m, 1 }, { m, 2, true })
case('norm', floats, 'returns', { m, 2, 1 })
case('cumsum cumprod', all, 'returns', { m }, { m, 2 })
case('cross', all, 'returns', { m, m })
case('conv2 xcorr2', all, 'returns', { { 5, 6 }, { 2, 3 } }, { { 5, 6 }, { 2, 3 }, 'F' }, { { 2, 5, 6 }, { 3, 2, 2, 3 } })
case('diag', all, 'returns', { { 3 } }, { m, 1 })
case('tril triu', all, 'returns', { m }, { m, -1 })
case('histc', floats, 'returns', { m, 4 }, { m, 4, 1, 5 })
case('reshape', all, 'returns', { m, 2, 6 })
case('cat', all, 'returns', { m, { 2, 4 }, 1 })
case('max min median mode', all, 'pair', { m, 1 }, { m, 2 })
case('sort', all, 'pair', { m, 1 }, { m, 2, true })
case('kthvalue', all, 'pair', { m, 2, 1 })
case('topk', all, 'pair', { m, 2, 1, true, true })
case('lt le gt ge eq ne', all, 'mask', { m, 3 }, { m, m })
case('zeros ones eye', all, 'makes', { 3, 4 })
case('range', all, 'makes', { 1, 7, 2 })
case('linspace logspace', floats, 'makes', { 1, 2, 4 })

local function copies(arguments)
  local list = {}
  for i, x in ipairs(arguments) do list[i] = torch.isTensor(x) and x:clone() or x end
  return list
end

-- The same tensor transposed, inside a larger one, or with a stride.
local function layouts(x)
  local n = x:dim()
  if n == 1 then
    local wide = x.new(x:size(1), 3)
    return { wide:select(2, 2):copy(x) }
  end
  local list = { x:transpose(1, n):contiguous():transpose(1, n) }
  if n == 2 then
    local large = x.new(x:size(1) + 2, x:size(2) + 3)
    list[2] = large:narrow(1, 2, x:size(1)):narrow(2, 2, x:size(2)):copy(x)
  end
  return list
end

-- Result tensors of other sizes and layouts.
local function targets(x) return { x.new(), x.new(2, 2), x.new(50), x.new(5, 7):t(), x.new(3, 4, 2):transpose(1, 3) } end

local function check(what, wanted, got)
  assertClose(wanted, got, { atol = 1e-5, sameType = true, equalNan = true }, what)
end

local forms = {}

-- torch.f(res, ...) and res:f(...)
local function withResults(name, empty, arguments, wanted)
  for i = 1, 5 do
    local function fill(call, res) assert(call(res, unpack(copies(arguments))) == res, name) return res end
    -- Of a range, a result with as many elements keeps its sizes.
    if targets(empty)[i]:nElement() ~= wanted:nElement() then
      check('res ' .. i, wanted, fill(torch[name], targets(empty)[i]))
      check('res method ' .. i, wanted, fill(empty[name], targets(empty)[i]))
    end
  end
end

local function withLayouts(name, arguments, wanted)
  for i, x in ipairs(arguments) do
    for j, y in ipairs(torch.isTensor(x) and layouts(x) or {}) do
      local others = copies(arguments)
      others[i] = y
      check(('layout %d of argument %d'):format(j, i), wanted, (torch[name](unpack(others))))
    end
  end
end

function forms.fills(name, empty, arguments)
  local wanted = torch[name](unpack(copies(arguments)))
  withResults(name, empty, arguments, wanted)
  withLayouts(name, arguments, wanted)
  if not torch.isTensor(arguments[1]) or not arguments[1]:isSameSizeAs(wanted) then return end
  for _, x in ipairs { arguments[1]:clone(), unpack(layouts(arguments[1])) } do
    local others = copies(arguments)
    others[1] = x
    -- In place, a product takes its receiver as the result only.
    if not ('mm mv ger bmm match'):find(name, 1, true) then
      assert(x[name](unpack(others)) == x, name)
      check('in place', wanted, x)
    end
  end
end

function forms.returns(name, empty, arguments)
  local wanted, x = torch[name](unpack(copies(arguments))), arguments[1]:clone()
  withResults(name, empty, arguments, wanted)
  withLayouts(name, arguments, wanted)
  check('method', wanted, x[name](x, unpack(arguments, 2)))
  assert(torch.equal(x, arguments[1]), 'a method changed x')
end

function forms.pair(name, empty, arguments)
  local wanted, positions = torch[name](unpack(copies(arguments)))
  withLayouts(name, arguments, wanted)
  for i = 1, 5 do
    for _, call in ipairs { torch[name], empty[name] } do
      local res, index = targets(empty)[i], torch.LongTensor(i, i)
      local a, b = call(res, index, unpack(copies(arguments)))
      assert(a == res and b == index, name)
      check('values', wanted, res)
      check('positions', positions, index)
    end
  end
  check('method', wanted, (arguments[1][name](unpack(arguments))))
end

function forms.mask(name, empty, arguments)
  local wanted = torch[name](unpack(copies(arguments)))
  assert(wanted:type() == 'torch.ByteTensor')
  withLayouts(name, arguments, wanted)
  withResults(name, empty, arguments, wanted:type(empty:type()))
  local bytes = torch.ByteTensor(7)
  check('a ByteTensor', wanted, empty[name](bytes, unpack(arguments)))
end

function forms.makes(name, empty, arguments)
  local fresh = empty.new()
  local wanted = fresh[name](fresh, unpack(arguments))
  check('type name', wanted, torch[name](arguments[1], arguments[2], arguments[3] or wanted:type(), arguments[3] and wanted:type()))
  withResults(name, empty, arguments, wanted)
end

describe('every way to call', function()
  for name, lists in pairs(cases) do
    it('torch.' .. name, function()
      for _, entry in ipairs(lists) do
        for _, kind in ipairs(entry[1]) do
          for _, list in ipairs(entry[3]) do
            local arguments = {}
            for i, argument in ipairs(list) do arguments[i] = made(kind, argument) end
            local good, message = pcall(forms[entry[2]], name, torch[kind .. 'Tensor'](), arguments)
            if not good then error(('%s of %s: %s'):format(name, kind, tostring(message)), 0) end
          end
        end
      end
    end)
  end
end)
