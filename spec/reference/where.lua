-- A choice between numbers.
local lift = require('torch.sweep.elementwise').lift

return { where = lift(function(mask, x, y) return mask ~= 0 and x or y end, { choice = true }) }
