-- Types of tensors with names of their own, on devices of a kind: `other:1` and `other:2` of the test device's library are of the kind
-- `other`, as `cuda:1` and `cuda:2` are `cuda`.
local torch, nn = require 'torch', require 'nn'
local program = require 'spec.support.program'

local library = program.path:gsub('bin/th$', 'lib/libtest_device.so')
local there = io.open(library)
if not there then return end      -- a build without tests has no test device
there:close()
assert(torch.OtherTensor == nil)
torch.loadDevice(library)

local values = { { 1, 2, 3 }, { 4, 5, 6 } }
local function place(x) return { x:type(), x:device() } end

describe('a type on devices of a kind', function()
  it('is named by the kind, that of floats by it alone', function()
    local names = {}
    for _, name in ipairs { 'float32', 'float64', 'float16', 'bfloat16', 'uint8', 'int8', 'int16', 'int32', 'int64', 'bool' } do
      names[#names + 1] = torch.zeros(2, name .. ' on other:1'):type():match '^torch%.Other(.*)Tensor$'
    end
    assert.same({ '', 'Double', 'Half', 'BFloat16', 'Byte', 'Char', 'Short', 'Int', 'Long', 'Bool' }, names)
  end)

  it('is a class as others are', function()
    local x = torch.OtherTensor(values)
    assert.equal('userdata', type(x))
    assert.same({ 'torch.OtherTensor', 'torch.OtherTensor', 'torch.OtherTensor' }, { x:type(), torch.type(x), torch.typename(x) })
    assert.is_true(torch.isTensor(x))
    assert.is_true(torch.isTypeOf(x, 'torch.OtherTensor'))
    assert.is_true(torch.isTypeOf(x, torch.OtherTensor))
    assert.is_false(torch.isTypeOf(x, 'torch.FloatTensor'))
    assert.equal(torch.getmetatable 'torch.OtherTensor', getmetatable(x))
    assert.equal('torch.OtherStorage', torch.typename(x:storage()))
    assert.is_true(torch.isStorage(x:storage()))
    torch.getmetatable('torch.OtherTensor').twice = function(t) return torch.mul(t, 2) end
    assert.equal(42, x:twice():sum())
    assert.is_nil(torch.FloatTensor(1).twice)
  end)

  it('is made by its constructors, of sizes, tables and what is shared', function()
    assert.same({ 3, 4 }, torch.OtherTensor(3, 4):size():totable())
    assert.same({ 3, 4 }, torch.OtherDoubleTensor(torch.LongStorage { 3, 4 }):size():totable())
    local x = torch.OtherTensor(values)
    assert.same(values, x:totable())
    torch.OtherTensor(x):fill(7)
    assert.equal(42, x:sum())
    local s = torch.OtherLongStorage { 5, 6, 7 }
    assert.same({ 'other:1', { 5, 6, 7 } }, { s:device(), s:totable() })
    assert.same({ 6, 7 }, torch.OtherLongTensor(s, 2, 2, 1):totable())
    assert.equal(4, torch.OtherStorage(4):size())
    assert.same({ 'torch.OtherTensor', 'other:1' }, place(x.new(2)))
    assert.same({ 'torch.OtherTensor', 'other:2' }, place(torch.zeros(2, 'float on other:2').new(2)))
  end)

  it('takes no tensor or storage of another type', function()
    local x, y = torch.OtherTensor(2), torch.FloatTensor(2)
    assert.error_matches(function() torch.OtherTensor(y) end, 'torch.FloatTensor, expected torch.OtherTensor')
    assert.error_matches(function() torch.FloatTensor(x) end, 'torch.OtherTensor, expected torch.FloatTensor')
    assert.error_matches(function() y:set(x) end, 'set: tensor: torch.OtherTensor, expected torch.FloatTensor')
    assert.error_matches(function() x:set(y:storage()) end, 'torch.FloatStorage, expected torch.OtherStorage')
    assert.error_matches(function() torch.FloatTensor(x:storage()) end, 'torch.OtherStorage')
    assert.error_matches(function() torch.OtherStorage(y:storage()) end, 'torch.FloatStorage, expected torch.OtherStorage')
    assert.error_matches(function() torch.add(y, x, x) end, 'add: ')
    assert.error_matches(function() torch.add(x, 'a') end, 'torch.OtherTensor %[2%]')
  end)

  it('is what ops on it give', function()
    local x = torch.OtherTensor(values)
    local largest, positions = x:max(1)
    assert.same({ 'torch.OtherTensor', 'torch.OtherLongTensor', 'torch.OtherByteTensor', 'torch.OtherTensor', 'torch.OtherTensor' },
      { largest:type(), positions:type(), torch.gt(x, 2):type(), x[1]:type(), (x * x:t()):type() })
    assert.equal('torch.OtherTensor', x[{ {}, { 2, 3 } }]:type())
    assert.equal('torch.OtherTensor', x:index(1, torch.OtherLongTensor { 2 }):type())
  end)

  it('prints as others do, with the device that is not the current one', function()
    assert.equal(' 1  2  3\n 4  5  6\n[torch.OtherTensor of size 2x3]\n', tostring(torch.OtherTensor(values)))
    assert.equal(' 1\n[torch.OtherLongStorage of size 1]\n', tostring(torch.OtherLongStorage { 1 }))
    assert.matches('%[torch.OtherTensor of size 1 on other:2%]', tostring(torch.zeros(1, 'float on other:2')))
  end)
end)

describe('a conversion', function()
  local x = torch.FloatTensor(values)

  it('to a class goes where its tensors are', function()
    assert.same({ 'torch.OtherTensor', 'other:1' }, place(x:type 'torch.OtherTensor'))
    assert.same({ 'torch.OtherDoubleTensor', 'other:1' }, place(x:type 'torch.OtherDoubleTensor'))
    assert.same({ 'torch.OtherTensor', 'other:1' }, place(x:to 'torch.OtherTensor'))
    local y = x:to 'other:2'
    assert.same({ 'torch.OtherTensor', 'other:2' }, place(y))
    assert.equal(y, y:type 'torch.OtherTensor')
    assert.same({ 'torch.OtherIntTensor', 'other:2' }, place(y:type 'torch.OtherIntTensor'))
    assert.same({ 'torch.FloatTensor', 'cpu' }, place(y:type 'torch.FloatTensor'))
    assert.same({ 'torch.DoubleTensor', 'cpu' }, place(y:to 'torch.DoubleTensor'))
    assert.same(values, y:type('torch.FloatTensor'):totable())
  end)

  it('by a method of a dtype comes to the CPU', function()
    local y = torch.OtherTensor(values)
    assert.same({ 'torch.FloatTensor', 'cpu' }, place(y:float()))
    assert.same({ 'torch.LongTensor', 'cpu' }, place(y:long()))
    assert.same({ 'torch.OtherTensor', 'other:1' }, place(x:typeAs(y)))
    assert.same({ 'torch.OtherTensor', 'other:2' }, place(x:typeAs(y:to 'other:2')))
    assert.same({ 'torch.FloatTensor', 'cpu' }, place(y:typeAs(x)))
  end)

  it('to a dtype, or to a device, keeps the other', function()
    local y = torch.OtherTensor(values):to 'other:2'
    assert.same({ 'torch.OtherDoubleTensor', 'other:2' }, place(y:to 'float64'))
    assert.same({ 'torch.OtherDoubleTensor', 'other:2' }, place(y:to(torch.float64)))
    assert.same({ 'torch.OtherLongTensor', 'other:1' }, place(x:long():to 'other'))
    assert.same({ 'torch.FloatTensor', 'cpu' }, place(y:to 'cpu'))
    assert.same({ 'torch.OtherHalfTensor', 'other:1' }, place(x:to 'half on other:1'))
  end)

  it('by copy goes between types and devices', function()
    local y = torch.OtherDoubleTensor(2, 3):copy(x)
    assert.same(values, y:totable())
    local z = torch.LongTensor(2, 3):copy(y:to 'other:2')
    assert.same(values, z:totable())
    assert.is_true(x:isSameSizeAs(y))
    local s = torch.FloatStorage(3):copy(torch.OtherStorage { 1, 2, 3 })
    assert.same({ 1, 2, 3 }, s:totable())
  end)
end)

describe('a default type on devices of a kind', function()
  after_each(function() torch.setdefaulttensortype 'torch.DoubleTensor' end)

  it('is that of torch.Tensor and of what is made', function()
    torch.setdefaulttensortype 'torch.OtherTensor'
    assert.equal('torch.OtherTensor', torch.getdefaulttensortype())
    assert.equal('other:1', torch.getDefaultDevice())
    for _, x in ipairs { torch.Tensor(2), torch.zeros(2), torch.randn(2), torch.rand(2, 2), nn.Linear(2, 3).weight } do
      assert.same({ 'torch.OtherTensor', 'other:1' }, place(x))
    end
    assert.equal('torch.OtherStorage', torch.typename(torch.Storage(2)))
    assert.same({ 'torch.FloatTensor', 'cpu' }, place(torch.FloatTensor(2)))
    assert.same({ 'torch.LongStorage', 'cpu' }, { torch.typename(torch.zeros(2):size()), torch.LongStorage(2):device() })
    torch.setdefaulttensortype 'torch.FloatTensor'
    assert.same({ 'torch.FloatTensor', 'cpu' }, place(torch.Tensor(2)))
  end)

  it('follows the default device', function()
    torch.withDevice('other:2', function()
      assert.equal('torch.OtherDoubleTensor', torch.getdefaulttensortype())
      assert.same({ 'torch.OtherDoubleTensor', 'other:2' }, place(torch.zeros(2)))
      assert.same({ 'torch.FloatTensor', 'cpu' }, place(torch.FloatTensor(2)))
    end)
    assert.equal('torch.DoubleTensor', torch.Tensor(2):type())
  end)
end)

describe('a network of such a type', function()
  it('goes there and back, and its tensors stay shared', function()
    local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.View(-1)):float()
    local before = net:forward(torch.FloatTensor(values)):clone()
    local flat = net:getParameters()
    assert.equal(net, net:type 'torch.OtherTensor')
    assert.equal('torch.OtherTensor', net:type())
    assert.equal(torch.pointer(net:get(1).weight:storage()), torch.pointer(net:get(1).bias:storage()))
    local there_ = net:forward(torch.OtherTensor(values))
    assert.same({ 'torch.OtherTensor', 'other:1' }, place(there_))
    assert.same(before:totable(), there_:float():totable())
    local gradient = net:backward(torch.OtherTensor(values), torch.OtherTensor(8):fill(1))
    assert.same({ 'torch.OtherTensor', 'other:1' }, place(gradient))
    net:float()
    assert.same({ 'torch.FloatTensor', 'cpu' }, place(net:get(1).weight))
    assert.equal(flat:nElement(), net:getParameters():nElement())
    assert.same(before:totable(), net:forward(torch.FloatTensor(values)):totable())
  end)
end)

