--- A method of modules with an optional bias: removes it.
-- @module nn.support.no_bias

--- @tparam nn.Module module
-- @treturn nn.Module the module
return function(module)
  module.bias, module.gradBias = nil, nil
  return module
end
