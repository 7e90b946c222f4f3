--- Reads the comments of all files of a package without loading them.
-- @module trepl.said
local fileOf = require 'torch.modules'.file
local paths = require 'paths'

local byte, find, match, sub = string.byte, string.find, string.match, string.sub

local function luaFiles(folder, list)
  for file in paths.iterfiles(folder) do
    if file:find '%.lua$' then list[#list + 1] = folder .. '/' .. file end
  end
  for name in paths.iterdirs(folder) do luaFiles(folder .. '/' .. name, list) end
  return list
end

-- The name that a comment documents, from its tags or from the line below it.
local function nameOf(block, line, module)
  local said = find(block, '@function', 1, true) and match(block, '%-%- @function ([%w_.:]+)')
  local defined = match(line, 'function ([%w_.:]+)%(') or match(line, '^([%w_.]+) =') or find(line, '^return function') and module
  return said or defined or match(line, "'([%w_]+)'") or ''
end

-- The beginning of the line with three dashes at a position; nil if other text precedes them.
local function lineStart(text, at)
  local c
  repeat
    at = at - 1
    c = byte(text, at)
  until c ~= 32 and c ~= 9
  return c == 10 and at + 1 or nil
end

-- Adds the comments of a file, under all names that they can be looked up by; the first comment of a name wins.
local function read(file, said)
  local stream = io.open(file)
  local text = '\n' .. (stream and stream:read '*a' or '') .. '\n'
  if stream then stream:close() end
  local class, module, at = nil, nil, 1
  local function keep(name, block) said[name] = said[name] or block end
  while true do
    local dashes = find(text, '---', at, true)
    if not dashes then return end
    local first = lineStart(text, dashes)
    at = dashes + 3
    if first then
      local behind = first
      repeat
        local _, last = find(text, '^[ \t]*%-%-[^\n]*\n', behind)
        behind = last and last + 1 or behind
      until not last
      local block, line = sub(text, first, behind - 1), match(text, '^[^\n]*', behind)
      local isWhole = find(block, 'mod', 1, true)
      local ofClass, ofModule = isWhole and match(block, '@classmod (%S+)'), isWhole and match(block, '@module (%S+)')
      local name = nameOf(block, line, module)
      local short = match(name, '[%w_]*$')
      class, module = ofClass or class, ofModule or module
      if ofClass or ofModule then keep(ofClass or ofModule, block) end
      keep(name, block)
      if class then keep(class .. ':' .. short, block) end
      if module then keep(module .. '.' .. short, block) end
      keep(short, block)
      at = behind
    end
  end
end

--- The comments of a package.
-- @string package_ its name
-- @treturn {[string]=string} comments as in the files (`comments.plain` removes the dashes), by names: full ones of classes
-- and modules; 'nn.Linear:noBias', 'Mutex:lock', 'noBias'
return function(package_)
  local said, first = {}, fileOf(package_)
  if not first then return said end
  local files = first and first:find 'init%.lua$' and luaFiles(paths.dirname(first), {}) or { first }
  table.sort(files)
  for _, file in ipairs(files) do read(file, said) end
  return said
end
