--- Torch7's documentation package: descriptions of arguments, and help in the terminal.
-- Loading it sets the globals `dok` and `help`. `help 'torch.add'` reads the documentation from the sources at each call.
-- @module dok
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local dok = rawget(_G, 'dok') or {}
rawset(_G, 'dok', dok)
package.loaded.dok = dok

require 'torch.start.lazy_loader'(dok, [[
  dok.arguments: usage unpack error
  dok.colours: usecolors dontusecolors
  dok.pages: help browse refresh
  dok.markdown: markdown2html
]])

if rawget(_G, 'help') == nil then rawset(_G, 'help', function(...) return dok.help(...) end) end      -- th defines one

return dok
