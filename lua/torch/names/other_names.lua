--- Second names of functions in PyTorch and NumPy: torch.absolute is torch.abs. As methods they return new tensors, as in PyTorch, also
-- where Torch7's method changes its tensor: x:absolute() leaves x as it is, x:abs() and x:absolute_() change it.
-- @module torch.names.other_names
local C, torch = require 'libmoontorch', require 'torch'
local synonyms = require 'torch.names.synonyms'

-- The function of torch or method that a second name means.
local function meant(t, name)
  if t == torch and synonyms.functions[name] then return torch[synonyms.functions[name]] end
  local own = synonyms.ops[name]
  local isFunction = own and (t == torch or C.opInfo(own, 'method') ~= 'returns')
  if isFunction then return torch[own] end
  return require('torch.tensor').methods[own or synonyms.methods[name]]
end

--- Adds functions to torch, or methods to those of tensors.
-- @tparam table t torch or the methods
-- @string names
return function(t, names)
  for name in names:gmatch '%S+' do
    if rawget(t, name) == nil then rawset(t, name, meant(t, name)) end
  end
end
