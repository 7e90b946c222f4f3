--- Functions for interactive sessions: listing and clearing globals, searching packages, logging output, catching errors.
-- @module xlua.session
local paths = require 'paths'
local check = require 'torch.check'
local keep = require 'torch.file.append_text'
local globals = require 'xlua.globals'

local session = {}

--- Removes the globals that did not exist when xlua was loaded, unloads the packages among them, and collects garbage.
function session.clearall()
  for name, value in pairs(_G) do
    if not globals.atStart[name] then
      rawset(_G, name, nil)
      if package.loaded[name] == value then package.loaded[name] = nil end
    end
  end
  collectgarbage()
end

--- Sets one global to nil and collects garbage.
function session.clear(name)
  rawset(_G, check.text('xlua.clear', 'name', name), nil)
  collectgarbage()
end

--- Prints the globals that are loaded packages, and those of the user.
function session.who()
  local libraries, user = {}, {}
  for name, value in pairs(_G) do
    if package.loaded[name] == value and value ~= nil then
      table.insert(libraries, name)
    elseif not globals.atStart[name] then
      table.insert(user, ('%s = %s'):format(tostring(name), tostring(value)))
    end
  end
  table.sort(libraries)
  table.sort(user)
  io.write('Libraries:\n', table.concat(libraries, ', '), '\n\nGlobals:\n', table.concat(user, '\n'), '\n')
end

--- Calls try; if that raises an error, calls catch with it.
function session.trycatch(try, catch)
  check.that(type(catch) == 'function', 'xlua.trycatch: catch: expected a function')
  local good, err = pcall(try)
  if not good then catch(err) end
end

--- Whether require would find a package, and its path.
-- @treturn bool
-- @treturn ?string
function session.installed(name)
  local file = check.text('xlua.installed', 'name', name):gsub('%.', '/')
  for pattern in (package.path .. ';' .. package.cpath):gmatch('[^;]+') do
    local path = pattern:gsub('%?', file)
    if paths.filep(path) then return true, path end
  end
  return false
end

--- From now on copies all output of io.write and print to a file.
-- @string name path of the file; its folder is created
-- @bool[opt] append keeps the file's contents
-- @raise if the file can't be opened. Later io.write and print raise an error if they can't write to it
function session.log(name, append)
  local folder = paths.dirname(check.name('xlua.log', 'name', name))
  local made, why = paths.dirp(folder), nil
  if not made then
    made, why = paths.mkdir(folder)
  end
  check.that(made, 'xlua.log: ' .. tostring(why))
  local file, message = io.open(name, append and 'a' or 'w')
  check.that(file, 'xlua.log: ' .. tostring(message))
  local write = io.write
  rawset(io, 'write', function(...)
    keep('xlua.log', name, file, ...)
    return write(...)
  end)
  rawset(_G, 'print', globals.print)
end

return session
