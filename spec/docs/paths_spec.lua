-- Files and headings that pages refer to exist: renaming one requires changing the pages.
local files = require 'spec.support.files'

local top = {}
for name in ('engine bindings lua bin bench spec examples docs cmake'):gmatch '%a+' do top[name] = true end

-- The anchors of a page's headings, as GitHub makes them.
local function anchors(page)
  local found = {}
  for heading in ('\n' .. files.read(page)):gmatch '\n#+ ([^\n]+)' do
    found[heading:lower():gsub('[^%w _-]', ''):gsub(' ', '-')] = true
  end
  return found
end

-- Files that the steps on the page create, and placeholders.
local function isPlace(path) return path:find '[<*]' or path:find '^bench/results' end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

describe('a page names only files that there are:', function()
  local listing = assert(io.popen 'ls *.md docs/*.md bench/*.md')
  for page in listing:lines() do
    it(page, function()
      local folder = page:match '^(.*/)' or ''
      local text = files.read(page)
      for path in text:gmatch '`([%w_./<>*-]+)`' do
        local named = path:gsub('/$', '')
        if named:find '/' and top[named:match '^[^/]+'] and not isPlace(named) then
          assert.is_true(exists(named) or exists(named .. '.lua'), ('%s names %s'):format(page, path))
        end
      end
      text = text:gsub('\n```.-\n```', '')      -- code blocks, which may have C++'s brackets
      for path in text:gmatch '%]%(([^)#:]+)[^):]*%)' do assert.is_true(exists(folder .. path), ('%s links to %s'):format(page, path)) end
      for path, anchor in text:gmatch '%]%(([^)#:]*)#([^)]+)%)' do
        local target = path == '' and page or folder .. path
        assert.is_true(anchors(target)[anchor], ('%s links to %s#%s'):format(page, path, anchor))
      end
    end)
  end
  listing:close()
end)
