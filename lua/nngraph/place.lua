--- The line of a program that created a node.
-- @module nngraph.place
local guard = require 'torch.check.guard'

--- @treturn string such as '[train.lua]:12_build'
return function()
  for level = 2, math.huge do
    local info = debug.getinfo(level, 'Sl')
    if not info then return '[?]:0_' end
    if info.what ~= 'C' and not guard.isOurSource(info.source) then
      return ('[%s]:%d_%s'):format(info.short_src, info.currentline, debug.getinfo(level, 'n').name or '')
    end
  end
end
