--- Methods of axes that add a second scale.
-- @module plot.twins
local twins = {}

local function twin(self, shared)
  local made = require 'plot.axes'()
  made[shared] = self[shared]
  made.figure, made.twinOf = self.figure, self
  self.twins = self.twins or {}
  self.twins[#self.twins + 1] = { axes = made, shares = shared }
  return made
end

--- Adds axes over these with the same x; their y axis is on the right.
-- @treturn plot.Axes the new axes
-- @usage axes:plot(days, rain); axes:twinx():plot(days, warmth, 'C3'):ylabel 'degrees'
function twins:twinx() return twin(self, 'x') end

--- Adds axes over these with the same y; their x axis is at the top.
-- @treturn plot.Axes the new axes
function twins:twiny() return twin(self, 'y') end

return twins
