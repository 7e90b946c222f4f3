-- Comparisons, tests and choices on numbers.
local lift = require('spec.reference.elementwise').lift

local reference = {}

reference.lt = lift(function(x, y) return x < y end, { mask = true })
reference.le = lift(function(x, y) return x <= y end, { mask = true })
reference.gt = lift(function(x, y) return x > y end, { mask = true })
reference.ge = lift(function(x, y) return x >= y end, { mask = true })
reference.eq = lift(function(x, y) return x == y end, { mask = true })
reference.ne = lift(function(x, y) return x ~= y end, { mask = true })
reference.isnan = lift(function(x) return x ~= x end, { mask = true })
reference.isfinite = lift(function(x) return x == x and math.abs(x) < math.huge end, { mask = true })
reference.where = lift(function(mask, x, y) return mask ~= 0 and x or y end, { choice = true })

return reference