describe('a file', function()
  it('has such tensors under their names, and views as they were', function()
    local x = torch.OtherTensor(values)
    local text = torch.serialize { x, x:t() }
    assert.is_truthy(text:find('torch.OtherTensor', 1, true))
    assert.is_truthy(text:find('torch.OtherStorage', 1, true))
    local y = torch.deserialize(text)
    assert.same({ 'torch.OtherTensor', 'other:1' }, place(y[1]))
    assert.same({ values, { { 1, 4 }, { 2, 5 }, { 3, 6 } } }, { y[1]:totable(), y[2]:totable() })
    y[1]:fill(3)
    assert.equal(3, y[2][1][1])
    for _, name in ipairs { 'half', 'bfloat16', 'bool', 'int64', 'uint8' } do
      local z = torch.ones(3, name .. ' on other:2')
      for _, mode in ipairs { 'binary', 'ascii' } do
        local back = torch.deserialize(torch.serialize(z, mode), mode)
        assert.same({ z:type(), { 1, 1, 1 } }, { back:type(), back:totable() })
      end
    end
    assert.equal(0, torch.deserialize(torch.serialize(torch.OtherTensor())):nElement())
  end)

  it('of another format holds the elements', function()
    local name = os.tmpname()
    torch.npy.save(name, torch.OtherTensor(values))
    assert.same({ 'torch.FloatTensor', values }, { torch.npy.load(name):type(), torch.npy.load(name):totable() })
    torch.safetensors.save(name, { x = torch.OtherLongTensor(values) })
    assert.same({ 'torch.LongTensor', values }, { torch.safetensors.load(name).x:type(), torch.safetensors.load(name).x:totable() })
    os.remove(name)
  end)
end)

describe('a handle', function()
  it('is of the class that it is taken for', function()
    local x = torch.OtherTensor(values)
    x:retain()
    assert.error_matches(function() torch.pushudata(torch.pointer(x), 'torch.FloatTensor') end, 'has another type')
    assert.same({ 'torch.OtherTensor', values }, { torch.pushudata(torch.pointer(x), 'torch.OtherTensor'):type(), x:totable() })
  end)
end)
