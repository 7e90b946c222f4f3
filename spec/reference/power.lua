-- Powers of numbers, by the C library.
local lift = require('torch.sweep.elementwise').lift

return { pow = lift(function(x, y) return x ^ y end, { float = true }) }
