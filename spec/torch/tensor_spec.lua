-- Tensors as Torch7 has them: constructors, conversions, indexing and assignment, resize and set, identity, operators, storages.
local ffi = require 'ffi'
local torch = require 'torch'

local function counted(...) return torch.range(1, torch.zeros(...):nElement()):view(...) end

describe('a constructor', function()
  it('takes sizes in every form', function()
    assert.equal(0, torch.Tensor():dim())
    assert.is_nil(torch.Tensor():storage())
    for _, x in ipairs { torch.Tensor(2, 3), torch.Tensor(torch.LongStorage { 2, 3 }), torch.Tensor(2, '3'), torch.Tensor.new(2, 3),
                         torch.Tensor(5).new(2, 3), torch.Tensor(counted(2, 3):size()) } do
      assert.same({ 2, 3 }, x:size():totable())
      assert.is_true(x:isContiguous())
    end
    assert.same({ 1, 2 }, torch.Tensor(torch.LongStorage { 2, 3 }, torch.LongStorage { 1, 2 }):stride():totable())
    assert.same({ 3, 1 }, torch.Tensor(torch.LongStorage { 2, 3 }, torch.LongStorage { -1, -1 }):stride():totable())
    assert.equal(0, torch.Tensor(torch.LongStorage()):dim())
  end)

  it('shares the tensor or storage that it is given', function()
    local x = torch.range(1, 6)
    torch.Tensor(x):fill(2)
    assert.equal(12, x:sum())
    local storage = torch.DoubleStorage { 1, 2, 3, 4, 5, 6 }
    assert.same({ 1, 2, 3, 4, 5, 6 }, torch.Tensor(storage):totable())
    assert.equal(0, torch.Tensor(storage, 2):dim())
    assert.same({ 2, 3 }, torch.Tensor(storage, 2, 2):totable())
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, torch.Tensor(storage, 1, torch.LongStorage { 2, 3 }):totable())
    assert.same({ { 1, 4 }, { 2, 5 } }, torch.Tensor(storage, 1, torch.LongStorage { 2, 2 }, torch.LongStorage { 1, 3 }):totable())
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, torch.Tensor(storage, 1, 2, 3, 3, 1):totable())       -- size, stride, size, stride
    assert.same({ 6, 6 }, (function()
      local y = torch.Tensor(storage, 6, 2)        -- the storage grows
      y:fill(6)
      return y:totable()
    end)())
    assert.equal(7, #storage)
  end)

  it('copies tables', function()
    assert.same({ { 1, 2 }, { 3, 4 } }, torch.Tensor({ { 1, 2 }, { 3, 4 } }):totable())
    assert.equal(0, torch.Tensor({}):dim())
    assert.same({ 1, 0 }, torch.BoolTensor({ true, false }):totable())
    for _, bad in ipairs { { { 1, 2 }, { 3 } }, { { 1, 2 }, 3 }, { {} } } do
      assert.error_matches(function() torch.Tensor(bad) end, 'invalid tensor sizes')
    end
    assert.error_matches(function() torch.Tensor { 1, 'a' } end, 'invalid element %(not a number%)')
    assert.error_matches(function() torch.ByteTensor { 1, true } end, 'invalid element %(not a number%) at position 2')
    assert.error_matches(function() torch.Tensor { 1, { 2 } } end, 'invalid element')
    local endless = {}
    endless[1] = endless
    assert.error_matches(function() torch.Tensor(endless) end, 'dimensions')
  end)

  it('refuses other types, and says which', function()
    assert.error_matches(function() torch.Tensor(torch.FloatTensor(2)) end, 'torch.FloatTensor, expected torch.DoubleTensor')
    assert.error_matches(function() torch.Tensor(true) end, 'boolean')
    assert.error_matches(function() torch.Tensor(-1) end, 'negative')
    assert.error_matches(function() torch.Tensor(torch.DoubleStorage(3), 0) end, 'invalid storage offset: 0')
    assert.error_matches(function() torch.Tensor(torch.DoubleStorage(3), 1e300) end, 'offset')
    assert.error_matches(function() torch.Tensor(torch.DoubleStorage(3), 2 ^ 62, 2 ^ 62, 2) end, 'tensor: ')
  end)

  it('follows the default type at the time of the call', function()
    local before = torch.Tensor(1)
    torch.setdefaulttensortype 'torch.FloatTensor'
    local name, storage, real = torch.Tensor(1):type(), torch.type(torch.Storage(1)), before:real():type()
    torch.setdefaulttensortype 'torch.DoubleTensor'
    assert.equal('torch.FloatTensor', name)
    assert.equal('torch.FloatStorage', storage)
    assert.equal('torch.FloatTensor', real)
    assert.equal('torch.DoubleTensor', before:type())
    assert.equal('torch.DoubleTensor', torch.getdefaulttensortype())
    assert.error_matches(function() torch.setdefaulttensortype 'foo' end, 'foo')
  end)
