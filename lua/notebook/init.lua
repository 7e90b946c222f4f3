--- Rich output and input of a program in a Jupyter notebook. In th the output is printed, and the input read from the terminal.
-- @module notebook
-- @usage local notebook = require 'notebook'
-- local shown = notebook.display(torch.rand(3, 3))
-- shown:update(torch.rand(3, 3))
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local check = require 'torch.check'
local frontend = require 'notebook.frontend'
local mime = require 'notebook.mime'

local notebook = {}

local count = 0

local Shown = {}
Shown.__index = Shown

-- The value is already shown.
function Shown:__mime() return {} end

function Shown:__tostring() return 'notebook.Shown ' .. self.id end

local function show(how, value, id)
  local data, metadata = mime.bundle(value)
  frontend.show(how, data or { ['text/plain'] = '' }, metadata, id)
end

--- Whether the program runs in a notebook, which shows the values of `display`.
-- @treturn boolean
function notebook.isActive() return require 'torch.modules'.loaded 'notebook.kernel' ~= nil end

--- Shows a value: tensors of one and two dimensions as tables, figures of the package plot and pictures as such, others as text.
-- @param value anything; an object's method `__mime` determines its representation: it returns a table of texts by MIME types
-- (pictures as their bytes)
-- @treturn notebook.Shown whose method `update(value)` replaces the shown value
function notebook.display(value)
  count = count + 1
  local self = setmetatable({ id = ('moontorch-%d-%d'):format(os.time(), count) }, Shown)
  show('display', value, self.id)
  return self
end

--- Shows another value in place of this one.
-- @param value
-- @treturn notebook.Shown itself
function Shown:update(value)
  show('update', value, self.id)
  return self
end

--- Clears the cell's output.
-- @tparam[opt=false] boolean wait whether to wait for new output, which avoids flicker
function notebook.clear(wait) frontend.clear(wait == true) end

--- Asks for a line.
-- @tparam[opt] string prompt shown before it
-- @tparam[opt=false] boolean password whether to hide the input; ignored in th
-- @treturn ?string nil at the end of the input
-- @raise if the frontend doesn't support input
function notebook.input(prompt, password)
  prompt = prompt ~= nil and check.text('notebook.input', 'prompt', prompt) or ''
  local line, why = frontend.ask(prompt, password == true)
  check.that(line or why ~= 'refused', 'notebook.input: this frontend takes no input')
  return line
end

--- A value with given representations.
-- @tparam table data by MIME types: `{['text/html'] = '<b>1</b>', ['text/plain'] = '1'}`; pictures as their bytes, or in base64
-- @treturn table for display or the last expression of a cell
function notebook.data(data)
  for name, text in pairs(check.table('notebook.data', 'data', data)) do
    check.that(type(name) == 'string' and name:find '^[%w.+-]+/[%w.+-]+$',
      ('notebook.data: data: %s, expected a MIME type such as text/html'):format(tostring(name)))
    check.text('notebook.data', name, text)
  end
  return mime.given(data)
end

--- A value that is shown as HTML.
-- @string text
-- @treturn table
function notebook.html(text) return notebook.data { ['text/html'] = check.text('notebook.html', 'text', text), ['text/plain'] = text } end

--- A value that is shown as Markdown, including formulas between $.
-- @string text
-- @treturn table
function notebook.markdown(text)
  return notebook.data { ['text/markdown'] = check.text('notebook.markdown', 'text', text), ['text/plain'] = text }
end

--- A value that is shown as an SVG drawing.
-- @string text an SVG file
-- @treturn table
function notebook.svg(text)
  return notebook.data { ['image/svg+xml'] = check.text('notebook.svg', 'text', text), ['text/plain'] = '[a drawing, SVG]' }
end

--- A value that is shown as a picture.
-- @tparam torch.Tensor picture height x width, or 1, 3 or 4 channels x height x width; from 0 to 1, or bytes
-- @treturn table
function notebook.image(picture) return mime.given(require 'notebook.picture'(picture)) end

return notebook
