--- The number of inputs per output of a module, and of outputs per input.
-- @module nninit.fans
local torch = require 'torch'

local matrices = { ['nn.Linear'] = true, ['nn.LinearNoBias'] = true, ['nn.LookupTable'] = true }

--- The fans of a module.
-- @tparam nn.Module module
-- @treturn number fan in
-- @treturn number fan out
-- @raise 'Unsupported module'
return function(module)
  local name = torch.type(module)
  if matrices[name] or name:find 'TemporalConvolution' then return module.weight:size(2), module.weight:size(1) end
  local window
  if name:find 'SpatialConvolution' or name:find 'SpatialFullConvolution' then
    window = module.kW * module.kH
  elseif name:find 'VolumetricConvolution' or name:find 'VolumetricFullConvolution' then
    window = module.kW * module.kH * module.kT
  else
    error('Unsupported module: ' .. name, 3)
  end
  return module.nInputPlane * window, module.nOutputPlane * window
end
