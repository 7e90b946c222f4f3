--- Fields that packages add to single classes of tensors, which need not be made for that.
-- @module torch.tensor.fields
local class, tensors = require 'torch.class', require 'torch.tensor'

-- Name of the class -> its fields: read by torch.tensor.classes.
tensors.fields = {}

local fields = {}

--- Gives a class of tensors a field: now, or when the class is made.
-- @string typename such as 'torch.FloatTensor'
-- @string name of the field
-- @param value
function fields.add(typename, name, value)
  local record = rawget(class.byName, typename)
  if record then record.metatable[name] = value end
  tensors.fields[typename] = tensors.fields[typename] or {}
  tensors.fields[typename][name] = value
end

return fields
