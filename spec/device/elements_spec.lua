-- Lua's access to elements on another device, with the test device, whose memory the host can't access.
local torch = require 'torch'
local display = require 'torch.tensor.display'
local files = require 'spec.support.files'
local program = require 'spec.support.program'

local library = program.path:gsub('bin/th$', 'lib/libtest_device.so')
local there = io.open(library)
if not there then return end      -- a build without tests has no test device
there:close()
torch.loadDevice(library)

local values = { { 1, 2, 3 }, { 4, 5, 6 } }
local function onTest(kind) return torch[kind or 'DoubleTensor'](values):to 'test' end

describe('elements on a device', function()
  it('are told by number, key and item', function()
    for _, kind in ipairs { 'ByteTensor', 'LongTensor', 'HalfTensor', 'FloatTensor', 'DoubleTensor' } do
      local x = onTest(kind)
      assert.equal('test', x:device())
      assert.same({ 6, 5, 4 }, { x[2][3], x[{ 2, 2 }], x[torch.LongStorage { 2, 1 }] })
      assert.equal(2, x[{ { 1 }, { 2 } }]:item())
      assert.same(values, x:totable())
    end
    assert.equal(2 ^ 60, tonumber(torch.LongTensor({ 2 ^ 60 }):to('test')[1]))
    local flags = torch.BoolTensor({ 1, 0 }):to 'test'
    assert.same({ 1, 0 }, { flags[1], flags[2] })
  end)

  it('are written by number and key', function()
    local x = onTest()
    x[1][2], x[{ 2, 3 }] = 20, 60
    x[{ {}, 1 }] = 7
    assert.same({ { 7, 20, 3 }, { 7, 5, 60 } }, x:totable())
    x[2] = torch.DoubleTensor { 8, 9, 10 }
    assert.same({ { 7, 20, 3 }, { 8, 9, 10 } }, x:totable())
    local flags = torch.BoolTensor({ 1, 0 }):to 'test'
    flags[2] = true
    assert.same({ 1, 1 }, flags:totable())
  end)

  it('are seen through storages', function()
    local x = onTest 'IntTensor'
    local s = x:storage()
    assert.equal('test', s:device())
    s[3] = 30
    assert.same({ 30, 6 }, { s[3], s[6] })
    assert.same({ 1, 2, 30, 4, 5, 6 }, s:totable())
    assert.same({ 30, 4 }, torch.IntStorage(s, 3, 2):totable())
    s:copy(torch.IntStorage { 6, 5, 4, 3, 2, 1 })
    assert.same({ { 6, 5, 4 }, { 3, 2, 1 } }, x:totable())
    s:fill(2)
    assert.same({ { 2, 2, 2 }, { 2, 2, 2 } }, x:totable())
    local text = torch.ByteTensor({ 104, 105 }):to('test'):storage()
    assert.equal('hi', text:string())
    assert.equal('oh!', text:string('oh!'):string())
    assert.equal('test', torch.IntTensor(s, 2, torch.LongStorage { 2 }):device())
  end)

  it('may be sizes, and a state of random numbers', function()
    local sizes = torch.LongTensor({ 2, 3 }):to 'test'
    assert.same({ 2, 3 }, torch.zeros(sizes):size():totable())
    assert.same({ 2, 3 }, torch.zeros(sizes:storage()):size():totable())
    local state = torch.getRNGState():to 'test'
    local first = torch.uniform()
    torch.setRNGState(state)
    assert.equal(first, torch.uniform())
    assert.equal('test', torch.getRNGState(state):device())
  end)

  it('come out as numbers', function()
    assert.equal(21, onTest():sum())
    assert.equal(6, onTest():max())
  end)

  it('are shown with where they are', function()
    assert.equal(' 1  2  3\n 4  5  6\n[torch.DoubleTensor of size 2x3 on test]\n', tostring(onTest()))
    assert.equal(' 1\n 2\n 3\n[torch.LongStorage of size 3 on test]\n', tostring(torch.LongTensor({ 1, 2, 3 }):to('test'):storage()))
    local long = torch.range(1, 2000):to 'test'
    assert.equal(display.summary(torch.range(1, 2000)):gsub('2000%]', '2000 on test]'), (display.summary(long)))
  end)

  it('can be saved, and are loaded on the CPU', function()
    local x = onTest 'FloatTensor'
    local y = torch.deserialize(torch.serialize { x, x:t() })
    assert.same({ values, { { 1, 4 }, { 2, 5 }, { 3, 6 } } }, { y[1]:totable(), y[2]:totable() })
    assert.equal('cpu', y[1]:device())
    y[1]:fill(3)
    assert.equal(3, y[2][1][1])      -- one storage, as it was
    local name = os.tmpname()
    torch.npy.save(name, x)
    assert.same(values, torch.npy.load(name):totable())
    torch.safetensors.save(name, { x = x })
    assert.same(values, torch.safetensors.load(name).x:totable())
    torch.csv.save(name, x)
    assert.equal('1,2,3\n4,5,6\n', files.read(name))
    os.remove(name)
    local file = torch.MemoryFile()
    assert.equal(6, file:writeFloat(x:storage()))
    file:seek(1)
    assert.same({ 1, 2, 3, 4, 5, 6 }, file:readFloat(6):totable())
  end)

  it('have no pointers', function()
    assert.error_matches(function() onTest():data() end, "data: self: it is on test, expected a tensor on cpu; x:to 'cpu' brings it")
    assert.error_matches(function() onTest():apply(math.abs) end, 'apply: self: it is on test')
    assert.error_matches(function() torch.MemoryFile():readFloat(onTest('FloatTensor'):storage()) end, 'data: self: it is on test')
  end)

  it('are where the default device is', function()
    torch.withDevice('test', function()
      assert.same({ 'test', 2 }, { torch.DoubleTensor(values):device(), torch.DoubleTensor(values)[1][2] })
      assert.equal('test', torch.zeros(2):device())
    end)
  end)

  it('move both ways with their gradients', function()
    local w = torch.DoubleTensor { 1, 2 }
    require 'autograd'
    w:requiresGrad()
    local y = torch.cmul(w:to 'test', torch.DoubleTensor({ 3, 4 }):to 'test')
    assert.equal('test', y:device())
    torch.sum(torch.mul(y:to 'cpu', 2)):backward()
    assert.same({ 'cpu', { 6, 8 } }, { w.grad:device(), w.grad:totable() })
    local v = torch.DoubleTensor({ 1, 2 }):to('test'):requiresGrad()
    torch.sum(torch.cmul(v, v)):backward()
    assert.same({ 'test', { 2, 4 } }, { v.grad:device(), v.grad:totable() })
  end)

  it('are compared by torch.Tester', function()
    assert.equal(3, require('torch.tester.equality').distance(onTest(), torch.DoubleTensor { { 1, 2, 3 }, { 4, 8, 6 } }))
  end)
end)
