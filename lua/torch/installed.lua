--- Whether a module is there for `require`: it is loaded, or there is a file for it. Packages of other rocks may be missing.
-- @module torch.installed
local package = package

--- Whether a module is loaded or can be.
-- @string name
-- @return a true value, or nil
return function(name)
  return package.loaded[name] or package.preload[name] or package.searchpath(name, package.path) or package.searchpath(name, package.cpath)
end
