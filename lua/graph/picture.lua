--- Pictures of graphs.
-- @module graph
local C, check, graphviz = require 'libmoontorch', require 'torch.check', require 'graph.graphviz'

local picture = {}

local function textOf(where, g, title)
  if type(g) ~= 'table' or type(g.todot) ~= 'function' then
    check.raise(('%s: g: %s, expected a graph.Graph'):format(where, require 'torch'.type(g)))
  end
  return g:todot(title)
end

-- Opens a window with the graph if there is a screen, without waiting for it.
local function show(text)
  local viewer = require('paths').findprogram('xdg-open', 'open')
  local hasScreen = (os.getenv 'DISPLAY' or '') .. (os.getenv 'WAYLAND_DISPLAY' or '') ~= ''
  if not (viewer and hasScreen and graphviz.has 'dot') then return false end
  local name = C.temporaryName('.svg', true)      -- the viewer may read it after this process has ended
  if not graphviz.run('dot', text, 'svg', name) then return false end
  return os.execute(('%s %s >/dev/null 2>&1 &'):format(viewer, name)) ~= nil
end

--- Draws a graph. With a file name it writes `<filename>.dot`, the graph in Graphviz's language, and `<filename>.svg`, if Graphviz is
-- installed. Without one it shows the picture on the screen, or prints Graphviz's language if there is no screen.
-- @function graph.dot
-- @tparam graph.Graph g
-- @tparam[opt] string title
-- @tparam[opt] string filename without extension
-- @raise if a file can't be written
function picture.dot(g, title, filename)
  local text = textOf('graph.dot', g, title)
  if filename == nil then
    if not show(text) then io.write(text) end
    return
  end
  filename = check.name('graph.dot', 'filename', filename)
  local message = graphviz.write(filename .. '.dot', text)
  check.that(not message, 'graph.dot: filename: ' .. tostring(message))
  if not graphviz.has 'dot' then
    io.stderr:write(('graph.dot: no %s.svg: %s\n'):format(filename, graphviz.missing:format 'dot'))
    return
  end
  local done, complaint = graphviz.run('dot', text, 'svg', filename .. '.svg')
  check.that(done, 'graph.dot: ' .. tostring(complaint))
end

return picture
