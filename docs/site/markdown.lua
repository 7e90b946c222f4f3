-- Converts documentation to MyST Markdown: texts of comments, and entries (trepl.help) as objects of a Sphinx domain.
local markdown = {}

-- Converts text without backticks: escapes Markdown's special characters, and links names that have an entry.
local function plain(text, known)
  local function escaped(part) return (part:gsub('[\\*_<>%[%]#|~&{}$]', '\\%0')) end
  local parts, at = {}, 1
  for first, name, last in text:gmatch '()%f[%w_](%l[%w_]*[.:][%w_.:]*[%w_])()' do
    if known[name] then
      parts[#parts + 1] = escaped(text:sub(at, first - 1)) .. markdown.name(name, known)
      at = last
    end
  end
  parts[#parts + 1] = escaped(text:sub(at))
  return table.concat(parts)
end

--- Inline code, as a link if it is the name of an entry.
function markdown.name(code, known)
  local name = code:match '^[%w_.:]+%f[%(%z]' or code
  return known[name] and ('{lua}`%s <%s>`'):format(code:gsub('[<>]', '\\%0'), name) or ('`%s`'):format(code)
end

local function inline(text, known)
  local parts, at = {}, 1
  for first, code, last in text:gmatch '()`([^`]+)`()' do
    parts[#parts + 1] = plain(text:sub(at, first - 1), known) .. markdown.name(code, known)
    at = last
  end
  parts[#parts + 1] = plain(text:sub(at), known)
  return table.concat(parts)
end

-- Escapes the start of a line that Markdown would not read as a line of a paragraph.
local function guarded(line)
  return (line:gsub('^(%s*)([-+=:])', '%1\\%2'):gsub('^(%s*%d+)([.)])', '%1\\%2'))
end

--- Converts the text of a comment: paragraphs, lists, and code, which is indented by four more blanks.
-- @string text
-- @tparam {[string]=boolean} known names that have an entry
function markdown.text(text, known)
  local lines, code = {}, false
  for line in (text .. '\n'):gmatch '(.-)\n' do
    local blank = line:find '^%s*$' ~= nil
    local isCode = line:find '^    ' ~= nil and (code or #lines == 0 or lines[#lines] == '')
    if isCode and not code then lines[#lines + 1] = '```lua' end
    if code and not isCode and not blank then
      while lines[#lines] == '' do lines[#lines] = nil end
      lines[#lines + 1] = '```'
    end
    if not blank then code = isCode end
    local item, rest = line:match '^(%s*[*-] )(.*)$'
    if blank then
      lines[#lines + 1] = ''
    elseif isCode then
      lines[#lines + 1] = line:sub(5)
    elseif item then
      lines[#lines + 1] = item .. inline(rest, known)
    else
      lines[#lines + 1] = guarded(inline(line, known))
    end
  end
  if code then lines[#lines + 1] = '```' end
  return table.concat(lines, '\n')
end

local function ofArgument(argument, known)
  local words = {}
  if argument.kind then words[#words + 1] = argument.kind:gsub('|', ' or ') end
  if argument.default then
    words[#words + 1] = argument.default .. ' by default'
  elseif argument.optional then
    words[#words + 1] = 'may be left out'
  end
  local text = ('- `%s`'):format(argument.name)
  if words[1] then text = ('%s *(%s)*'):format(text, plain(table.concat(words, ', '), {})) end
  if argument.text and argument.text ~= '' then text = text .. ' ' .. inline(argument.text, known) end
  return text
end

local function ofResult(result, known)
  local text = inline(result.text, known)
  if not result.kind then return '- ' .. text end
  local kind, may = result.kind:gsub('^%?', '')
  return ('- *%s*%s'):format(plain(kind:gsub('|', ' or ') .. (may > 0 and ' or nil' or ''), {}), text ~= '' and ' ' .. text or '')
end

local function ofError(one, known) return '- ' .. inline(one.text, known) end

--- An entry as an object of Sphinx's domain, without example.
-- @tparam table entry
-- @string name its name in the reference
-- @tparam {[string]=boolean} known
function markdown.entry(entry, name, known)
  local lines = {}
  local function add(text) lines[#lines + 1] = text end
  local function list(title, values, write)
    if not values[1] then return end
    add(('**%s**\n'):format(title))
    for _, value in ipairs(values) do add(write(value, known)) end
    add ''
  end
  add(('`````{lua} %s'):format(table.concat({ name, unpack(entry.calls) }, ' ¦ ')))
  add(inline(entry.summary, known) .. '\n')
  if entry.sameAs then add(('The same as %s.\n'):format(markdown.name(entry.sameAs, known))) end
  if entry.about ~= '' then add(markdown.text(entry.about, known) .. '\n') end
  list('Arguments', entry.kind ~= 'package' and entry.arguments or {}, ofArgument)
  list('Result', entry.returns, ofResult)
  list('Errors', entry.raises, ofError)
  list('Properties', entry.facts, function(fact)
    local text = fact[1] == 'Formula' and ('`%s`'):format(fact[2]) or inline(fact[2], known)
    return ('- %s: %s'):format(fact[1], text)
  end)
  add '`````\n'
  return table.concat(lines, '\n')
end

return markdown
