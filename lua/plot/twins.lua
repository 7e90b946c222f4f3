--- Methods of axes that put a second scale beside the first.
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

--- Other axes over these with the same x, whose y has its marks and words on the right.
-- @treturn plot.Axes the other ones
-- @usage axes:plot(days, rain); axes:twinx():plot(days, warmth, 'C3'):ylabel 'degrees'
function twins:twinx() return twin(self, 'x') end

--- Other axes over these with the same y, whose x has its marks and words above.
-- @treturn plot.Axes the other ones
function twins:twiny() return twin(self, 'y') end

return twins
