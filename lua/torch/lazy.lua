--- Lazy ops: ops return at once, and their results are computed together when the program needs them, with fused loops.
-- @module torch.lazy
local C = require 'libmoontorch'
local check, modules = require 'torch.check', require 'torch.modules'
local regions = require 'torch.start.regions'

local function switch(on) return C.lazyMode(on, modules.folder) end

local lazy = {}

--- Calls f with lazy ops, and returns its results.
-- In f, an op on tensors of the CPU returns a tensor that has its sizes and dtype at once, and its elements later. The program does not see
-- the difference: whatever reads elements (a number, printing, a file, sizes that depend on elements, another thread) first computes all
-- pending results that the program still holds, and so does the end of f. They are computed as one graph, in which elementwise ops that
-- follow each other run as one loop; results have the bits of ops that run at once. A sequence of ops that recurs, as in the steps of a
-- training, is recognised and not optimised again.
--
-- Views of computed tensors, writes to computed tensors (after what was pending on them), random numbers and ops on other devices run at
-- once. Errors in the arguments of an op are raised at once; an error that depends on elements, such as that of a singular matrix, is
-- raised when the result is computed, and names the line that called the op. Elements that the program writes through a pointer that it
-- had before f began must not be read by pending ops.
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
-- @usage
-- local loss = torch.lazy(function()
--   local y = torch.tanh(torch.add(torch.cmul(x, w), b))
--   return torch.cmul(y, y):mean()
-- end)
function lazy.lazy(f, ...)
  check.callable('lazy', 'f', f)
  return regions.call(switch, true, f, ...)
end

--- Sets whether ops are lazy from now on, in this Lua state. Turning it off computes what is pending.
-- @bool on
-- @see torch.lazy
function lazy.setLazy(on)
  if type(on) ~= 'boolean' then check.raise(('setLazy: on: %s, expected true or false'):format(tostring(on))) end
  switch(on)
end

--- Returns whether ops are lazy. Inside a capture they are not.
-- @treturn bool
function lazy.isLazy() return C.lazyMode() end

return lazy