end)

describe('a conversion', function()
  it('truncates toward zero, then wraps', function()
    local x = torch.Tensor { 2.7, -2.7, 300, -1 }
    assert.same({ 2, 254, 44, 255 }, x:byte():totable())
    assert.same({ 2, -2, 44, -1 }, x:char():totable())
    assert.same({ 2, -2, 300, -1 }, x:int():totable())
    assert.same({ 44, 255, 2, 254 }, torch.ByteTensor({ 300, -1, 2.7, -2.7 }):totable())
    assert.same({ 6, 8 }, torch.IntTensor({ 3, 4 }):mul(2.5):totable())
    assert.same({ 3 }, (torch.IntTensor { 7 } / 2.9):totable())
    assert.equal(0.1, tonumber(('%.7f'):format(torch.FloatTensor({ 0.1 })[1])))
    assert.are_not.equal(0.1, torch.FloatTensor({ 0.1 })[1])
  end)

  it('does so wherever in a tensor numbers are that only 64 bits hold, or none', function()
    local bits = { Byte = 8, Char = 8, Short = 16, Int = 32 }
    local odd = { [3] = 2147483648, [70] = -2147483649, [129] = 1e15 + 0.5, [130] = 0 / 0, [200] = math.huge, [255] = -math.huge }
    local function wrapped(value, typeName)
      if value ~= value or math.abs(value) == math.huge then return 0 end      -- the least 64-bit number's lower bits
      local range = 2 ^ bits[typeName]
      local rest = (value < 0 and math.ceil(value) or math.floor(value)) % range
      return typeName ~= 'Byte' and rest >= range / 2 and rest - range or rest
    end
    for _, real in ipairs { 'Float', 'Double' } do
      local x = torch[real .. 'Tensor'](260):apply(function() return torch.uniform(-70000, 70000) end)
      for i, value in pairs(odd) do x[i] = value end
      for typeName in pairs(bits) do
        local y = x:type('torch.' .. typeName .. 'Tensor')
        for i = 1, 260 do assert.equal(wrapped(x[i], typeName), y[i], ('%s %s %d: %g'):format(real, typeName, i, x[i])) end
      end
      assert.equal(2147483648, x:long()[3])
      assert.equal(-2 ^ 63, tonumber(x:long()[130]))
    end
  end)

  it('to the same type is the tensor itself', function()
    local x = counted(2, 2)
    assert.is_true(rawequal(x, x:double()))
    assert.is_true(rawequal(x, x:type 'torch.DoubleTensor'))
    assert.is_true(rawequal(x, x:typeAs(torch.Tensor())))
    assert.equal('torch.FloatTensor', x:t():float():type())
    assert.is_true(x:t():float():isContiguous())
    assert.equal(0, torch.Tensor():int():dim())
    assert.error_matches(function() x:type 'torch.Foo' end, 'torch.Foo')
  end)

  it('keeps integers of 64 bits exact, in and out', function()
    local big = 9007199254740993LL
    local x = torch.LongTensor { big, -big, 3 }
    assert.is_true(x[1] == big and x:totable()[2] == -big)
    assert.equal('number', type(x[3]))
    x[3] = big
    assert.is_true(x[3] == big)
    x:fill(big)
    assert.is_true(x[2] == big and x:storage()[2] == big)
    assert.is_true(ffi.istype('int64_t', x:clone()[1]))
    assert.equal(2 ^ 53, torch.LongTensor({ 2 ^ 53 })[1])
  end)
end)

