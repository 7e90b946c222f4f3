--- Fields that packages add to single classes of tensors, without creating these classes.
-- @module torch.tensor.fields
local class, tensors = require 'torch.class', require 'torch.tensor'

-- Name of the class -> its fields: used by torch.tensor.classes.
tensors.fields = {}

local fields = {}

--- Adds a field to a class of tensors: now, or when the class is created.
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
