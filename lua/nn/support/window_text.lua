--- The text form of modules with windows: their kernel's size, and the stride if it differs.
-- @module nn.support.window_text

--- @tparam nn.Module self with `kernelSize`, and possibly `stride`
-- @treturn string
return function(self)
  local kernel, stride = table.concat(self.kernelSize, ', '), self.stride and table.concat(self.stride, ', ')
  if not stride or stride == kernel then return ('({%s})'):format(kernel) end
  return ('({%s}, {%s})'):format(kernel, stride)
end
