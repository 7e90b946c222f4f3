--- Methods that convert all tensors of a module or criterion. Each calls its `type`, so they also work for classes that define another
-- `type`.
-- @module nn.support.conversions
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'

-- Returns the name of a type on a device.
local function joined(dtype, device)
  return dtype and device and ('%s on %s'):format(dtype, device) or dtype or device
end

--- Adds these methods to a class.
-- @tparam table class nn.Module or nn.Criterion
return function(class)
  --- Converts the tensors to float32, as `type` does.
  -- @tparam[opt] table ... cache argument of `type`
  -- @return self
  function class:float(...) return self:type('torch.FloatTensor', ...) end

  --- Converts the tensors to float64, as `type` does.
  -- @tparam[opt] table ... cache argument of `type`
  -- @return self
  function class:double(...) return self:type('torch.DoubleTensor', ...) end

  --- Converts the tensors to float16, as `type` does.
  -- @tparam[opt] table ... cache argument of `type`
  -- @return self
  function class:half(...) return self:type('torch.HalfTensor', ...) end

  --- Converts the tensors to bfloat16, as `type` does.
  -- @tparam[opt] table ... cache argument of `type`
  -- @return self
  function class:bfloat16(...) return self:type('torch.BFloat16Tensor', ...) end

  --- Converts the tensors, as `type` does: PyTorch's name for it.
  -- @tparam string|table|torch.Tensor typename 'float', 'torch.FloatTensor', torch.float32, ..., a device, or 'float on cpu'; a table
  -- { dtype =, device = }; or a tensor, whose type and device are meant
  -- @tparam[opt] string|table other the device after a type, or the type after a device; or the cache argument of `type`
  -- @tparam[opt] table ... cache argument of `type` after two names
  -- @return self
  function class:to(typename, other, ...)
    if typename == nil then error('to: typename: nothing, expected the name of a type', 2) end
    if type(typename) == 'table' and not torch.typename(typename) then
      check.options(torch.type(self) .. ': to', typename, { 'dtype', 'device' })
      local name = joined(typename.dtype, typename.device)
      check.that(name, torch.type(self) .. ': to: options: an empty table, expected dtype or device')
      return self:type(name, other, ...)
    end
    if torch.isTensor(typename) then return self:type(joined(typename:type(), typename:device()), other, ...) end
    if type(other) ~= 'string' then return self:type(typename, other, ...) end
    local isDevice = C.deviceNamed(typename) ~= nil
    return self:type(joined(isDevice and other or typename, isDevice and typename or other), ...)
  end

  --- Moves the tensors to the GPU, as in Torch7.
  -- @tparam[opt] table ... cache argument of `type`
  -- @raise if there is no GPU
  function class:cuda(...) return self:type('torch.CudaTensor', ...) end

  --- Moves the tensors to the GPU as float64, as in Torch7.
  -- @tparam[opt] table ... cache argument of `type`
  -- @raise if there is no GPU
  function class:cudaDouble(...) return self:type('torch.CudaDoubleTensor', ...) end

  --- Moves the tensors to the GPU as float16, as in Torch7.
  -- @tparam[opt] table ... cache argument of `type`
  -- @raise if there is no GPU
  function class:cudaHalf(...) return self:type('torch.CudaHalfTensor', ...) end
end