describe('indexing', function()
  local x
  before_each(function() x = counted(3, 4) end)

  it('selects by numbers, from the end too', function()
    assert.equal(3, torch.range(1, 3)[-1])
    assert.equal(2, torch.range(1, 3)['2'])
    assert.same({ 5, 6, 7, 8 }, x[2]:totable())
    assert.same({ 9, 10, 11, 12 }, x[-1]:totable())
    assert.equal(7, x[2][3])
    assert.equal(7, x[{ 2, 3 }])
    assert.equal(12, x[{ -1, -1 }])
    assert.equal(7, x[torch.LongStorage { 2, 3 }])
    x[2][3] = 0
    assert.equal(0, x[2][3])
  end)

  it('takes ranges', function()
    assert.same({ 3, 7, 11 }, x[{ {}, 3 }]:totable())
    assert.same({ { 3 }, { 7 }, { 11 } }, x[{ {}, { 3 } }]:totable())
    assert.same({ { 6, 7 }, { 10, 11 } }, x[{ { 2, -1 }, { 2, 3 } }]:totable())
    assert.same({ { 5, 6, 7, 8 } }, x[{ { 2 } }]:totable())
    x[{ {}, { 1, 2 } }]:zero()
    assert.same({ 0, 0, 3, 4 }, x[1]:totable())
  end)

  it('takes masks', function()
    assert.same({ 11, 12 }, x[x:gt(10)]:totable())
    assert.equal(0, x[x:gt(100)]:dim())
    assert.error_matches(function() return torch.range(1, 2)[torch.ByteTensor { 2, 0 }] end, '0 and 1 values only')
  end)

  it('gives methods, and nil for unknown names', function()
    assert.is_nil(x.unknown)
    assert.is_function(x.sum)
  end)

  it('names the invalid value', function()
    local cases = {
      [function() return x[4] end] = 'out of range: 4', [function() return x[0] end] = 'out of range: 0',
      [function() return x[-4] end] = 'out of range: %-4', [function() return torch.Tensor()[1] end] = 'empty tensor',
      [function() return x[{ 1, 1, 1 }] end] = 'too many indices provided', [function() return x[{ 4 }] end] = 'index out of bound',
      [function() return x[{ { 0, 1 } }] end] = 'start index out of bound: 0',
      [function() return x[{ { 1, 5 } }] end] = 'end index out of bound: 5',
      [function() return x[{ { 2, 1 } }] end] = 'end index must be greater or equal to start index: 2 to 1',
      [function() return x[torch.LongStorage { 1 }] end] = 'invalid size',
      [function() return x[{ { 1, 2, 1, 1 } }] end] = 'a range of 4 numbers, expected {first, last, step} at most',
      [function() return x[{ { 1, 3, 1.5 } }] end] = 'index: key: 1.5, expected a whole number',
      [function() return x[{ { first = 2 } }] end] = 'fields, expected {first, last, step}',
      [function() return x[{ { 1, 'b' } }] end] = 'string, expected a number',
    }
    for f, message in pairs(cases) do assert.error_matches(f, message) end
  end)
end)

