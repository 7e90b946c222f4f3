-- Writes the site's pages for Sphinx: `th docs/site/export.lua FOLDER`, from the project's folder. The reference comes
-- from the registry, declarations and comments (trepl.help) and from the examples in docs/reference; all other pages are the project's
-- Markdown. Fails, with a list, if names in the reference have no documentation.
package.path = './docs/site/?.lua;' .. package.path
local paths = require 'paths'
local help, reference = require 'trepl.help', require 'trepl.reference'
local documents, markdown = require 'documents', require 'markdown'

local out = assert(arg[1], 'usage: th docs/site/export.lua FOLDER')
local wrong = {}

local function write(name, text)
  os.execute(("mkdir -p '%s'"):format(paths.dirname(paths.concat(out, name))))
  local file = assert(io.open(paths.concat(out, name), 'w'))
  file:write(text)
  assert(file:close())
end

-- Packages that can't be loaded here, such as CUDA's without its plug-in. The site omits names whose documentation needs them.
local unloaded = {}
for _, rock in ipairs(dofile 'rocks/list.lua') do
  if rock.lua then unloaded[rock.name] = not pcall(require, rock.name) end
end

local known, found, packages = {}, {}, {}
for _, name in ipairs(reference.packages()) do
  packages[#packages + 1] = { name = name, pages = reference.pages(name) }
  for _, page in ipairs(packages[#packages].pages) do
    for _, full in ipairs(page.names) do
      found[full] = found[full] or help.entry(full)
      if found[full] then known[full] = known[full] or page end      -- further pages with this name link to the first
      if not found[full] and not unloaded[name] then wrong[#wrong + 1] = full .. ' has no documentation' end
    end
  end
end

local function block(language, text) return ('```%s\n%s```\n'):format(language, text) end

-- The entry of a name on its own page; on other pages a link to it.
local function described(name, page)
  if known[name] ~= page then return ('%s\n'):format(markdown.name(name, known)) end
  return markdown.entry(found[name], name, known)
end

local function section(entry, page)
  local lines = { ('## %s\n'):format(table.concat(entry.names, ', '):gsub('[_*]', '\\%0')) }
  for _, name in ipairs(entry.names) do lines[#lines + 1] = described(name, page) end
  lines[#lines + 1] = documents.linked(entry.about, known) .. '\n'
  if entry.code then lines[#lines + 1] = block('lua', entry.code) end
  if entry.output then lines[#lines + 1] = block('text', entry.output) end
  return table.concat(lines, '\n')
end

local function page(one)
  local lines = { ('# %s\n'):format(one.title), documents.linked(one.about, known) .. '\n' }
  for _, entry in ipairs(one.entries) do lines[#lines + 1] = section(entry, one) end
  return table.concat(lines, '\n')
end

local function summaryOf(text) return (text:match '^(.-[.:])%s' or text):gsub('\n', ' ') end

-- A package's first page: its description, and its themes.
local function overview(package_)
  local about = help.entry(package_.name)
  local lines = { ('# %s\n'):format(package_.name) }
  if about then lines[#lines + 1] = ('%s\n\n%s\n'):format(markdown.text(about.summary, known), markdown.text(about.about, known)) end
  for _, one in ipairs(package_.pages) do
    local list = {}
    for i, name in ipairs(one.names) do list[i] = markdown.name(name, known) end
    lines[#lines + 1] = ('**[%s](%s.md)**: %s\n\n%s\n'):format(one.title, one.theme, documents.linked(summaryOf(one.about), known),
      table.concat(list, ' '))
  end
  lines[#lines + 1] = '```{toctree}\n:hidden:\n'
  for _, one in ipairs(package_.pages) do lines[#lines + 1] = one.theme end
  return table.concat(lines, '\n') .. '\n```\n'
end

-- The index of all names, sorted by their last part, under their first letters.
local function index()
  local list = {}
  for name in pairs(known) do list[#list + 1] = { last = name:match '[%w_]+$', name = name } end
  table.sort(list, function(a, b)
    local one, other = a.last:lower(), b.last:lower()
    return one < other or one == other and a.name < b.name
  end)
  local lines, letter = { '# Index of names\n' }, nil
  for _, item in ipairs(list) do
    local first = item.last:sub(1, 1):upper()
    if first ~= letter then
      letter = first
      lines[#lines + 1] = ('\n## %s\n'):format(letter)
    end
    lines[#lines + 1] = ('- %s'):format(markdown.name(item.name, known))
  end
  return table.concat(lines, '\n') .. '\n'
end

for _, package_ in ipairs(packages) do
  write(('docs/reference/%s/index.md'):format(package_.name), overview(package_))
  for _, one in ipairs(package_.pages) do write(('docs/reference/%s/%s.md'):format(package_.name, one.theme), page(one)) end
end
write('docs/reference/names.md', index())
for name, text in pairs(documents.pages(packages, known)) do write(name, text) end

for _, line in ipairs(wrong) do io.stderr:write(line, '\n') end
print(('%d mistakes'):format(#wrong))
os.exit(#wrong == 0 and 0 or 1, true)
