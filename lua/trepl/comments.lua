--- The comments in source files: above a function, above the line that names it, and at the beginning of a file.
-- @module trepl.comments
local comments = {}

local function readLines(name)
  local file = io.open(name)
  if not file then return nil end
  local lines = {}
  for line in file:lines() do lines[#lines + 1] = line end
  file:close()
  return lines
end

-- A cache of the lines of recent files: a search through a package reads the same files repeatedly.
local kept = setmetatable({}, { __mode = 'v' })

--- The lines of a file.
-- @string name
-- @treturn ?{string,...} nil if the file doesn't exist
function comments.linesOf(name)
  kept[name] = kept[name] or readLines(name)
  return kept[name]
end

--- The comment that ends above a line, without its dashes.
-- @tparam {string,...} lines
-- @int at the line's number
-- @treturn ?string
function comments.above(lines, at)
  local first = at
  while first > 1 and lines[first - 1]:find '^%s*%-%-' do first = first - 1 end
  local text = {}
  for i = first, at - 1 do text[#text + 1] = lines[i]:gsub('^%s*%-%-+ ?', '') end
  return #text > 0 and table.concat(text, '\n') or nil
end

--- The text of a comment, without its dashes.
-- @string block the comment's lines in a file
-- @treturn string
function comments.plain(block) return (block:gsub('[ \t]*%-%-+ ?([^\n]*)\n', '%1\n'):gsub('\n$', '')) end

--- The comment above the line that names a function's result: `elementwise('mseLoss', function ...`,
-- `util.lt = comparison(...`.
-- @tparam {string,...} lines
-- @string name
-- @treturn ?string
function comments.ofName(lines, name)
  for i, line in ipairs(lines) do
    local names = line:find("'" .. name .. "'", 1, true) or line:match '^[%w_]+%.([%w_]+) =' == name
    if names and not line:find '^%s*%-%-' then
      local text = comments.above(lines, i)
      if text then return text end
    end
  end
end

--- The comment with a tag for a name: `-- @function loadPNG`, above code that creates several functions.
-- @tparam {string,...} lines
-- @string name
-- @treturn ?string
function comments.saidOf(lines, name)
  for i, line in ipairs(lines) do
    local known = line:match '^%s*%-%-+%s*@function%s+(%S+)%s*$'
    if known and known:match '[^.:]*$' == name then
      while lines[i] and lines[i]:find '^%s*%-%-' do i = i + 1 end
      return comments.above(lines, i)
    end
  end
end

--- The source of a Lua function.
-- @tparam function f
-- @treturn ?string its file; nil for native functions and typed ones
-- @treturn ?int the line
-- @treturn ?{string,...} the file's lines
function comments.sourceOf(f)
  local info = debug.getinfo(f, 'S')
  local lines = info.source:sub(1, 1) == '@' and comments.linesOf(info.source:sub(2))
  if lines and lines[info.linedefined] then return info.source:sub(2), info.linedefined, lines end
end

--- The last line of the comment at the beginning of a file.
-- @tparam {string,...} lines
-- @treturn int 0 if there is none
function comments.openingEnd(lines)
  local last = 0
  while lines[last + 1] and lines[last + 1]:find '^%-%-' do last = last + 1 end
  return last
end

--- The comment at the beginning of a file.
-- @string name of the file
-- @treturn ?string
function comments.opening(name)
  local lines = name and comments.linesOf(name)
  local last = lines and comments.openingEnd(lines) or 0
  return last > 0 and (comments.above(lines, last + 1) .. '\n'):gsub('@%a*mod%a* [^\n]*\n', '') or nil
end

return comments
