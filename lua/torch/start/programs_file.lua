--- A program's own file for a module whose name a package of Moontorch's has, too.
-- @module torch.start.programs_file
local modules = require 'torch.modules'

-- Whether a file is there and a program's own: neither Moontorch's file of this name, nor the script that runs or the file that asks, as
-- what is called plot.lua and requires plot means the package.
local function isPrograms(path, own, asking)
  if not modules.read(path) then return false end
  local same, script = modules.realpath(path), rawget(_G, 'arg') and arg[0]
  for _, other in pairs { own = own, script = script, asking = asking } do
    if type(other) == 'string' and same == modules.realpath(other) then return false end
  end
  return true
end

--- As of modules.programsFile.
-- @string name
-- @tparam ?string own Moontorch's file of this name
-- @tparam ?string asking
-- @tparam ?{string,...} folders
return function(name, own, asking, folders)
  local first = ''
  for _, place in ipairs(folders or {}) do first = first .. place .. '?.lua;' .. place .. '?/init.lua;' end
  local file = name:gsub('%.', '/'):gsub('%%', '%%%%')
  for _, kind in ipairs { 'path', 'cpath' } do
    for entry in ((kind == 'path' and first or '') .. package[kind]):gmatch '[^;]+' do
      local path = entry:gsub('%?', file)
      if isPrograms(path, own, asking) then return path, kind end
    end
  end
end
