--- Documentation as plain text, in the sections of manual pages.
-- @module trepl.manual
local manual = {}

local MARGIN = '  '

local function indented(text) return (text:gsub('[^\n]+', MARGIN .. '%0')) end

-- Joins the lines of a paragraph of prose, so that the screen can wrap them again; code and lists stay unchanged.
local function flowing(text)
  local lines = {}
  for line in (text .. '\n'):gmatch '(.-)\n' do
    local before = lines[#lines]
    local goesOn = before and before ~= '' and line ~= '' and not before:find '^%s%s%s' and not line:find '^%s%s%s'
      and not line:find '^%s*[*-] ' and #before > 90
    if goesOn then lines[#lines] = before .. ' ' .. line:match '^%s*(.*)$' else lines[#lines + 1] = line end
  end
  return table.concat(lines, '\n')
end

local function ofArgument(argument)
  local kind = argument.kind and ': ' .. argument.kind or ''
  local default = argument.default and (' (%s)'):format(argument.default) or argument.optional and ' (may be left out)' or ''
  local text = argument.text and argument.text ~= '' and '\n' .. indented(argument.text) or ''
  return argument.name .. kind .. default .. text
end

local function ofResult(result)
  if not result.kind then return result.text end
  local kind, may = result.kind:gsub('^%?', '')
  return kind .. (may > 0 and ' or nil' or '') .. (result.text ~= '' and ': ' .. result.text or '')
end

local function textOf(one) return one.text end

--- An entry as text.
-- @tparam table entry see trepl.help
-- @tparam[opt] table example see trepl.reference: the fields `code` and `output`, and `page` with the title of its theme and its names
-- @treturn string
function manual.text(entry, example)
  local parts = {}
  local function add(title, text)
    if text and text ~= '' then parts[#parts + 1] = title .. '\n' .. indented(text) .. '\n' end
  end
  local function list(title, values, write)
    local lines = {}
    for i, value in ipairs(values) do lines[i] = write(value) end
    add(title, table.concat(lines, '\n'))
  end
  local same = entry.sameAs and ('\nIt is the same as %s.'):format(entry.sameAs) or ''
  parts[1] = ('%s\n%s\n'):format(entry.name, indented(entry.summary .. same))
  list('USAGE', entry.calls, function(line) return line end)
  list('ARGUMENTS', entry.kind == 'package' and {} or entry.arguments, ofArgument)
  list('RESULT', entry.returns, ofResult)
  add('DESCRIPTION', flowing(entry.about))
  list('ERRORS', entry.raises, textOf)
  list('PROPERTIES', entry.facts, function(fact) return fact[1] .. ': ' .. fact[2] end)
  if entry.methods then add('METHODS', table.concat(entry.methods, ' ')) end
  if example and example.code then
    add('EXAMPLE', example.code:gsub('\n$', '') .. (example.output and '\n\nprints\n\n' .. example.output:gsub('\n+$', '') or ''))
    add('SEE ALSO', ('%s: %s'):format(example.page.title, table.concat(example.page.names, ', ')))
  else
    list('EXAMPLE', entry.usages, textOf)
  end
  if entry.place then add('SOURCE', entry.place) end
  return table.concat(parts, '\n')
end

-- A page's names without the package's name, and without methods, which the classes' documentation lists.
local function shortNames(page)
  local names = {}
  for _, name in ipairs(page.names) do
    if not name:find '%u[%w_]*:' then names[#names + 1] = name:gsub('^' .. page.package .. '%.', '') end
  end
  return table.concat(names, ' ')
end

--- The themes of a package and their names.
-- @tparam {table,...} pages see trepl.reference
-- @treturn string
function manual.themes(pages)
  local parts = {}
  for i, page in ipairs(pages) do
    local about = page.about:gsub('%s+', ' '):match '^(.-[.:])%s' or page.about
    parts[i] = ('%s\n%s\n%s\n'):format(page.title, indented(about), indented(shortNames(page)))
  end
  return pages[1] and '\n' .. table.concat(parts, '\n') or ''
end

return manual
