--- The require of th: besides modules it loads files relative to the requiring file, as Torch7 programs expect.
-- @module trepl.require
local plainRequire, modules = _G.require, require 'torch.modules'

local function isInstalled(name)
  return package.loaded[name] or package.preload[name] or package.searchpath(name, package.path) or package.searchpath(name, package.cpath)
end

--- Loads a module. A name that starts with a dot is a path from the requiring file, is tried with the endings
-- lua, th, net, json, csv and so, and is loaded again each time. Any other name is looked up as usual first; if a program may use the
-- name of a package (`torch.modules`), the program's file comes before Moontorch's.
-- @tparam string name
-- @return the module, or the contents of the file
-- @raise the error of the usual require if nothing is found
local function require(name)
  -- A direct call if the module will be found, so that an error inside keeps its traceback.
  if type(name) ~= 'string' or modules.isModule(package.loaded[name]) then return plainRequire(name) end
  if name:sub(1, 1) ~= '.' and not modules.givesWay(name) and isInstalled(name) then return plainRequire(name) end
  return modules.require 'trepl.neighbouring_files'(name, plainRequire)      -- a tail call: the callee counts stack levels from here
end

return require
