--- The require of th: besides modules it loads files relative to the file that asks, as Torch7 programs expect.
-- @module trepl.require
local plainRequire, installed = require, require 'torch.installed'

--- Loads a module; a name that starts with a dot is a path from the requiring file, is tried with the endings
-- lua, th, net, json, csv and so, and is loaded anew each time. Any other name is looked up as usual first.
-- @tparam string name
-- @return the module, or what the file holds
-- @raise what the usual require raises when nothing is found
local function require(name)
  -- Straight through where it will be found, so that an error inside keeps its traceback.
  if type(name) ~= 'string' or name:sub(1, 1) ~= '.' and installed(name) then return plainRequire(name) end
  return plainRequire 'trepl.beside'(name, plainRequire)      -- a tail call: it counts levels from here
end

return require
