-- docs/gallery.md: each program of examples/gallery draws the picture on the page.
local files, program = require 'spec.support.files', require 'spec.support.program'

local page = files.read 'docs/gallery.md'

-- The elements and words of an SVG. Elements must be closed in the order in which they were opened. (How many there are depends on
-- the last digits of contours.)
local function contentOf(svg)
  local elements, open = {}, {}
  for closing, name, attributes in svg:gmatch '<(/?)([%a:]+)([^<>]*)>' do
    if closing == '/' then
      assert.equal(name, table.remove(open))
    else
      elements[name] = true
      if attributes:sub(-1) ~= '/' then open[#open + 1] = name end
    end
  end
  assert.same({}, open)
  local words = {}
  for word in svg:gmatch '>([^<>]*%a[^<>]*)</text>' do words[#words + 1] = word end
  return { elements = elements, words = words }
end

describe('docs/gallery.md', function()
  local pipe = io.popen 'ls examples/gallery/*.lua'
  for script in pipe:lines() do
    local name = script:match '([^/]+)%.lua$'
    it('shows what ' .. name .. ' draws', function()
      assert.truthy(page:find(('(pictures/%s.svg)'):format(name), 1, true))
      assert.truthy(page:find(('(../%s)'):format(script), 1, true))
      local picture = os.tmpname() .. '.svg'
      local output, status, errors = program.run { script, picture }
      assert.equal('', output .. errors)
      assert.equal(0, status)
      assert.same(contentOf(files.read(('docs/pictures/%s.svg'):format(name))), contentOf(files.read(picture)))
      os.remove(picture)
    end)
  end
  pipe:close()

  it('shows no picture that is not there', function()
    for name in page:gmatch '%]%((pictures/[^)]+)%)' do assert.truthy(#files.read('docs/' .. name) > 1000) end
  end)
end)
