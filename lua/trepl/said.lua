--- Reads the comments of all files of a package, without loading any.
-- @module trepl.said
local comments = require 'trepl.comments'
local fileOf = require 'torch.modules'.file
local paths = require 'paths'

local function luaFiles(folder, list)
  for file in paths.iterfiles(folder) do
    if file:find '%.lua$' then list[#list + 1] = folder .. '/' .. file end
  end
  for name in paths.iterdirs(folder) do luaFiles(folder .. '/' .. name, list) end
  return list
end

-- The name that a comment is of: by its tags, or by the line below it.
local function nameOf(text, line, module)
  local said = text:match '\n@function ([%w_.:]+)'
  local defined = line:match 'function ([%w_.:]+)%(' or line:match '^([%w_.]+) =' or line:find '^return function' and module
  return said or defined or line:match "'([%w_]+)'" or ''
end

-- Takes up the comments of a file, by all names that they may be asked for by; the first of a name stays.
local function read(file, said)
  local lines, class, module, at = comments.linesOf(file), nil, nil, 1
  local function keep(name, text) said[name] = said[name] or text end
  while at <= #lines do
    if lines[at]:find '^%s*%-%-%-' then
      local last = at
      while lines[last + 1] and lines[last + 1]:find '^%s*%-%-' do last = last + 1 end
      local text = comments.above(lines, last + 1) or ''
      local whole = text:match '@classmod (%S+)' or text:match '@module (%S+)'
      local name = nameOf('\n' .. text, lines[last + 1] or '', module)
      local short = name:match '[%w_]*$'
      class, module = text:match '@classmod (%S+)' or class, text:match '@module (%S+)' or module
      if whole then keep(whole, text) end
      keep(name, text)
      if class then keep(class .. ':' .. short, text) end
      if module then keep(module .. '.' .. short, text) end
      keep(short, text)
      at = last
    end
    at = at + 1
  end
end

--- What the comments of a package say.
-- @string package_ its name
-- @treturn {[string]=string} texts by names: whole ones of classes and modules; 'nn.Linear:noBias', 'Mutex:lock', 'noBias'
return function(package_)
  local said, first = {}, fileOf(package_)
  if not first then return said end
  local files = first and first:find 'init%.lua$' and luaFiles(paths.dirname(first), {}) or { first }
  table.sort(files)
  for _, file in ipairs(files) do read(file, said) end
  return said
end
