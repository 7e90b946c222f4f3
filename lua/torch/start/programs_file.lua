--- Finds a program's file for a module with the same name as a module of Moontorch.
-- @module torch.start.programs_file
local modules = require 'torch.modules'

-- Returns whether a file exists and belongs to the program. It must not be Moontorch's file of this name, and not the running script or the
-- requiring file: a script plot.lua that requires plot means the package.
local function isPrograms(path, own, asking)
  if not modules.read(path) then return false end
  local same, script = modules.realpath(path), rawget(_G, 'arg') and arg[0]
  for _, other in pairs { own = own, script = script, asking = asking } do
    if type(other) == 'string' and same == modules.realpath(other) then return false end
  end
  return true
end

--- Like modules.programsFile.
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