describe('assignment', function()
  local x
  before_each(function() x = torch.zeros(2, 3) end)

  it('fills the slices of the key, or copies into them', function()
    x[1] = 5
    x[{ 2, { 2, 3 } }] = torch.FloatTensor { 7, 8 }        -- of any type
    x[{ 2, 1 }] = '3'
    assert.same({ { 5, 5, 5 }, { 3, 7, 8 } }, x:totable())
    x[torch.LongStorage { 1, 2 }] = 9
    x[x:gt(7)] = 0
    assert.same({ { 5, 0, 5 }, { 3, 7, 0 } }, x:totable())
    x[x:eq(0)] = torch.Tensor { 1, 2 }
    assert.same({ { 5, 1, 5 }, { 3, 7, 2 } }, x:totable())
    x[2] = x[1]
    assert.same({ 5, 1, 5 }, x[2]:totable())
  end)

  it('of booleans takes true and false where others take numbers', function()
    local b = torch.BoolTensor(2, 3):fill(true)
    assert.same({ { 1, 1, 1 }, { 1, 1, 1 } }, b:totable())
    b[{ {}, 2 }]:fill(false)
    b[{ 2, { 2, 3 } }] = false
    assert.same({ { 1, 0, 1 }, { 1, 0, 0 } }, b:totable())
    b:maskedFill(b:eq(false), true):indexFill(1, torch.LongTensor { 2 }, false)
    assert.same({ { 1, 1, 1 }, { 0, 0, 0 } }, b:totable())
    b[torch.ByteTensor { 1, 0 }] = false
    assert.same({ 0, 3, 6 }, { b:sum(), b:narrow(1, 1, 1):ne(true):sum(), torch.fill(b, true):sum() })
    assert.same({ 1, 1, 0 }, (torch.sort(torch.BoolTensor { 1, 0, 1 }, 1, true)):totable())        -- largest first
    assert.error_matches(function() torch.FloatTensor(2):fill(true) end, 'fill: arguments: %(torch.FloatTensor %[2%], boolean%)')
  end)

  it('names the invalid value, at the line of the caller', function()
    assert.error_matches(function() x[1] = {} end, '^index: value: table')
    assert.error_matches(function() x[1] = nil end, '^index: value: nil')
    local tracked, place = x:clone():requiresGrad() * 2, '^spec/torch/tensor_spec.lua:%d+: '
    local boolean = 'index: value: boolean, expected a number or a tensor: 1 or 0 stands for it$'
    for f, expected in pairs {
      [function() x[1] = true end] = boolean, [function() x[{ 1 }] = false end] = boolean,
      [function() x:storage()[1] = true end] = boolean, [function() tracked[1] = true end] = boolean,
      [function() tracked[3] = 1 end] = 'index: key: out of range: 3',
      [function() return tracked[{ 1, 4 }] + 1 end] = 'index: key: .*4',
    } do
      local _, message = pcall(f)
      assert.match(place .. expected, message)
    end
    local mask = torch.BoolTensor { false, true, false }
    mask[1] = true
    mask[{ { 2, 3 } }] = false
    assert.same({ 1, 0, 0 }, mask:totable())
    mask[torch.BoolTensor { false, true, true }] = true
    mask[torch.LongTensor { 1 }] = false
    assert.same({ 0, 1, 1 }, mask:totable())
    mask:storage()[1] = true
    assert.same({ 1, 1, 1 }, mask:totable())
    assert.error_matches(function() x[3] = 1 end, '^index: key: out of range: 3')
    local _, message = pcall(function() x[3] = 1 end)
    assert.equal('spec/torch/tensor_spec.lua:', message:match '^[^%d]*')
    assert.error_matches(function() x[1] = torch.zeros(2) end, 'expected 3 elements')
    assert.error_matches(function() x.field = 1 end, 'the class torch.DoubleTensor cannot be indexed')
    assert.error_matches(function() x[{}] = print end, 'function')
    assert.error_matches(function() x[true] = 1 end, 'boolean: the class torch.DoubleTensor cannot be indexed')
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, x:totable())
  end)

  it('assigns tensors that broadcast, with the tape and without', function()
    for _, y in ipairs { torch.zeros(2, 3), torch.zeros(2, 3):requiresGrad() * 1 } do
      y[{ { 1, 2 } }] = torch.Tensor { 4, 5, 6 }
      assert.same({ { 4, 5, 6 }, { 4, 5, 6 } }, y:detach():totable())
      y[{ {}, { 2, 3 } }] = torch.Tensor { { 8 }, { 9 } }
      assert.same({ { 4, 8, 8 }, { 4, 9, 9 } }, y:detach():totable())
      y[{ {} }] = y[2]                                                    -- of its own memory
      assert.same({ { 4, 9, 9 }, { 4, 9, 9 } }, y:detach():totable())
      y[1] = torch.LongTensor { 7 }
      assert.same({ { 7, 7, 7 }, { 4, 9, 9 } }, y:detach():totable())
      for _, wrong in ipairs { torch.ones(2), torch.Tensor(), torch.ones(2, 1) } do
        assert.matches('tensor_spec.lua:%d+: %w+: %w+: %[', select(2, pcall(function() y[1] = wrong end)))
      end
    end
  end)
