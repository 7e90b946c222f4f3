-- The dtypes for storage: uint16, uint32, uint64 and the two 8-bit floats are moved, converted, compared, indexed and printed, and every
-- other op refuses them. Conversions are compared with PyTorch's and NumPy's (storage_dtypes_figures.py).
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local figures = require 'spec.torch.storage_dtypes_figures'

local names, integers = {}, { UInt16 = 2 ^ 16, UInt32 = 2 ^ 32, UInt64 = 2 ^ 64 }
for _, info in ipairs(C.dtypes) do
  if info.storage then names[#names + 1] = info.torch end
end

local function typeOf(name) return 'torch.' .. name .. 'Tensor' end
local function new(name, ...) return torch[name .. 'Tensor'](...) end

-- A number of a text: an FFI integer if a Lua number does not represent it.
local function number(text)
  local value = tonumber(text)
  if text:find '^-?%d+$' and math.abs(value) >= 2 ^ 53 then
    return assert(loadstring('return ' .. text .. (text:find '^-' and 'LL' or 'ULL')))()
  end
  return value
end

local function numbers(text)
  local list = {}
  for word in text:gmatch '%S+' do list[#list + 1] = number(word) end
  return list
end

local function filled(name, list)
  local x = new(name, #list)
  for i, value in ipairs(list) do x[i] = value end
  return x
end

local function same(a, b) return a == b or a ~= a and b ~= b end

local function assertElements(expected, x, what)
  assert.equal(#expected, x:nElement())
  for i, value in ipairs(expected) do
    local actual = x[i]
    if type(actual) == 'boolean' then actual = actual and 1 or 0 end
    if not same(value, actual) then
      error(('%s, element %d: %s, expected %s'):format(what, i, tostring(actual), tostring(value)), 2)
    end
  end
end

-- Small whole numbers that all dtypes represent.
local function small(name, n) return torch.remainder(torch.range(1, n), 8):type(typeOf(name)) end

describe('dtypes for storage', function()
  it('have the names of PyTorch and classes of tensors and storages', function()
    local known = { UInt16 = 'uint16', UInt32 = 'uint32', UInt64 = 'uint64', Float8E4m3 = 'float8_e4m3fn', Float8E5m2 = 'float8_e5m2' }
    assert.equal(5, #names)
    for _, name in ipairs(names) do
      local x = torch.zeros(2, 3, known[name])
      assert.equal(typeOf(name), x:type())
      assert.equal(known[name], torch[known[name]])
      assert.equal(typeOf(name), torch.tensor({ 1, 2 }, known[name]):type())
      assert.equal(typeOf(name), torch.ones(2):to(known[name]):type())
      assert.equal(typeOf(name), torch.ones(2)[name:lower()](torch.ones(2)):type())
      assert.equal('torch.' .. name .. 'Storage', torch.type(x:storage()))
      assert.equal(1, new('Float8E5m2'):elementSize())
    end
    assert.equal(2, torch.UInt16Tensor():elementSize())
    assert.equal(8, torch.UInt64Tensor():elementSize())
  end)

  it('decode and encode each code of the 8-bit floats as PyTorch', function()
    for name, text in pairs(figures.values) do
      local bytes = torch.ByteTensor(256)
      for code = 0, 255 do bytes[code + 1] = code end
      local x = new(name, 256)
      ffi.copy(x:data(), bytes:data(), 256)
      local values = {}
      for word in text:gmatch '%S+' do values[#values + 1] = tonumber(word) end
      assertElements(values, x, name)
      for _, type in ipairs { 'Double', 'Float', 'Half', 'BFloat16' } do
        assertElements(values, x:type(typeOf(type)), name .. ' as ' .. type)
      end
      -- Back, in any type, with any layout.
      for _, type in ipairs { 'Double', 'Float', 'Half', 'BFloat16' } do
        local back = x:type(typeOf(type)):view(16, 16):t():type(typeOf(name)):t():contiguous():view(256)
        for code = 0, 255 do
          local isNaN = values[code + 1] ~= values[code + 1]
          local got = ffi.cast('uint8_t *', back:data())[code]
          assert.equal(isNaN and 0x7f or code, isNaN and bit.band(got, 0x7f) or got)
        end
      end
    end
  end)

  it('round float32 to the 8-bit floats as PyTorch', function()
    for name, digits in pairs(figures.codes) do
      local n = #digits / 10
      local x, codes = torch.FloatTensor(n), {}
      local bits = ffi.cast('uint32_t *', x:data())
      for i = 0, n - 1 do
        bits[i] = tonumber(digits:sub(10 * i + 1, 10 * i + 8), 16)
        codes[i + 1] = tonumber(digits:sub(10 * i + 9, 10 * i + 10), 16)
      end
      local y = x:type(typeOf(name))
      local written = new(name, n)
      for i = 1, n do written[i] = x[i] end
      for i = 1, n do
        local code, isNaN = ffi.cast('uint8_t *', y:data())[i - 1], x[i] ~= x[i]
        local single = ffi.cast('uint8_t *', written:data())[i - 1]
        if isNaN then code, single, codes[i] = bit.band(code, 0x7f), bit.band(single, 0x7f), bit.band(codes[i], 0x7f) end
        assert.equal(codes[i], code, ('%s of %.9g'):format(name, x[i]))
        assert.equal(codes[i], single, ('%s of %.9g, written'):format(name, x[i]))
      end
    end
  end)

  it('convert integers as PyTorch', function()
    for _, row in ipairs(figures.conversions) do
      local from, to, values, expected = row[1], row[2], numbers(row[3]), numbers(row[4])
      local x = filled(from, values)
      assertElements(expected, x:type(typeOf(to)), ('%s to %s'):format(from, to))
      local spaced = new(to, #values, 2):fill(0)
      spaced:select(2, 2):copy(x)
      assertElements(expected, spaced:select(2, 2), ('%s to %s, strided'):format(from, to))
      local written = new(to, #values)
      for i, value in ipairs(values) do
        if to ~= 'Bool' then written[i] = value end
      end
      local isWide = from == 'UInt64' and integers[to] == nil      -- a number from 2^63 on has no Lua type but uint64's
      if to ~= 'Bool' and not isWide then assertElements(expected, written, ('%s to %s, written'):format(from, to)) end
    end
  end)

  it('wrap floats outside of their range as the other integers do', function()
    local x = torch.DoubleTensor { -1, -1.5, 65536, 2 ^ 32 + 5, -2 ^ 40 - 3, 0 / 0, 1 / 0, -1 / 0, 2 ^ 64, -2 ^ 63 }
    for _, type in ipairs { 'Double', 'Float' } do
      local y = x:type(typeOf(type))
      local long = y:long()
      for name, values in pairs(integers) do
        local wrapped = y:type(typeOf(name))
        for i = 1, 10 do
          local whole = ffi.cast('int64_t', y[i] == y[i] and math.abs(y[i]) < 2 ^ 63 and long[i] or -0x7fffffffffffffffLL - 1)
          local expected = ffi.cast('uint64_t', whole)
          if values < 2 ^ 64 then expected = expected % ffi.cast('uint64_t', values) end
          assert.equal(expected, ffi.cast('uint64_t', wrapped[i]), ('%s %d'):format(name, i))
        end
      end
    end
  end)

  it('convert between each other through a number that holds both', function()
    for _, from in ipairs(names) do
      for _, to in ipairs(names) do
        local x = small(from, 12):view(3, 4)
        local y = x:t():type(typeOf(to))
        assert.equal(typeOf(to), y:type())
        for i = 1, 4 do
          for j = 1, 3 do assert.equal(((j - 1) * 4 + i) % 8, y[i][j]) end
        end
      end
    end
    -- Rows of several blocks, and loops on several threads.
    for _, n in ipairs { 257, 1000, 70001 } do
      local x = small('UInt16', n)
      for _, to in ipairs(names) do
        for _, through in ipairs { 'Float', 'Byte', 'Long', 'Half' } do
          local y = x:type(typeOf(to)):type(typeOf(through)):type(typeOf 'UInt16')
          assert.is_true(torch.equal(x, y), ('%s through %s'):format(to, through))
        end
        local spaced = new(to, n, 2):zero()
        spaced:select(2, 2):copy(x)
        assert.is_true(torch.equal(x, spaced:select(2, 2):type(typeOf 'UInt16')), to)
      end
    end
    assertElements({ 448, 0 }, filled('UInt32', { 2 ^ 32 - 1, 0 }):to 'float8_e4m3fn', 'uint32 to float8')
    assertElements({ 2 ^ 63 }, filled('UInt64', { 0x8000000000000001ULL }):float(), 'uint64 to float')
  end)

  it('read and write elements of 64 bits exactly', function()
    local x = torch.UInt64Tensor(6)
    -- The fifth number has the bits of -2^53 as int64.
    local values = { 0xffffffffffffffffULL, 0x8000000000000000ULL, 2 ^ 53, 0x20000000000001ULL, 0xffe0000000000000ULL, 5 }
    for i, value in ipairs(values) do x[i] = value end
    local function check(i, actual)
      local value = values[i]
      local isWide = type(value) == 'cdata'
      assert.is_true(actual == value and type(actual) == type(value) and (not isWide or ffi.istype('uint64_t', actual)))
    end
    for i = 1, 6 do
      check(i, x[i])
      check(i, x:storage()[i])
      check(i, x:view(2, 3)[math.ceil(i / 3)][(i - 1) % 3 + 1])
      check(i, x:narrow(1, i, 1):item())
      check(i, x:totable()[i])
      check(i, x:storage():totable()[i])
      assert.is_true(x:data()[i - 1] == values[i])
    end
    local at = 0
    x:apply(function(value)
      at = at + 1
      check(at, value)
    end)
    x:view(2, 3):t():apply(function(value) return value end)
    for i = 1, 6 do check(i, x[i]) end
    x:storage()[1] = 0x8000000000000005ULL
    assert.is_true(x[1] == 0x8000000000000005ULL)
    x:fill(0xfffffffffffffffeULL)
    assert.is_true(x[4] == 0xfffffffffffffffeULL)
    x[2] = 1.5e19
    assert.is_true(x[2] == 15000000000000000000ULL)
    x:apply(function(v) return v == 15000000000000000000ULL and 1e19 or 3 end)
    assert.is_true(x[2] == 10000000000000000000ULL)
    assert.equal(3, x[1])
    x[3] = -1
    assert.is_true(x[3] == 0xffffffffffffffffULL)
  end)

  it('print all digits of integers', function()
    assert.equal(' 18446744073709551615\n                    7\n[torch.UInt64Tensor of size 2]\n',
      tostring(filled('UInt64', { 0xffffffffffffffffULL, 7 })))
    assert.equal(' 65535\n     1\n[torch.UInt16Tensor of size 2]\n', tostring(filled('UInt16', { 65535, 1 })))
    assert.equal(' 448.0000\n   0.5000\n[torch.Float8E4m3Tensor of size 2]\n', tostring(filled('Float8E4m3', { 448, 0.5 })))
    assert.equal(' 3\n 1\n[torch.UInt32Storage of size 2]\n', tostring(filled('UInt32', { 3, 1 }):storage()))
  end)

  it('are moved by views and by ops that copy elements', function()
    for _, name in ipairs(names) do
      local x, like = small(name, 12):view(3, 4), small('Double', 12):view(3, 4)
      local index, mask = torch.LongTensor { 3, 1 }, like:gt(4)
      local function check(what, f)
        local y, expected = f(x, name), f(like, 'Double')
        assert.equal(typeOf(name), y:type(), what)
        assert.same(expected:totable(), y:totable(), what)
      end
      check('clone', function(t) return t:clone() end)
      check('t', function(t) return t:t():contiguous() end)
      check('view', function(t) return t:reshape(2, 6) end)
      check('narrow', function(t) return t:narrow(2, 2, 2):clone() end)
      check('cat', function(t) return torch.cat(t, t, 1) end)
      check('repeat', function(t) return t:repeatTensor(2, 2) end)
      check('index', function(t) return t:index(1, index) end)
      check('gather', function(t) return t:gather(2, torch.LongTensor { { 4, 1 }, { 2, 2 }, { 3, 1 } }) end)
      check('take', function(t) return torch.take(t, torch.LongTensor { 12, 1, 7 }) end)
      check('maskedSelect', function(t) return t:maskedSelect(mask) end)
      check('maskedFill', function(t) return t:clone():maskedFill(mask, 10) end)
      check('maskedCopy', function(t) return t:clone():maskedCopy(mask, t) end)
      check('indexCopy', function(t) return t:clone():indexCopy(1, index, t:narrow(1, 1, 2)) end)
      check('indexFill', function(t) return t:clone():indexFill(2, index, 5) end)
      check('scatter', function(t) return t:clone():scatter(1, torch.LongTensor { { 2, 2, 1, 3 } }, t) end)
      check('flip', function(t) return torch.flip(t) end)
      check('roll', function(t) return torch.roll(t, 3) end)
      check('tril', function(t) return torch.tril(t) end)
      check('diag', function(t) return torch.diag(t) end)
      check('where', function(t) return torch.where(mask, t, 2) end)
      check('x[key] = value', function(t)
        local y = t:clone()
        y[2] = 8
        y[{ 1, { 2, 3 } }] = 7
        y[{ 3, 4 }] = 6
        return y
      end)
      check('fill', function(t) return t:clone():fill(3) end)
      check('zero', function(t) return t:clone():zero() end)
      check('apply', function(t) return t:clone():apply(function(v) return v + 1 end) end)
      assert.same(torch.nonzero(torch.DoubleTensor { 0, 3, 0, 2 }):totable(), torch.nonzero(filled(name, { 0, 3, 0, 2 })):totable())
    end
  end)

  it('are positions if they are integers', function()
    local x = torch.range(11, 14)
    for name in pairs(integers) do assert.same({ 13, 11 }, x:index(1, filled(name, { 3, 1 })):totable()) end
    assert.error_matches(function() x:index(1, filled('Float8E4m3', { 3, 1 })) end, 'index: index: torch.Float8E4m3Tensor')
    assert.error_matches(function() x:index(1, filled('UInt64', { 0xffffffffffffffffULL })) end, 'index: index: ')
  end)

  it('are compared, with numbers and with each other', function()
    for _, name in ipairs(names) do
      local x, y = filled(name, { 1, 5, 3, 7, 0 }), filled(name, { 2, 5, 1, 7, 6 })
      local a, b = x:double(), y:double()
      for _, op in ipairs { 'lt', 'le', 'gt', 'ge', 'eq', 'ne' } do
        assert.same(torch[op](a, b):totable(), torch[op](x, y):totable(), name .. ' ' .. op)
        assert.same(torch[op](a, 3):totable(), torch[op](x, 3):totable(), name .. ' ' .. op)
        local function wide(s, t) return torch[op](s:view(5, 1):expand(5, 5), t:view(1, 5):expand(5, 5)):totable() end
        assert.same(wide(a, b), wide(x, y), name .. ' ' .. op)
      end
      assert.is_true(torch.equal(x, x:clone()))
      assert.is_false(torch.equal(x, y))
      assert.is_true(torch.equal(x:view(5, 1):expand(5, 2), x:view(5, 1):repeatTensor(1, 2)))
    end
    local large = filled('UInt64', { 0x8000000000000000ULL, 0x7fffffffffffffffULL, 0xffffffffffffffffULL, 0 })
    assert.same({ 1, 0, 1, 0 }, large:gt(filled('UInt64', { 0x7fffffffffffffffULL, 0x7fffffffffffffffULL, 1, 0 })):totable())
    assert.same({ 1, 0, 1, 0 }, large:ge(0x8000000000000000ULL):totable())
    assert.is_true(torch.equal(filled('UInt64', { 0xffffffffffffffffULL }), filled('UInt64', { 0xffffffffffffffffULL })))
    -- A number that the dtype does not hold is compared as it is.
    assert.same({ 1, 1 }, filled('UInt16', { 0, 65535 }):lt(70000):totable())
    assert.same({ 1, 1 }, filled('UInt32', { 0, 2 ^ 32 - 1 }):gt(-1):totable())
    assert.same({ 1, 0 }, filled('Float8E4m3', { 448, 0 / 0 }):lt(500):totable())
    assert.same({ 0, 0, 1 }, torch.isnan(filled('Float8E5m2', { 1, 1 / 0, 0 / 0 })):totable())
    assert.same({ 0, 1, 0 }, torch.isinf(filled('Float8E5m2', { 1, -1 / 0, 0 / 0 })):totable())
    assert.same({ 1, 0 }, filled('Float8E4m3', { 0, 1 }):eq(filled('Float8E4m3', { -0, 1.125 })):totable())
  end)

  it('are promoted as in NumPy', function()
    for _, row in ipairs(figures.promotions) do
      local x, y = small(row[1], 2), small(row[2], 2)
      assert.equal(typeOf(row[3]), torch.cat(x, y):type(), row[1] .. ' ' .. row[2])
      assert.equal(typeOf(row[3]), torch.cat(y, x):type(), row[2] .. ' ' .. row[1])
      assert.same({ 1, 1 }, torch.eq(x, y):totable())
      assert.equal(typeOf(row[3]), torch.promoteTypes(typeOf(row[1]), typeOf(row[2])))
    end
    assert.error_matches(function() torch.eq(small('UInt64', 2), small('Long', 2)) end,
      'torch.UInt64Tensor and torch.LongTensor, expected two with a common dtype')
    for _, name in ipairs { 'Float8E4m3', 'Float8E5m2' } do
      assert.equal('torch.HalfTensor', torch.cat(small(name, 2), small('Half', 2)):type())
      assert.equal('torch.BFloat16Tensor', torch.cat(small(name, 2), small('BFloat16', 2)):type())
      assert.equal('torch.FloatTensor', torch.cat(small(name, 2), small('Char', 2)):type())
      assert.equal('torch.DoubleTensor', torch.cat(small(name, 2), small('UInt32', 2)):type())
    end
    assert.equal('torch.FloatTensor', torch.cat(small('Float8E4m3', 2), small('Float8E5m2', 2)):type())
  end)

  it('are refused by ops with arithmetic, which name the op, the dtype and a remedy', function()
    local through = { UInt16 = 'int32', UInt32 = 'int64', UInt64 = 'int64', Float8E4m3 = 'float32', Float8E5m2 = 'float32' }
    for _, name in ipairs(names) do
      local x = small(name, 4):view(2, 2)
      local remedy = ("x: torch.%sTensor, a type for storage, expected a tensor of [%%a ]+ of a type with arithmetic: x:to%%('%s'%%)")
        :format(name, through[name])
      for _, op in ipairs { 'exp', 'sum', 'max', 'sort', 'cumsum', 'abs' } do
        assert.error_matches(function() torch[op](x) end, op .. ': ' .. remedy)
      end
      assert.error_matches(function() torch.unique(x) end, 'unique: sort: ' .. remedy)
      assert.error_matches(function() torch.add(x, 1) end, 'add: ' .. remedy)
      assert.error_matches(function() torch.mm(x, x) end, 'mm: ')
      assert.error_matches(function() x:uniform() end, 'uniform: res: torch.' .. name)
      assert.error_matches(function() torch.rand(2, typeOf(name)) end, 'torch.' .. name)
      assert.error_matches(function() torch.exp(x, torch.ones(2, 2)) end, 'exp: res: torch.' .. name)
      assert.error_matches(function() return x + x end, 'torch.' .. name)
    end
  end)

  it('are kept by files', function()
    local name = os.tmpname()
    local hasHdf5, hdf5 = pcall(require, 'hdf5')
    hasHdf5 = hasHdf5 and pcall(hdf5.open, 'spec/hdf5/h5py.h5', 'r')
    for _, dtype in ipairs(names) do
      local x = filled(dtype, { 0, 1, 3, 0.75, 448, dtype == 'UInt64' and 0xfffffffffffffffeULL or 96 }):view(2, 3):t()
      local function check(what, y)
        assert.equal(x:type(), y:type(), what)
        assert.same(x:size():totable(), y:size():totable(), what)
        assert.is_true(torch.equal(x, y), what)
      end
      torch.npy.save(name, x)
      check('npy', torch.npy.load(name))
      torch.npz.save(name, { x = x }, { compressed = true })
      check('npz', torch.npz.load(name).x)
      torch.safetensors.save(name, { x = x })
      check('safetensors', torch.safetensors.load(name).x)
      torch.pt.save(name, { x = x, y = x:t() })
      check('pt', torch.pt.load(name).x)
      check('pt', torch.pt.load(name).y:t())
      for _, mode in ipairs { 'binary', 'ascii' } do
        torch.save(name, x, mode)
        check(mode, torch.load(name, mode))
      end
      if hasHdf5 then
        local file = hdf5.open(name, 'w')
        file:write('x', x)
        file:close()
        file = hdf5.open(name, 'r')
        check('hdf5', file:read('x'):all { widen = 'exact' })
        file:close()
      end
    end
    os.remove(name)
    local heads = { UInt16 = '<u2', UInt32 = '<u4', UInt64 = '<u8', Float8E4m3 = '|V1', Float8E5m2 = '|f1' }
    for dtype, head in pairs(heads) do
      torch.npy.save(name, new(dtype, 2):zero())
      local file = assert(io.open(name, 'rb'))
      local text = file:read '*a'
      file:close()
      assert.is_truthy(text:find("'descr': '" .. head .. "'", 1, true))
    end
    os.remove(name)
  end)

  it('have limits', function()
    assert.same({ bits = 16, min = 0, max = 65535 }, torch.iinfo 'uint16')
    assert.same({ bits = 32, min = 0, max = 2 ^ 32 - 1 }, torch.iinfo 'uint32')
    assert.is_true(torch.iinfo('uint64').max == 0xffffffffffffffffULL)
    local e4m3, e5m2 = torch.finfo 'float8_e4m3fn', torch.finfo 'float8_e5m2'
    assert.same({ 8, 448, -448, 2 ^ -3, 2 ^ -6 }, { e4m3.bits, e4m3.max, e4m3.min, e4m3.eps, e4m3.tiny })
    assert.same({ 8, 57344, 2 ^ -2, 2 ^ -14 }, { e5m2.bits, e5m2.max, e5m2.eps, e5m2.tiny })
    assert.is_true(torch.canCast('uint16', 'float8_e5m2'))
    assert.is_false(torch.canCast('float8_e5m2', 'uint16'))
    assert.is_false(torch.isSigned(new 'UInt32'))
    assert.is_true(torch.isSigned(new 'Float8E4m3'))
    assert.is_true(new('Float8E4m3'):isFloatingPoint())
    assert.is_false(new('UInt64'):isFloatingPoint())
  end)
end)
