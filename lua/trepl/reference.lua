--- The reference's pages: themes, each with its names and an example for every name.
--
-- A page is Markdown, `docs/reference/PACKAGE/THEME.md`: a title, a description of the theme, and sections. A section's heading is a name,
-- or several separated by commas (`## torch.sin, torch.cos`); an optional sentence follows, and then a block of Lua with the text that it
-- prints. Pages have no signatures, shapes and errors, which come from the registry of ops, declarations and comments.
-- @module trepl.reference
local paths = require 'paths'

local reference = {}

-- The names of a heading.
local function namesOf(heading)
  local names = {}
  for name in heading:gmatch '[^,%s]+' do names[#names + 1] = name end
  return names
end

-- The text before the first fence, and the blocks of Lua and text after it.
local function contentOf(lines)
  local prose, blocks, open = {}, {}, nil
  for _, line in ipairs(lines) do
    local fence = line:match '^```(.*)$'
    if fence and open then
      open = nil
    elseif fence then
      open = {}
      blocks[fence] = open
    else
      local into = open or prose
      into[#into + 1] = line
    end
  end
  local function joined(block) return block and table.concat(block, '\n') .. (#block > 0 and '\n' or '') end
  return table.concat(prose, '\n'):match '^%s*(.-)%s*$', joined(blocks.lua), joined(blocks.text)
end

--- Reads a page.
-- @string text the page
-- @treturn table with the fields `title`, `about` and `entries`, a list of tables: `names`, `line` of the heading, `about` (may be
-- empty), `code`, and `output`, nil if the example prints nothing
function reference.parse(text)
  local page, lines, entry, number, fenced = { entries = {} }, {}, nil, 0, false
  local function close()
    local about, code, output = contentOf(lines)
    if entry then
      entry.about, entry.code, entry.output = about, code, output
    else
      page.about = about
    end
    lines = {}
  end
  for line in text:gmatch '(.-)\n' do
    number = number + 1
    if line:find '^```' then fenced = not fenced end
    local title, heading = line:match '^# (.+)$', line:match '^## (.+)$'
    if fenced or not (title or heading) then
      lines[#lines + 1] = line
    elseif title then
      page.title = title
    else
      close()
      entry = { names = namesOf(heading), line = number }
      page.entries[#page.entries + 1] = entry
    end
  end
  close()
  return page
end

-- Adds the subfolders of a folder, one for each package.
local function addPlaces(places, folder)
  if not paths.dirp(folder) then return end
  for name in paths.iterdirs(folder) do places[name] = places[name] or folder .. '/' .. name end
end

-- The folders of pages by package: next to the Lua files of a working tree or an installation; luarocks puts them into each rock's folder.
local function placesOf(lua)
  local places, tree = {}, lua:match '^(.*)/share/lua/5%.1$'
  local rocks = tree and tree .. '/lib/luarocks/rocks-5.1'
  for name in rocks and paths.dirp(rocks) and paths.iterdirs(rocks) or function() end do
    for version in paths.iterdirs(rocks .. '/' .. name) do addPlaces(places, ('%s/%s/%s/reference'):format(rocks, name, version)) end
  end
  addPlaces(places, paths.concat(lua, '../docs/reference'))
  addPlaces(places, paths.concat(lua, '../reference'))
  return places
end

local places = placesOf(paths.dirname(paths.dirname(paths.thisfile())))

--- The packages that have pages.
-- @treturn {string,...} in alphabetical order
function reference.packages()
  local names = {}
  for name in pairs(places) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function read(package_, file)
  local stream = assert(io.open(places[package_] .. '/' .. file))
  local page = reference.parse(stream:read '*a')
  stream:close()
  page.package, page.theme, page.names = package_, file:match '^(.*)%.md$', {}
  for _, entry in ipairs(page.entries) do
    for _, name in ipairs(entry.names) do page.names[#page.names + 1] = name end
  end
  return page
end

--- The pages of a package.
-- @string package_ its name
-- @treturn {table,...} from `parse`, with `package`, `theme` (the file's name), and `names` of all entries; sorted by title
function reference.pages(package_)
  local pages = {}
  for file in places[package_] and paths.iterfiles(places[package_]) or function() end do
    if file:find '%.md$' then pages[#pages + 1] = read(package_, file) end
  end
  table.sort(pages, function(a, b) return a.title < b.title end)
  return pages
end

--- The contents of a package's pages, faster than `pages`.
-- @string package_ its name
-- @treturn {table,...} for each entry a list of `names`, its text `about`, and the `title` of its page
function reference.outline(package_)
  local entries = {}
  for file in places[package_] and paths.iterfiles(places[package_]) or function() end do
    if file:find '%.md$' then
      local stream = assert(io.open(places[package_] .. '/' .. file))
      local text = stream:read '*a'
      stream:close()
      local title = text:match '^# ([^\n]+)' or ''
      for heading, at in text:gmatch '\n## ([^\n]+)\n()' do
        local fence = text:find('```', at, true) or #text + 1
        entries[#entries + 1] = { names = namesOf(heading), about = text:sub(at, fence - 1), title = title }
      end
    end
  end
  return entries
end

-- Compares names as pages do: `x:add` is shown with torch.add; nn.X.f is nn.X:f.
local function isName(name, wanted) return name:gsub(':', '.') == wanted:gsub(':', '.') end

local function findIn(package_, name)
  for _, page in ipairs(reference.pages(package_)) do
    for _, entry in ipairs(page.entries) do
      for _, other in ipairs(entry.names) do
        if isName(other, name) then
          entry.page = page
          return entry
        end
      end
    end
  end
end

--- The example of a name.
-- @string name such as 'torch.add', 'x:size' or 'nn.Linear:reset'
-- @treturn ?table the entry of a page, with the page as its field `page`; nil if no page has it
function reference.find(name)
  local own = name:match '^[%w_]+'
  local found = findIn(own, name)      -- the most likely package
  for _, package_ in ipairs(found and {} or reference.packages()) do
    found = found or package_ ~= own and findIn(package_, name) or nil
  end
  if found or not name:find '^%l:' then return found end
  return findIn('torch', 'torch.' .. name:match '[%w_]+$')
end

return reference
