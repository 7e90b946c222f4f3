--- The require of th: besides modules it loads files relative to the file that asks, as Torch7 programs expect.
-- @module trepl.require
local plainRequire, modules = _G.require, require 'torch.modules'

local function isInstalled(name)
  return package.loaded[name] or package.preload[name] or package.searchpath(name, package.path) or package.searchpath(name, package.cpath)
end

--- Loads a module; a name that starts with a dot is a path from the requiring file, is tried with the endings
-- lua, th, net, json, csv and so, and is loaded anew each time. Any other name is looked up as usual first; of a package whose name a
-- program may have (`torch.modules`) the program's own file comes before ours.
-- @tparam string name
-- @return the module, or what the file holds
-- @raise what the usual require raises when nothing is found
local function require(name)
  -- Straight through where it will be found, so that an error inside keeps its traceback.
  if type(name) ~= 'string' or modules.isModule(package.loaded[name]) then return plainRequire(name) end
  if name:sub(1, 1) ~= '.' and not modules.givesWay(name) and isInstalled(name) then return plainRequire(name) end
  return modules.require 'trepl.neighbouring_files'(name, plainRequire)      -- a tail call: it counts levels from here
end

return require