end)

describe('copy', function()
  it('ignores arguments after the source, such as the positions of x:max(dim)', function()
    local x = torch.Tensor { { 5, 2 }, { 3, 8 } }
    for _, y in ipairs { torch.zeros(1, 2), torch.FloatTensor(1, 2), torch.zeros(1, 2):requiresGrad() * 1 } do
      assert.is_true(rawequal(y, y:copy(x:max(1))))
      assert.same({ { 5, 8 } }, y:detach():totable())
    end
    assert.same({ { 3, 2 } }, torch.Tensor():resizeAs(x:min(1)):copy(x:min(1)):totable())
    assert.same({ 1, 1 }, torch.zeros(2):copy(torch.ones(2), 'more', {}):totable())
    assert.error_matches(function() torch.zeros(2):copy('source', torch.ones(2)) end, 'copy: ')
  end)

  it('are not taken for a result and its operand by functions of one tensor', function()
    for _, kind in ipairs { 'HalfTensor', 'FloatTensor', 'DoubleTensor' } do
      local x = torch[kind] { { 1, 4 }, { 3, 2 } }
      local values, positions = x:max(1)
      for _, op in ipairs { 'exp', 'abs', 'sqrt', 'mean', 'norm', 'std' } do
        assert.error_matches(function() torch[op](values, positions) end,
          op .. ': x: torch.LongTensor for a result of torch.' .. kind .. ', expected one type; parentheses')
      end
      assert.same({ { 3, 4 } }, values:totable())
      assert.same({ { 3, 4 } }, torch.abs((x:max(1))):totable())
    end
  end)
end)

