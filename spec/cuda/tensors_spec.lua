-- CUDA's tensors by Torch7's names, and Torch7's files of them, on the emulated GPUs.
if not require 'spec.support.with_cuda' then return end
local torch = require 'torch'
local ffi = require 'ffi'
local files, program = require 'spec.support.files', require 'spec.support.program'

local function place(x) return { x:type(), x:device() } end
local values = { { 1, 2, 3 }, { 4, 5, 6 } }

-- A t7 file as Torch7 wrote it on a GPU: {x, x transposed} of one storage; tables, objects and numbers by its format.
local function int(n) return ffi.string(ffi.new('int32_t[1]', n), 4) end
local function long(n) return ffi.string(ffi.new('int64_t[1]', n), 8) end
local function number(x) return int(1) .. ffi.string(ffi.new('double[1]', x), 8) end
local function text(s) return int(#s) .. s end
local function object(index, name) return int(4) .. int(index) .. text 'V 1' .. text(name) end
local function tensor(index, sizes, strides, storage)
  local parts = { object(index, 'torch.CudaTensor'), int(#sizes) }
  for _, n in ipairs(sizes) do parts[#parts + 1] = long(n) end
  for _, n in ipairs(strides) do parts[#parts + 1] = long(n) end
  return table.concat(parts) .. long(1) .. storage
end
local storage = object(3, 'torch.CudaStorage') .. long(6) .. ffi.string(ffi.new('float[6]', 1, 2, 3, 4, 5, 6), 24)
local written = int(3) .. int(1) .. int(2)
  .. number(1) .. tensor(2, { 2, 3 }, { 3, 1 }, storage)
  .. number(2) .. tensor(4, { 3, 2 }, { 1, 3 }, int(4) .. int(3))

describe('a file of Torch7 with torch.CudaTensors', function()
  it('is read on the CPU where CUDA has not been asked for', function()
    local name = os.tmpname()
    files.write(name, written)
    local output = program.run({ '-e', ([[
      local t = torch.load %q
      print(t[1]:type(), t[2]:type(), t[1]:sum(), t[2][3][1])
      t[1]:fill(1)
      print(t[2]:sum(), #torch.devices())
    ]]):format(name) }, '', 'MOONTORCH_CUDA=' .. require('spec.support.gpu').wish)
    os.remove(name)
    assert.equal('torch.FloatTensor\ttorch.FloatTensor\t21\t3\t\n6\t2\t\n', output)
  end)

  it('is read on the device where CUDA is loaded, and written as it was', function()
    torch.cuda.load()
    local t = torch.deserialize(written)
    assert.same({ 'torch.CudaTensor', 'cuda:1' }, place(t[1]))
    assert.same({ values, { { 1, 4 }, { 2, 5 }, { 3, 6 } } }, { t[1]:totable(), t[2]:totable() })
    assert.equal(torch.pointer(t[1]:storage()), torch.pointer(t[2]:storage()))
    assert.equal(written, torch.serialize { t[1], t[2] })
  end)
end)

describe('x:cuda() and its kin', function()
  it('bring tensors of any type to the device, and back', function()
    local x = torch.DoubleTensor(values)
    local names = {
      cuda = '', cudaDouble = 'Double', cudaHalf = 'Half', cudaByte = 'Byte', cudaChar = 'Char', cudaShort = 'Short', cudaInt = 'Int',
      cudaLong = 'Long', cudaBFloat16 = 'BFloat16',
    }
    for method, name in pairs(names) do
      local y = x[method](x)
      assert.same({ 'torch.Cuda' .. name .. 'Tensor', 'cuda:1' }, place(y))
      assert.same(values, y:totable())
      assert.same({ 'torch.DoubleTensor', 'cpu' }, place(y:double()))
    end
    local y = x:cuda()
    assert.equal(y, y:cuda())
    assert.equal('torch.CudaLongTensor', y:cudaLong():type())
    assert.equal('torch.CudaBoolTensor', torch.BoolTensor(2):cudaBool():type())
    assert.error_matches(function() torch.Tensor.cuda(3) end, 'cuda: self: number')
  end)

  it('have the types of Torch7', function()
    local x = torch.CudaTensor(values)
    assert.equal('torch.CudaTensor', torch.type(x))
    assert.equal('torch.CudaStorage', torch.type(x:storage()))
    assert.equal('torch.CudaByteTensor', x:gt(2):type())
    assert.equal('torch.CudaTensor', x.new(2):type())
    assert.equal(x:type(), torch.FloatTensor(2):typeAs(x):type())
    assert.same({ 1, 0 }, { x:getDevice(), torch.CudaTensor():getDevice() })
    assert.is_nil(torch.FloatTensor(2).getDevice)
    assert.is_false(x:isManaged())
    assert.same({ 2, 4, 6 }, torch.add(x[1], x[1]):totable())
  end)
end)

describe('without CUDA', function()
  local function evaluate(code, environment)
    local output, status, errors = program.run({ '-e', code }, '', environment)
    return output, status, errors
  end

  it('nothing of it is loaded, and types are absent', function()
    local code = 'local t = require "torch"; print(#t.devices(), package.loaded["torch.cuda"], t.CudaTensor)'
    local output = evaluate(code, 'MOONTORCH_CUDA=off')
    assert.equal('2\tnil\tnil\t\n', output)
  end)

  it('what asks for it says what is missing', function()
    for _, code in ipairs { 'torch.zeros(2):cuda()', 'torch.zeros(2):to "cuda"', 'require "cutorch" torch.CudaTensor(2)',
                            'torch.zeros(2, "cuda:1")',
                            'torch.setDefaultDevice "cuda"', 'nn.Linear(2, 2):cuda()', 'torch.cuda.deviceCount(1)(2)' } do
      local _, status, errors = evaluate('require "nn" ' .. code, 'MOONTORCH_CUDA=off')
      assert.equal(1, status)
      if not code:find 'deviceCount' then assert.matches('MOONTORCH_CUDA=off in the environment says', errors) end
      _, _, errors = evaluate('require "nn" ' .. code, 'MOONTORCH_CUDA=/no/such/library.so')
      if not code:find 'deviceCount' then assert.matches('CUDA: /no/such/library.so is missing', errors) end
    end
    assert.equal('false\t0\t\n', evaluate('print((torch.cuda.isAvailable()), torch.cuda.deviceCount())', 'MOONTORCH_CUDA=off'))
  end)
end)
