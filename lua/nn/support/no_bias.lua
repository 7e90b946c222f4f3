--- A method of modules with a bias that they can do without: takes it away.
-- @module nn.support.no_bias

--- @tparam nn.Module module
-- @treturn nn.Module the module
return function(module)
  module.bias, module.gradBias = nil, nil
  return module
end
