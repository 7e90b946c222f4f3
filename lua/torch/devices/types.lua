--- Names of types of tensors: torch.CudaTensor holds floats on a device of the kind 'cuda', torch.CudaDoubleTensor doubles.
-- @module torch.devices.types
local C = require 'libmoontorch'

local types, known = {}, {}      -- positions of dtypes that were looked up

--- Returns the position of a dtype.
-- @string dtype as in torch.<dtype>Tensor
-- @treturn ?int
function types.position(dtype)
  if known[dtype] then return known[dtype] end
  for i, info in ipairs(C.dtypes) do
    if info.torch == dtype then
      known[dtype] = i
      return i
    end
  end
end

--- Returns the prefix of a kind's type names.
-- @string kind
-- @treturn string
function types.prefix(kind) return (kind:gsub('^%l', string.upper)) end

--- Returns the name of a type, without 'torch.' and 'Tensor' or 'Storage'.
-- @tparam ?string kind nil for devices whose types have the plain names
-- @string dtype as in torch.<dtype>Tensor
-- @treturn string such as 'Cuda' or 'CudaDouble'
function types.name(kind, dtype)
  if not kind then return dtype end
  return types.prefix(kind) .. (dtype == 'Float' and '' or dtype)
end

--- Parses a name, whether or not there are such devices.
-- @string name such as 'CudaDouble', without 'torch.' and 'Tensor' or 'Storage'
-- @treturn ?int the position of its dtype
-- @treturn ?string its kind; nil for plain names
function types.parse(name)
  local i = types.position(name)
  if i then return i end
  if name ~= '' then return require('torch.devices.kinds').parse(name) end
end

return types
