-- Random numbers on a device whose kernels draw by counter: those of a Philox generator of the same seed on the CPU.
local torch = require 'torch'
local program = require 'spec.support.program'

local library = program.path:gsub('bin/th$', 'lib/libtest_device.so')
local there = io.open(library)
if not there then return end      -- a build without tests has no test device
there:close()
torch.loadDevice(library)

local function philox(seed)
  local generator = torch.Generator('philox')
  torch.manualSeed(generator, seed)
  return generator
end

local function drawn() return torch.FloatTensor(5):to('test'):normal():totable() end
local function expected(generator) return torch.FloatTensor(5):normal(generator):totable() end

describe('a device that draws by counter', function()
  it('has a Philox generator, which manualSeed seeds with that of the CPU', function()
    torch.manualSeed(7)
    local generator = philox(7)
    assert.same(expected(generator), drawn())
    assert.same(expected(generator), drawn())
    local uniform = torch.uniform()
    torch.manualSeed(7)
    assert.equal(uniform, torch.uniform())
    assert.same(expected(philox(7)), drawn())
  end)

  it("is seeded and saved by the device's name", function()
    torch.manualSeed(1)
    torch.manualSeed('test', 9)
    assert.equal(9, torch.initialSeed 'test')
    assert.equal(1, torch.initialSeed())
    assert.equal(1, torch.initialSeed 'cpu')
    local state = torch.getRNGState 'test'
    local first = drawn()
    assert.same(expected(philox(9)), first)
    torch.setRNGState('test', state)
    assert.same(first, drawn())
    local seed = torch.seed 'test'
    assert.equal(seed, torch.initialSeed 'test')
    assert.error_matches(function() torch.setRNGState('test', torch.getRNGState()) end, 'no state of a Philox generator')
    assert.error_matches(function() torch.manualSeed('nowhere', 1) end, 'manualSeed: seed: string')
  end)

  it('takes a generator of the caller', function()
    assert.same(expected(philox(3)), torch.FloatTensor(5):to('test'):normal(philox(3)):totable())
    local twister, draws = torch.Generator(), torch.Generator()
    torch.manualSeed(twister, 5)
    torch.manualSeed(draws, 5)
    local x = torch.FloatTensor(5):to('test')
    local one, two = x:normal(twister):totable(), x:normal(twister):totable()
    assert.not_same(one, two)
    local first = torch.LongTensor(4):random(draws, 0, 2 ^ 32 - 1)      -- a call's key is the next two draws
    assert.same(torch.getRNGState(draws):totable(), torch.getRNGState(twister):totable())
    assert.equal(4, first:nElement())
  end)

  it('draws nothing for sizes alone', function()
    torch.manualSeed(7)
    torch.infer('rand', 100)
    torch.infer('rand', philox(1), 100)
    assert.same(expected(philox(7)), drawn())
  end)

  it('gives the same of all ops', function()
    local weights = torch.rand(philox(2), 6, 5)
    local function all(device)
      torch.manualSeed(4)
      local generator = device == 'cpu' and philox(4) or nil
      local list = {}
      local function add(x) list[#list + 1] = x:to('cpu'):totable() end
      local function filled(kind, op, ...)
        local x = torch[kind .. 'Tensor'](1001):to(device)
        if generator then return add(x[op](x, generator, ...)) end
        add(x[op](x, ...))
      end
      for _, kind in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
        for _, op in ipairs { 'uniform', 'normal', 'logNormal', 'cauchy' } do filled(kind, op, 1, 2) end
        filled(kind, 'exponential', 2)
      end
      for _, kind in ipairs { 'Bool', 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' } do
        filled(kind, 'bernoulli', 0.3)
        filled(kind, 'random')
        if kind ~= 'Bool' then filled(kind, 'geometric', 0.3) end
      end
      local p = weights:to(device)
      for _, replacement in ipairs { true, false } do
        add(generator and torch.multinomial(generator, p, 4, replacement) or torch.multinomial(p, 4, replacement))
      end
      return list
    end
    assert.same(all 'cpu', all 'test')
  end)
end)
