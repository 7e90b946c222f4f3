--- Packed values: the NetCDF Users' Guide, "Attribute Conventions".
-- @module netcdf.packing
local packing = {}

-- Returns an attribute as a number; nil if it is none.
local function number(value)
  if type(value) == 'number' then return value end
  return type(value) == 'cdata' and tonumber(value) or nil
end

--- Returns values that a variable represents: multiplied, moved, and NaN where they are missing.
-- @tparam torch.Tensor x as in the file
-- @tparam table attributes by name
-- @treturn torch.Tensor x itself if there is nothing to do; doubles, or floats where x has them
function packing.unpack(x, attributes)
  local scale, offset = number(attributes.scale_factor), number(attributes.add_offset)
  local missing = {}
  for _, name in ipairs { '_FillValue', 'missing_value' } do
    local value = number(attributes[name])
    if value then missing[#missing + 1] = value end
  end
  if not scale and not offset and #missing == 0 then return x end
  local y = x:type(x:type() == 'torch.FloatTensor' and not scale and not offset and 'torch.FloatTensor' or 'torch.DoubleTensor'):clone()
  local masks = {}
  for i, value in ipairs(missing) do masks[i] = x:double():eq(value) end
  if scale then y:mul(scale) end
  if offset then y:add(offset) end
  for _, mask in ipairs(masks) do y:maskedFill(mask, 0 / 0) end
  return y
end

return packing
