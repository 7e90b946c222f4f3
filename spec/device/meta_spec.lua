-- Tensors on the device meta: they have sizes, a type and a device, and no elements.
local torch = require 'torch'

local function sizes(x) return x:size():totable() end
local noElements = 'meta: tensor: it has sizes alone, and no elements to read'

describe('a device', function()
  it('is among the names', function()
    local names = torch.devices()
    assert.same({ 'cpu', 'meta' }, { names[1], names[2] })
  end)

  it('is where x:to takes a tensor, in its type or another', function()
    local x = torch.FloatTensor(2, 3):fill(1)
    local y = x:to 'meta'
    assert.equal('meta', y:device())
    assert.equal('torch.FloatTensor', torch.type(y))
    assert.same({ 2, 3 }, sizes(y))
    assert.equal('cpu', x:device())
    local z = x:to 'int32 on meta'
    assert.same({ 'torch.IntTensor', 'meta' }, { z:type(), z:device() })
    assert.same({ 'torch.DoubleTensor', 'meta' }, { y:double():type(), y:double():device() })
    assert.equal('meta', y:to('torch.ByteTensor'):device())
    local copy = x:to 'cpu'
    copy:fill(5)
    assert.equal(1, x[1][1])
  end)

  it('keeps strides that are meant', function()
    local images = torch.FloatTensor(2, 3, 4, 5):channelsLast():to 'meta'
    assert.is_true(images:isChannelsLast())
    assert.is_true(torch.FloatTensor(3, 4):t():to('meta'):isContiguous())
  end)

  it('is refused by a name that is none', function()
    assert.error_matches(function() torch.zeros(2):to 'moon' end,
      'to: dtype: moon, expected the name of a tensor type, or of a device: cpu, meta')
    assert.error_matches(function() torch.zeros(2):to 'float on moon' end, 'to: dtype: moon, expected a device: one of cpu, meta')
    assert.error_matches(function() torch.setDefaultDevice 'moon' end,
      'setDefaultDevice: name: moon, expected a device: one of cpu')
    assert.error_matches(function() torch.setDefaultDevice() end, 'setDefaultDevice: name: nil, expected the name of a device')
    assert.error_matches(function() torch.withDevice('meta', 3) end, 'withDevice: f: number, expected a function')
    assert.error_matches(function() torch.loadDevice '/no/such/file.so' end, 'loadDevice: path: .*/no/such/file.so')
    assert.error_matches(function() torch.loadDevice {} end, 'loadDevice: path: table, expected the path of a library')
    assert.error_matches(function() torch.Tensor.device(3) end, 'device: self: number, expected a tensor')
  end)
end)

describe('new tensors', function()
  it('are where the default device is', function()
    torch.withDevice('meta', function()
      assert.equal('meta', torch.getDefaultDevice())
      for _, x in ipairs { torch.empty(2, 3), torch.Tensor(2, 3), torch.FloatTensor { { 1, 2, 3 }, { 4, 5, 6 } }, torch.zeros(2, 3) } do
        assert.equal('meta', x:device())
        assert.same({ 2, 3 }, sizes(x))
      end
      assert.equal('meta', torch.IntTensor():device())
      assert.equal('meta', torch.IntTensor():resize(4):device())
      assert.equal('cpu', torch.FloatTensor(torch.FloatStorage(3)):device())
      assert.equal('cpu', torch.LongStorage({ 2, 3 }):device())
    end)
    assert.equal('cpu', torch.getDefaultDevice())
    assert.equal('cpu', torch.empty(2):device())
  end)

  it('are back on the CPU after an error', function()
    assert.error_matches(function() torch.withDevice('meta', error, 'oh', 0) end, 'oh')
    assert.equal('cpu', torch.getDefaultDevice())
  end)

  it('are where a name among the arguments says', function()
    local x = torch.empty(2, 3, 'meta')
    assert.same({ 'torch.DoubleTensor', 'meta' }, { x:type(), x:device() })
    assert.same({ 'torch.IntTensor', 'meta' }, { torch.ones(2, 'int on meta'):type(), torch.ones(2, 'int on meta'):device() })
    torch.withDevice('meta', function() assert.equal('cpu', torch.zeros(2, 'cpu'):device()) end)
    assert.error_matches(function() torch.zeros(torch.Tensor(), 2, 'meta') end, 'zeros: dtype: meta, expected cpu, where the result is')
  end)

  it('are where the tensor is that makes them', function()
    local x = torch.FloatTensor(2, 3):to 'meta'
    for _, y in ipairs { x.new(2, 3), x.new { { 1, 2, 3 }, { 4, 5, 6 } }, x.new():resizeAs(x), x:clone(), x:narrow(1, 1, 2), x.new(x) } do
      assert.same({ 'torch.FloatTensor', 'meta' }, { y:type(), y:device() })
      assert.same({ 2, 3 }, sizes(y))
    end
    assert.equal('cpu', torch.FloatTensor(2).new(3):device())
    assert.equal('meta', torch.HalfTensor(2):to('meta').new(3):device())
  end)
end)

