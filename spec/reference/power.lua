-- Powers of numbers, by the C library.
local lift = require('spec.reference.elementwise').lift

return { pow = lift(function(x, y) return x ^ y end, { float = true }) }
