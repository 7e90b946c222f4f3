--- Graphs in Graphviz's language.
-- @module graph.language
local check = require 'torch.check'

-- Quotes a string in the language; line breaks are preserved.
local function quoted(text) return '"' .. tostring(text):gsub('[\\"]', '\\%0'):gsub('\r?\n', '\\n'):gsub('%z', '') .. '"' end

local keywords = { node = true, edge = true, graph = true, digraph = true, subgraph = true, strict = true }

-- A name or value as Graphviz writes it: without quotes if the language needs none, and unchanged if the program has quoted it.
local function word(text)
  text = tostring(text)
  if text:find '^[%a_][%w_]*$' and not keywords[text:lower()] or text:find '^%-?%d+%.?%d*$' then return text end
  local inner = text:match '^"(.*)"$'
  return inner and not inner:gsub('\\.', ''):find '["\\%z]' and text or quoted(text)
end

local function attributes(given)
  local names, parts = {}, {}
  for name in pairs(given) do names[#names + 1] = tostring(name) end
  table.sort(names)
  for i, name in ipairs(names) do parts[i] = ('%s=%s'):format(word(name), word(given[name])) end
  return table.concat(parts, ', ')
end

local function statement(node, name, label)
  local given = { label = quoted(label(node)) }
  if node.graphNodeAttributes then
    for key, value in pairs(node:graphNodeAttributes()) do given[key] = value end
  end
  return ('%s [%s];'):format(name, attributes(given))
end

local function labelOf(node) return node:label() end

--- The text of a graph.
-- @tparam graph.Graph graph
-- @tparam[opt] string title
-- @tparam[opt] function label of a node -> its label
-- @treturn string
return function(graph, title, label)
  local lines, names = { 'digraph G {', 'node [shape = oval];' }, {}
  if title ~= nil then
    table.insert(lines, 2, ('labelloc="t";\nlabel=%s;'):format(quoted(check.text('graph.Graph.todot', 'title', title))))
  end
  for _, node in ipairs(graph.nodes) do
    names[node] = word(node.graphNodeName and node:graphNodeName() or 'n' .. node.id)
    lines[#lines + 1] = statement(node, names[node], label or labelOf)
  end
  for _, edge in ipairs(graph.edges) do
    local text = edge:label()
    lines[#lines + 1] = ('%s -> %s%s;'):format(names[edge.from], names[edge.to], text ~= '' and (' [label=%s]'):format(quoted(text)) or '')
  end
  lines[#lines + 1] = '}\n'
  return table.concat(lines, '\n')
end