describe('a tensor on meta', function()
  local x = torch.DoubleTensor(2, 3):to 'meta'

  it('has views and writes as any other', function()
    assert.same({ 3, 2 }, sizes(x:t()))
    assert.same({ 2 }, sizes(x[{ {}, 2 }]))
    x[1][2], x[2], x[{ {}, 1 }] = 5, 6, torch.ones(2)
    x:fill(3):copy(torch.ones(2, 3))
    x:set(x:storage(), 1, 6, 1):resize(2, 3)
    assert.equal('meta', x:device())
    assert.equal('meta', x:storage():device())
    assert.same({ 'meta', 2, 3 }, { torch.add(x, x):device(), torch.add(x, 1):size(1), torch.add(x, 1):size(2) })
  end)

  it('shows its sizes alone', function()
    assert.equal('[torch.DoubleTensor of size 2x3 on meta]\n', tostring(x))
    assert.equal('[torch.DoubleStorage of size 6 on meta]\n', tostring(x:storage()))
    assert.equal('[torch.FloatTensor with no dimension on meta]\n', tostring(torch.FloatTensor():to 'meta'))
    assert.equal('[torch.DoubleTensor of size 100x200 on meta]\n', require('torch.tensor.display').summary(torch.empty(100, 200, 'meta')))
  end)

  local readers = {
    ['an element of a vector'] = function() return x[1][2] end,
    ['an element'] = function() return x[{ 1, 2 }] end,
    ['item'] = function() return x[{ { 1 }, { 1 } }]:item() end,
    ['totable'] = function() return x:totable() end,
    ['an element of its storage'] = function() return x:storage()[1] end,
    ['totable of its storage'] = function() return x:storage():totable() end,
    ['string of its storage'] = function() return x:byte():storage():string() end,
    ['to cpu'] = function() return x:to 'cpu' end,
    ['copy'] = function() return torch.zeros(2, 3):copy(x) end,
    ['a file'] = function() return torch.serialize(x) end,
    ['npy'] = function() return torch.npy.save(os.tmpname(), x) end,
    ['safetensors'] = function() return torch.safetensors.save(os.tmpname(), { x = x }) end,
    ['csv'] = function() return torch.csv.save(os.tmpname(), x) end,
    ['sizes'] = function() return torch.zeros(torch.LongTensor(2):to 'meta') end,
    ['sizes in a storage'] = function() return torch.zeros(torch.LongTensor(2):to('meta'):storage()) end,
    ['a key'] = function() return torch.zeros(2, 3)[torch.LongTensor(2):to('meta'):storage()] end,
    ['a state of random numbers'] = function() torch.setRNGState(torch.getRNGState():to 'meta') end,
    ['torch.Tester'] = function() return require('torch.tester.equality').distance(x, x) end,
  }
  for name, read in pairs(readers) do
    it('has no elements for ' .. name, function() assert.error_matches(read, noElements, 1, true) end)
  end

  it('has no memory for pointers', function()
    assert.error_matches(function() x:data() end, "data: self: it is on meta, expected a tensor on cpu; x:to 'cpu' brings it")
    assert.error_matches(function() x:storage():data() end, 'data: self: it is on meta, expected a storage on cpu')
    assert.error_matches(function() x:apply(math.abs) end, 'apply: self: it is on meta, expected a tensor on cpu')
    assert.error_matches(function() torch.zeros(2, 3):map(x, math.max) end, 'map: tensor 1: it is on meta, expected a tensor on cpu')
    assert.error_matches(function() torch.data(x) end, 'data: self: it is on meta')
    assert.error_matches(function() torch.cdata(x) end, 'data: self: it is on meta')
  end)

  it('meets none that is elsewhere', function()
    assert.error_matches(function() torch.add(x, torch.ones(2, 3)) end,
      'add: y: a tensor on cpu, expected meta, where the others are')
    assert.error_matches(function() torch.cat { x, torch.ones(2, 3) } end, 'cat: tensors: a tensor on cpu, expected meta')
    assert.error_matches(function() torch.add(torch.Tensor(), x, 1) end, 'add: res: a tensor on cpu, expected meta')
  end)

  it('has a gradient where it is', function()
    local autograd = require 'autograd'
    local w = torch.DoubleTensor(2, 3):to('meta'):requiresGrad()
    torch.add(torch.add(w, w), w[1]):backward(torch.empty(2, 3, 'meta'))
    assert.same({ 'meta', 2, 3 }, { w.grad:device(), w.grad:size(1), w.grad:size(2) })
    local moved = torch.ones(2, 3):requiresGrad()
    assert.error_matches(function() torch.add(moved:to 'meta', 1):backward(torch.empty(2, 3, 'meta')) end, noElements, 1, true)
    assert.is_nil(autograd.none)
  end)
end)
