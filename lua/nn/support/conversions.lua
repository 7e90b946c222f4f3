--- Methods that convert all tensors of a module or criterion, each by its `type`, so that classes with a `type` of their own follow.
-- @module nn.support.conversions

--- Gives a class these methods.
-- @tparam table class nn.Module or nn.Criterion
return function(class)
  --- Converts the tensors to float32, as `type` does.
  -- @tparam[opt] table ... cache, as `type` takes it
  -- @return self
  function class:float(...) return self:type('torch.FloatTensor', ...) end

  --- Converts the tensors to float64, as `type` does.
  -- @tparam[opt] table ... cache, as `type` takes it
  -- @return self
  function class:double(...) return self:type('torch.DoubleTensor', ...) end

  --- Converts the tensors to float16, as `type` does.
  -- @tparam[opt] table ... cache, as `type` takes it
  -- @return self
  function class:half(...) return self:type('torch.HalfTensor', ...) end

  --- Converts the tensors to bfloat16, as `type` does.
  -- @tparam[opt] table ... cache, as `type` takes it
  -- @return self
  function class:bfloat16(...) return self:type('torch.BFloat16Tensor', ...) end

  --- Converts the tensors, as `type` does: PyTorch's name for it.
  -- @tparam string typename 'float', 'torch.FloatTensor', torch.float32, ..., a device, or 'float on cpu'
  -- @return self
  function class:to(typename, ...)
    if typename == nil then error('to: typename: nothing came, the name of a type was expected', 2) end
    return self:type(typename, ...)
  end

  --- Torch7's way to a GPU.
  -- @tparam[opt] table ... cache, as `type` takes it
  -- @raise here, where there is none
  function class:cuda(...) return self:type('torch.CudaTensor', ...) end

  --- Torch7's way to a GPU, in float64.
  -- @tparam[opt] table ... cache, as `type` takes it
  -- @raise here, where there is none
  function class:cudaDouble(...) return self:type('torch.CudaDoubleTensor', ...) end

  --- Torch7's way to a GPU, in float16.
  -- @tparam[opt] table ... cache, as `type` takes it
  -- @raise here, where there is none
  function class:cudaHalf(...) return self:type('torch.CudaHalfTensor', ...) end
end
