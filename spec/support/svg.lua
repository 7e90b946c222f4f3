--- Parses SVG files, so that specs can compare their content.
local svg = {}

local entities = { ['&amp;'] = '&', ['&lt;'] = '<', ['&gt;'] = '>', ['&quot;'] = '"' }

local function decoded(text) return (text:gsub('&%w+;', function(name) return assert(entities[name], name) end)) end

--- The elements of an XML text, in order: {tag =, attributes..., text =}. Raises an error if the text is not well formed.
function svg.parse(text)
  local list, open, at = {}, {}, assert(select(2, text:find '^<%?xml.-%?>%s*')) + 1
  while at <= #text do
    local content, tag, stop = text:match('^([^<]*)(%b<>)()', at)
    if not tag then
      assert(not text:find('%S', at), 'text after the last tag')
      break
    end
    assert(not content:find '[<>]')
    if #open > 0 then open[#open].text = (open[#open].text or '') .. decoded(content) else assert(not content:find '%S') end
    local name = tag:match '^</(%w+)>$'
    if name then
      assert(table.remove(open).tag == name, 'closes ' .. name)
    else
      local element = { tag = assert(tag:match '^<(%a%w*)', tag) }
      local rest = tag:gsub('^<%a%w*', ''):gsub('/?>$', ''):gsub('%s+([%w:-]+)="([^"<]*)"', function(key, value)
        element[key] = decoded(value)
        return ''
      end)
      assert(not rest:find '%S', rest)
      list[#list + 1] = element
      if not tag:find '/>$' then open[#open + 1] = element end
    end
    at = stop
  end
  assert(#open == 0, 'not closed')
  return list
end

--- The elements of a figure that have a tag and pass a test.
function svg.elements(figure, tag, test)
  local found = {}
  for _, element in ipairs(svg.parse(figure:svg())) do
    if element.tag == tag and (not test or test(element)) then found[#found + 1] = element end
  end
  return found
end

--- The points of a path.
function svg.points(path)
  local list = {}
  for x, y in path.d:gmatch '(%-?[%d.]+) (%-?[%d.]+)' do list[#list + 1] = { tonumber(x), tonumber(y) } end
  return list
end

--- The text elements of a figure, by text.
function svg.texts(figure)
  local list = {}
  for _, element in ipairs(svg.elements(figure, 'text')) do list[element.text] = element end
  return list
end

--- A function from numbers to pixels in the frame of a figure's only axes, for given limits.
-- @tparam plot.Figure figure
-- @tparam {number,...} limits xlow, xhigh, ylow, yhigh
function svg.map(figure, limits)
  local function isFrame(e) return e.stroke == '#000000' and e.fill == 'none' and e['stroke-width'] == '0.8' end
  local frame = svg.elements(figure, 'rect', isFrame)[1]
  local left, top, width, height = tonumber(frame.x), tonumber(frame.y), tonumber(frame.width), tonumber(frame.height)
  return function(x, y)
    return left + (x - limits[1]) / (limits[2] - limits[1]) * width, top + (limits[4] - y) / (limits[4] - limits[3]) * height
  end
end

return svg
