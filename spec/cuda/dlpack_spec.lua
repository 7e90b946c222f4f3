-- DLPack on GPUs: structures name the device, memory is shared, and what can't be shared is copied there.
local ffi = require 'ffi'
local torch = require 'torch'

torch.loadDevice(require('spec.support.gpu').path)
local device = 'cuda:1'
local function address(pointer) return tonumber(ffi.cast('intptr_t', pointer)) end

describe('DLPack on a GPU', function()
  it('names the device and shares its memory', function()
    for _, versioned in ipairs { true, false } do
      local x = torch.range(1, 6):reshape(2, 3):float():to(device)
      local capsule = x:t():dlpack { versioned = versioned }
      local array = capsule:pointer().dl_tensor
      assert.same({ 2, 0, 2, 3, 1 }, { array.device.device_type, array.device.device_id, array.ndim, tonumber(array.shape[0]),
        tonumber(array.strides[0]) })
      local y = torch.fromDLPack(capsule)
      assert.equal(device, y:device())
      assert.equal(x:type(), y:type())
      y:mul(2)
      assert.same({ { 2, 4, 6 }, { 8, 10, 12 } }, x:to 'cpu':totable())
      x:zero()
      assert.equal(0, y:sum())
      y = nil
      collectgarbage()
      collectgarbage()
      assert.is_nil(y)
    end
  end)

  it('copies there what can not be shared', function()
    local x = torch.range(1, 4):to(device)
    local y = torch.fromDLPack(x:dlpack { readOnly = true })
    assert.equal(device, y:device())
    y:zero()
    assert.same({ 1, 2, 3, 4 }, x:to 'cpu':totable())
    y = torch.fromDLPack(x:dlpack(), { copy = true })
    x:zero()
    assert.same({ 1, 2, 3, 4 }, y:to 'cpu':totable())
    local managed = x:dlpack():release()
    managed.dl_tensor.strides[0] = -1
    managed.dl_tensor.data = ffi.cast('char *', managed.dl_tensor.data) + 24
    local good, message = pcall(torch.fromDLPack, managed)
    assert.is_false(good)
    assert.is_truthy(message:find('torch.fromDLPack: copy: it has a negative stride, and it is on cuda:1', 1, true), message)
    managed.deleter(managed)
  end)

  it('refuses devices that are not there', function()
    local x = torch.zeros(2):to(device)
    local managed = x:dlpack():release()
    local here = address(managed.dl_tensor.data)
    managed.dl_tensor.device.device_id = 77
    local good, message = pcall(torch.fromDLPack, managed)
    assert.is_false(good)
    assert.is_truthy(message:find('torch.fromDLPack: device: CUDA device 77, expected one of ', 1, true), message)
    managed.dl_tensor.device.device_id = 0
    assert.equal(here, address(managed.dl_tensor.data))
    assert.equal(0, torch.fromDLPack(managed):sum())
  end)
end)
