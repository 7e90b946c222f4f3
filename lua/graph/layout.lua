--- Layouts of graphs by Graphviz.
-- @module graph
local torch, check, graphviz = require 'torch', require 'torch.check', require 'graph.graphviz'
local language = require 'graph.language'

local layout = {}

local algorithms = 'dot neato fdp sfdp twopi circo osage patchwork'

local function checked(where, g, algorithm)
  if type(g) ~= 'table' or type(g.todot) ~= 'function' then
    check.raise(('%s: g: %s, expected a graph.Graph'):format(where, torch.type(g)))
  end
  if not (' ' .. algorithms .. ' '):find((' %s '):format(tostring(algorithm)), 1, true) then
    check.raise(("%s: algorithm: '%s', expected one of these: %s"):format(where, tostring(algorithm), algorithms))
  end
end

--- Draws a graph to a file. The extension determines the format: svg, png, pdf, ps, gif, jpg, dot.
-- @function graph.graphvizFile
-- @tparam graph.Graph g
-- @string algorithm 'dot', 'neato', 'fdp', 'sfdp', 'twopi', 'circo', 'osage' or 'patchwork'
-- @string filename
-- @raise if Graphviz is not installed, or can't write the file
function layout.graphvizFile(g, algorithm, filename)
  checked('graph.graphvizFile', g, algorithm)
  filename = check.name('graph.graphvizFile', 'filename', filename)
  local format = filename:match '%.(%w+)$'
  check.that(format, ("graph.graphvizFile: filename: '%s' has no ending, which selects the format"):format(filename))
  local done, complaint = graphviz.run(algorithm, g:todot(), format, filename)
  check.that(done, 'graph.graphvizFile: ' .. tostring(complaint))
end

--- The positions of the nodes, in the order of `g.nodes`.
-- @function graph.graphvizLayout
-- @tparam graph.Graph g
-- @string algorithm as in `graphvizFile`
-- @treturn torch.Tensor n x 2: x to the right and y upwards, in points (1/72 inch)
-- @raise if Graphviz is not installed
function layout.graphvizLayout(g, algorithm)
  checked('graph.graphvizLayout', g, algorithm)
  local place, given = {}, { nodes = g.nodes, edges = g.edges }
  for i, node in ipairs(g.nodes) do place[node] = i end
  local text = language(given, nil, function(node) return place[node] end)
  local plain, complaint = graphviz.run(algorithm, text, 'plain')
  check.that(plain, 'graph.graphvizLayout: ' .. tostring(complaint))
  local positions = torch.Tensor(#g.nodes, 2)
  for x, y, i in plain:gmatch '\nnode %S+ ([%d.e+-]+) ([%d.e+-]+) %S+ %S+ "?(%d+)' do
    positions[tonumber(i)][1], positions[tonumber(i)][2] = tonumber(x) * 72, tonumber(y) * 72
  end
  return positions
end

return layout
