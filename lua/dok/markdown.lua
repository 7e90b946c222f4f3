--- Markdown as HTML: headings, paragraphs, lists, quotes, code, tables, emphasis, links and pictures.
-- @module dok
local check = require 'torch.check'

local markdown = {}

local function escaped(text) return (text:gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' })) end

-- Converts the markup inside a line. Code and addresses are extracted first, since they contain no markup.
local function inline(text)
  local kept = {}
  local function keep(html)
    kept[#kept + 1] = html
    return ('\1%d\1'):format(#kept)
  end
  local function address(to) return (to:gsub('"', '%%22')) end      -- & < > in it are escaped with the text
  text = text:gsub('%z', ''):gsub('\1', '')
  text = text:gsub('(`+)(.-)%1', function(_, code) return keep('<code>' .. escaped(code) .. '</code>') end)
  text = escaped(text)
  text = text:gsub('!%[(.-)%]%((%S-)%)', function(alt, to)
    return keep(('<img src="%s" alt="%s">'):format(address(to), (alt:gsub('"', '&quot;'))))
  end)
  text = text:gsub('%[(.-)%]%((%S-)%)', function(shown, to)
    return keep(('<a href="%s">'):format(address(to))) .. shown .. keep '</a>'
  end)
  text = text:gsub('%*%*(%S.-)%*%*', '<strong>%1</strong>'):gsub('%*(%S.-)%*', '<em>%1</em>')
  return (text:gsub('\1(%d+)\1', function(i) return kept[tonumber(i)] end))
end

local function cells(line, tag)
  local out = {}
  local inner = line:gsub('\\|', '\2'):gsub('^%s*|', ''):gsub('|%s*$', '') .. '|'
  for cell in inner:gmatch '(.-)|' do
    out[#out + 1] = ('<%s>%s</%s>'):format(tag, inline((cell:gsub('\2', '|'):match '^%s*(.-)%s*$')), tag)
  end
  return '<tr>' .. table.concat(out) .. '</tr>'
end

-- Parsers of blocks. Each receives the lines and a position; it returns HTML and the position after the block, or nothing if no such block
-- starts there.
local blocks = {}

function blocks.code(lines, i)
  local fence, language = lines[i]:match '^(```+)%s*(%w*)'
  if not fence then return nil end
  local code = {}
  i = i + 1
  while lines[i] and lines[i]:sub(1, #fence) ~= fence do
    code[#code + 1] = escaped(lines[i]) .. '\n'
    i = i + 1
  end
  local class = language ~= '' and (' class="language-%s"'):format(language) or ''
  return ('<pre><code%s>%s</code></pre>'):format(class, table.concat(code)), i + 1
end

function blocks.heading(lines, i)
  local marks, text = lines[i]:match '^(#+)%s+(.-)%s*#*$'
  if not marks or #marks > 6 then return nil end
  return ('<h%d>%s</h%d>'):format(#marks, inline(text), #marks), i + 1
end

function blocks.rows(lines, i)
  if not lines[i]:find '|' or not (lines[i + 1] or ''):find '^[%s|:-]*%-[%s|:-]*$' then return nil end
  local out = { '<table>', cells(lines[i], 'th') }
  i = i + 2
  while lines[i] and lines[i]:find '|' do
    out[#out + 1] = cells(lines[i], 'td')
    i = i + 1
  end
  return table.concat(out, '\n') .. '\n</table>', i
end

local function listOf(tag, pattern)
  return function(lines, i)
    if not lines[i]:find(pattern) then return nil end
    local items = {}
    while lines[i] and (lines[i]:find(pattern) or lines[i]:find '^%s+%S') do
      if lines[i]:find(pattern) then
        items[#items + 1] = lines[i]:gsub(pattern, '')
      else
        items[#items] = items[#items] .. ' ' .. lines[i]:match '^%s*(.*)$'
      end
      i = i + 1
    end
    for k, item in ipairs(items) do items[k] = '<li>' .. inline(item) .. '</li>' end
    return ('<%s>\n%s\n</%s>'):format(tag, table.concat(items, '\n'), tag), i
  end
end

blocks.list, blocks.numbered = listOf('ul', '^%s?%s?%s?[*+-]%s+'), listOf('ol', '^%s?%s?%s?%d+%.%s+')

function blocks.quote(lines, i)
  if not lines[i]:find '^>' then return nil end
  local inner = {}
  while lines[i] and lines[i]:find '^>' do
    inner[#inner + 1] = lines[i]:match '^>%s?(.*)$'
    i = i + 1
  end
  return ('<blockquote>\n%s</blockquote>'):format(markdown.markdown2html(table.concat(inner, '\n'))), i
end

local order = { 'code', 'heading', 'rows', 'list', 'numbered', 'quote' }

local function blockAt(lines, i)
  for _, kind in ipairs(order) do
    local html, after = blocks[kind](lines, i)
    if html then return html, after end
  end
end

local function paragraph(lines, i)
  local first = i
  i = i + 1
  while lines[i] and lines[i]:find '%S' and not blockAt(lines, i) do i = i + 1 end
  return '<p>' .. inline(table.concat(lines, '\n', first, i - 1)) .. '</p>', i
end

--- Converts Markdown to HTML; HTML tags in it are escaped.
-- @function dok.markdown2html
-- @string text
-- @treturn string
function markdown.markdown2html(text)
  text = check.text('dok.markdown2html', 'text', text)
  local lines, out, i = {}, {}, 1
  for line in (text .. '\n'):gmatch '(.-)\r?\n' do lines[#lines + 1] = line end
  while lines[i] do
    if lines[i]:find '%S' then
      local html, after = blockAt(lines, i)
      if not html then html, after = paragraph(lines, i) end
      out[#out + 1], i = html, after
    else
      i = i + 1
    end
  end
  out[#out + 1] = ''
  return table.concat(out, '\n')
end

return markdown
