--- Loads the packages whose classes occur in files (`torch.distribution`), except those that are not installed. C sessions call this
-- function before they read a file, because a C program does not require packages.
-- @module torch.file.class_packages
local distribution = require 'torch.distribution'

return function()
  for _, package in ipairs(distribution.classPackages) do pcall(require, package) end
end
