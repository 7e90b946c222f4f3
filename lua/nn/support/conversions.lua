--- Methods that convert all tensors of a module or criterion. Each calls its `type`, so they also work for classes that define another
-- `type`.
-- @module nn.support.conversions

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
  -- @tparam string typename 'float', 'torch.FloatTensor', torch.float32, ..., a device, or 'float on cpu'
  -- @return self
  function class:to(typename, ...)
    if typename == nil then error('to: typename: nothing, expected the name of a type', 2) end
    return self:type(typename, ...)
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
