-- The project's Markdown (README.md, docs/, CONTRIBUTING.md) as pages of the site: names link to their entries, README.md is the home page.
local paths = require 'paths'
local markdown = require 'markdown'

local documents = {}

-- The parts of the site, with pages in the order of reading; a folder means all pages in it that are not in an earlier part.
local parts = {
  { 'First steps', 'docs/installing.md', 'docs/th.md' },
  { 'Tutorials', 'docs/tutorials/tour.md', 'docs/tutorials/from-torch7.md', 'docs/tutorials/from-python.md', 'docs/tutorials/modules.md',
    'docs/tutorials/data-analysis.md', 'docs/tutorials/training.md', 'docs/tutorials' },
  { 'From PyTorch', 'docs/tutorials/from-pytorch' },
  { 'Reference' },
  { 'Packages', 'docs/packages' },
  { 'Guides', 'docs/autograd.md', 'docs/sparse.md', 'docs/graph.md', 'docs/files.md', 'docs/exchange.md',
    'docs/mixed-precision.md', 'docs/profiling.md',
    'docs/gpu.md', 'docs/embedding.md', 'docs/adding-an-op.md', 'docs/adding-a-module.md', 'docs/adding-an-optimiser.md',
    'docs/adding-a-dtype.md',
    'docs/extending.md', 'docs/adding-a-device.md' },
  { 'Inside', 'docs/architecture.md', 'CONTRIBUTING.md', 'docs' },
}

local function read(name)
  local file = assert(io.open(name))
  local text = file:read '*a'
  file:close()
  return text
end

-- A line of a paragraph: code in backticks becomes a link if it is a name with an entry.
local function linkedLine(line, known)
  return (line:gsub('(%[?)`([^`]+)`', function(bracket, code)
    return bracket == '' and markdown.name(code, known) or nil      -- unchanged inside of a link
  end))
end

--- A text of Markdown with links for its names; blocks of code are unchanged.
-- @string text
-- @tparam {[string]=table} known
function documents.linked(text, known)
  local lines, fenced = {}, false
  for line in (text .. '\n'):gmatch '(.-)\n' do
    if line:find '^%s*```' then
      fenced = not fenced
      if line == '```' and fenced then line = '```text' end
    elseif not fenced and not line:find '^    ' and not line:find '^#' then
      line = linkedLine(line, known)
    end
    lines[#lines + 1] = line
  end
  return table.concat(lines, '\n')
end

local function listOf(folder)
  local list = {}
  for file in paths.iterfiles(folder) do
    if file:find '%.md$' then list[#list + 1] = folder .. '/' .. file end
  end
  table.sort(list)
  return list
end

-- Adds the files to which a page links: further pages, which are also listed, and programs and headers, which are copied to the site.
local function follow(name, text, pages, listed)
  local folder = name:match '^(.*)/' or '.'
  for link in text:gmatch '%]%(([^)#%s:]+)' do
    local whole = paths.concat(folder, link):sub(#paths.cwd() + 2)
    if paths.filep(whole) and not pages[whole] and not whole:find '^docs/reference/' then
      pages[whole] = read(whole)
      if whole:find '%.md$' then listed[#listed + 1] = whole end
    end
  end
end

local function tree(caption, entries)
  local lines = { '', '```{toctree}', ':hidden:', ':caption: ' .. caption, '' }
  for _, entry in ipairs(entries) do lines[#lines + 1] = (entry:gsub('%.md$', '')) end
  lines[#lines + 1] = '```\n'
  return table.concat(lines, '\n')
end

-- The pages of a part, without those in `used`; adds them to `used`.
local function membersOf(part, listed, used)
  local members = {}
  for i = 2, #part do
    for _, name in ipairs(listed) do
      local fits = name == part[i] or name:match '^(.*)/[^/]*$' == part[i] or part[i] == 'docs' and not name:find '^docs/.*/'
      if fits and not used[name] then
        used[name] = true
        members[#members + 1] = name
      end
    end
  end
  return members
end

-- The tables of contents of the home page, from which Sphinx makes every page's sidebar.
local function contents(packages, listed)
  local used, overviews, text = { ['README.md'] = true }, {}, ''
  for _, package_ in ipairs(packages) do overviews[#overviews + 1] = ('docs/reference/%s/index'):format(package_.name) end
  overviews[#overviews + 1] = 'docs/reference/names'
  for _, part in ipairs(parts) do
    local members = part[1] == 'Reference' and overviews or membersOf(part, listed, used)
    if members[1] then text = text .. tree(part[1], members) end
  end
  return text
end

-- Replaces links to folders by their text: the site has no pages for folders.
local function withoutFolders(name, text)
  local folder = name:match '^(.*)/' or '.'
  return (text:gsub('%[([^%]\n]+)%]%(([^)#%s:]+)%)', function(words, link)
    return paths.dirp(paths.concat(folder, link)) and words or nil
  end))
end

--- All pages that are Markdown files, and the files to which they link.
-- @tparam {table,...} packages with the fields `name` and `pages`
-- @tparam {[string]=table} known
-- @treturn {[string]=string} texts by their places
function documents.pages(packages, known)
  local listed, pages = { 'README.md', 'CONTRIBUTING.md' }, {}
  for _, folder in ipairs { 'docs', 'docs/packages', 'docs/tutorials' } do
    for _, name in ipairs(paths.dirp(folder) and listOf(folder) or {}) do listed[#listed + 1] = name end
  end
  for _, name in ipairs(listed) do pages[name] = withoutFolders(name, read(name)) end
  for _, name in ipairs(listed) do follow(name, pages[name], pages, listed) end      -- `follow` appends to `listed`
  for _, name in ipairs(listed) do
    pages[name] = documents.linked(pages[name], known):gsub('(%]%([./]*)README%.md', '%1index.md')
  end
  pages['index.md'] = pages['README.md'] .. contents(packages, listed)
  pages['README.md'] = nil
  return pages
end

return documents
