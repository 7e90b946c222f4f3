--- Help in the terminal.
-- @module dok
local torch, check = require 'torch', require 'torch.check'
local paths, colours = require 'paths', require 'dok.colours'

local pages = {}

-- The name of a value: 'torch.add' for the function torch.add, 'nn.Linear' for an instance or the class.
local function nameOf(value)
  if type(value) == 'string' then return value end
  if torch.typename(value) then return torch.typename(value) end
  for package_, fields in pairs(package.loaded) do
    if fields == value then return package_ end
  end
  for package_, fields in pairs(package.loaded) do
    for name, field in next, type(fields) == 'table' and not package_:find '%.' and fields or {} do      -- fields loaded so far
      if rawequal(field, value) and type(name) == 'string' then return package_ .. '.' .. name end
    end
  end
end

--- Prints the documentation of a function, a class or a package.
-- @function dok.help
-- @param symbol its name, as 'torch.add', or itself; by default a list of all topics
-- @bool[opt=false] asstring returns the text instead of printing it
-- @treturn ?string
function pages.help(symbol, asstring)
  local text
  if symbol == nil then
    text = "help 'torch.add' tells about a function, help(nn.Linear) about a class, help 'xlua' about a package."
  else
    local name = nameOf(symbol)
    text = name and require 'trepl.help'.of(name) or ('no documentation of %s'):format(name or torch.type(symbol))
  end
  text = colours.plain(text)
  if asstring then return text end
  print(text)
end

-- The page of a package, if its source files exist.
local function pageOf(name)
  local home = debug.getinfo(1, 'S').source:match '^@(.*)lua/dok/pages%.lua$'
  for _, place in ipairs(home and { 'docs/packages/%s.md', 'docs/%s.md' } or {}) do
    local path = paths.concat(home, (place:format(name)))
    if paths.filep(path) then return path end
  end
end

--- Shows the page of a package on the screen, or prints it if there is no screen. Without a page it prints the text of `help`.
-- @function dok.browse
-- @string[opt='torch'] package its name
function pages.browse(package)
  package = check.name('dok.browse', 'package', package or 'torch')
  local page = package:find '^[%w_-]+$' and pageOf(package)
  if not page then return pages.help(package) end
  local viewer = (os.getenv 'DISPLAY' or os.getenv 'WAYLAND_DISPLAY') and paths.findprogram('xdg-open', 'open')
  if viewer then return os.execute(("%s %s >/dev/null 2>&1 &"):format(viewer, require 'torch.shell_word'(page))) and nil end
  local file = io.open(page)
  print(file:read '*a')
  file:close()
end

--- Does nothing: documentation is read at each call.
-- @function dok.refresh
function pages.refresh() end

return pages