describe('resize and set', function()
  it('keep the elements in the order of the storage', function()
    local x = torch.range(1, 6)
    assert.same({ { 1, 2 }, { 3, 4 } }, x:resize(2, 2):totable())
    assert.same({ 1, 2, 3, 4, 5, 6 }, x:resize(6):totable())
    assert.equal(0, x:resize():dim())
    assert.equal(6, #x:storage())
    local y = counted(2, 3):t()
    assert.same({ 1, 3 }, y:resize(3, 2):stride():totable())         -- the same sizes: nothing changes
    assert.is_true(y:resize(2, 3):isContiguous())
    assert.same({ 2, 3 }, torch.Tensor():resizeAs(torch.zeros(2, 3)):size():totable())
  end)

  it('rebind a tensor to other memory', function()
    local x, storage = torch.Tensor(2, 3), torch.DoubleStorage { 1, 2, 3 }
    assert.is_true(rawequal(x, x:set(storage)))
    assert.same({ 1, 2, 3 }, x:totable())
    assert.equal(0, x:set(storage, 2):dim())
    assert.same({ 2, 3 }, x:set(storage, 2, 2, 1):totable())
    assert.equal(2, x:storageOffset())
    assert.is_true(torch.Tensor():set(x):isSetTo(x))
    assert.is_nil(x:set():storage())
    for _, f in ipairs { function() x:set(5) end, function() x:set(torch.FloatStorage(2)) end, function() x:set(torch.FloatTensor(2)) end,
                         function() x:set(storage, 0) end, function() x:set(storage, 1, 2, 'x') end } do
      assert.error_matches(f, 'set: ')
    end
  end)
end)

describe('a tensor', function()
  it('equals itself only', function()
    local x = torch.ones(2)
    assert.is_true(x == x:contiguous() and x:storage() == x:storage())   -- luacheck: ignore
    assert.is_false(x == torch.ones(2))
    assert.is_false(x:storage() == torch.ones(2):storage())
    assert.is_false(x == x:narrow(1, 1, 2))
  end)

  it('tells its sizes', function()
    local x = torch.zeros(2, 3)
    assert.same({ 2, 3 }, (#x):totable())
    assert.equal(' 2\n 3\n[torch.LongStorage of size 2]\n', tostring(#x))
    assert.is_true(x:isSize(torch.LongStorage { 2, 3 }))
    assert.is_false(x:isSize(torch.LongStorage { 2 }))
    assert.equal(6, torch.numel(x))
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, torch.totable(x))
    assert.error_matches(function() x:size(3) end, 'dimension 3 out of range of 2D tensor')
    assert.is_true(torch.isTensor(x) and torch.isStorage(x:storage()))
    assert.is_false(torch.isTensor() or torch.isTensor(nil) or torch.isStorage(x))
  end)

  it('has operators, with a number on either side', function()
    local x = torch.Tensor { 1, 2 }
    for expected, y in pairs {
      ['3 4'] = 2 + x, ['1 0'] = 2 - x, ['2 4'] = 2 * x, ['2 1'] = 2 / x, ['0.5 1'] = x / 2, ['-1 -2'] = -x, ['-1 0'] = x - 2,
    } do
      local a, b = expected:match '(%S+) (%S+)'
      assert.same({ tonumber(a), tonumber(b) }, y:totable())
    end
    assert.equal(5, x * x)
    assert.same({ 5, 11 }, (torch.Tensor { { 1, 2 }, { 3, 4 } } * x):totable())
    assert.same({ 2, 1 }, (torch.Tensor { -7, 7 } % 3):totable())
    assert.same({ -1, -2 }, (torch.Tensor { -7, 7 } % -3):totable())
    assert.error_matches(function() return torch.IntTensor { 1 } / 0 end, 'div: value: 0')
    assert.error_matches(function() return x + 'a' end, 'add: ')
  end)
end)

describe('a storage', function()
  it('is made of a size, a table or another storage', function()
    assert.equal(0, #torch.DoubleStorage())
    assert.equal(3, #torch.IntStorage(3))
    assert.same({ 2, 3 }, torch.LongStorage({ 2, 3 }):totable())
    local whole = torch.DoubleStorage { 1, 2, 3 }
    torch.DoubleStorage(whole, 2, 1):fill(9)
    assert.same({ 1, 9, 3 }, whole:totable())
    assert.error_matches(function() torch.LongStorage { 1, 'a' } end, 'element at index 2 is not a number')
    assert.error_matches(function() torch.DoubleStorage(whole, 5) end, 'offset out of bounds')
    assert.error_matches(function() torch.DoubleStorage(whole, 2, 5) end, 'size out of bounds')
  end)

  it('copies, resizes and checks its bounds', function()
    local s = torch.DoubleStorage(2):copy(torch.IntStorage { 3, 4 })
    assert.same({ 3, 4 }, s:totable())
    assert.error_matches(function() s:copy(torch.DoubleStorage(3)) end, 'size mismatch')
    assert.equal(4, s:resize(3)[2])
    for _, key in ipairs { 0, 4, -1 } do
      assert.error_matches(function() return s[key] end, 'out of bounds')
      assert.error_matches(function() s[key] = 1 end, 'out of bounds')
    end
    assert.equal('abc', torch.CharStorage():string('abc'):string())
  end)
end)
