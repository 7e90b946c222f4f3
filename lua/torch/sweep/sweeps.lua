--- The sweeps by name: torch's own, and those that packages above it register (`torch.extensions`, `sweeps`).
-- @module torch.sweep.sweeps
local further = require('torch.extensions').get 'sweeps'

local sweeps = { names = { 'forward', 'layout', 'result', 'dtype', 'traits', 'errors' } }

local isFurther = {}
for _, name in ipairs(further and further.names or {}) do
  isFurther[name] = true
  table.insert(sweeps.names, name)
end
table.insert(sweeps.names, 'memory')      -- the last one, because it takes the longest

--- Returns a sweep.
-- @string name one of `names`
-- @treturn function (op) -> the list of faults; op as described in `torch.sweep.op`
function sweeps.find(name) return isFurther[name] and further.find(name) or require('torch.sweep.' .. name) end

return sweeps
