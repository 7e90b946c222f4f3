--- Torch7's interactive environment: `repl = require 'trepl'; repl()` starts the loop from any LuaJIT.
-- Loading it replaces print and require, and defines the globals below; the loop itself is loaded when it starts.
-- @module trepl
local pretty = require 'trepl.pretty'

local trepl = {}

--- Calls a function of a module that is loaded at the first call.
local function later(module, name)
  return function(...) return require(module)[name](...) end
end

print_old = print
print_new = pretty.print
print = pretty.print
require = require 'trepl.require'
setprintlevel = pretty.setDepth
import = later('trepl.globals', 'import')
who = later('trepl.globals', 'who')
monitor_G = later('trepl.globals', 'monitor')
_RESULTS = {}

--- Turns colours off for the rest of the session.
function noColors() require 'trepl.colors'.switch(false) end

local function missing(name, problem) return problem:find("module '" .. name .. "' not found", 1, true) end

-- Torch7 programs use these without requiring them. What is not installed stays away; what is broken says so.
for _, name in ipairs { 'torch', 'paths', 'sys', 'xlua' } do
  local ok, value = pcall(require, name)
  if ok then
    rawset(_G, name, value)
  elseif not missing(name, tostring(value)) and not missing('libmoontorch', tostring(value)) then
    error(value, 0)
  end
end

--- The loop, as a function and as a global.
function repl() return require 'trepl.loop'() end

require 'trepl.globals'.remember()

return setmetatable(trepl, { __call = function() return repl() end })
