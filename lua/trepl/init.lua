--- Torch7's interactive environment: `repl = require 'trepl'; repl()` starts the loop from any LuaJIT.
-- Loading it replaces print and require, and defines the globals below; the loop itself is loaded when it starts.
-- @module trepl
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch.start.luajit'
require 'torch.start.lua52'.install()
local printing = require 'trepl.print'

local trepl = {}

--- A function that loads a module at the first call and calls its function.
local function later(module, name)
  return function(...) return require(module)[name](...) end
end

print_old = printing.plain
print_new = printing.print
print = printing.print
rawset(_G, 'require', require 'trepl.require')
setprintlevel = later('trepl.pretty', 'setDepth')
import = later('trepl.globals', 'import')
who = later('trepl.globals', 'who')
monitor_G = later('trepl.globals', 'monitor')
help = setmetatable({}, {
  __call = function(_, ...) return require 'dok'.help(...) end,
  __tostring = function() return "? name tells about a function, a class or a package; so does help 'name'" end,
})
browse = later('dok', 'browse')
_RESULTS = {}

--- Turns colours off for the rest of the session.
function noColors() require 'trepl.colors'.switch(false) end

local function missing(name, problem) return problem:find("module '" .. name .. "' not found", 1, true) end

-- Torch7 programs use these without requiring them. If torch is not installed, the others, which need it, are left out, too;
-- broken packages are reported.
for _, name in ipairs { 'torch', 'paths', 'sys', 'xlua' } do
  local ok, value = pcall(require, name)
  if not ok then
    package.loaded[name] = nil      -- LuaJIT leaves a marker that would hide the cause the next time
    value = tostring(value)
    if not missing(name, value) and not missing('libmoontorch', value) then error(value, 0) end
    break
  end
  rawset(_G, name, value)
end

require 'trepl.penlight'

--- The loop, as a function and as a global.
function repl() return require 'trepl.loop'() end

-- The initial globals, for `who`.
local start = { _preloaded_ = true, _RESULTS = true, _LAST = true }
for name in next, _G do start[name] = true end
rawset(_G, '_preloaded_', start)

return setmetatable(trepl, { __call = function() return repl() end })
