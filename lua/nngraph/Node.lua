--- A node of a network: a module and the sources of its input.
-- The children of a node are the nodes whose outputs are its input. Its `data` has the fields `module`; `annotations`, by name; `mapindex`,
-- a list of the data of its input nodes that also maps each to its position; `reverseMap`, whose keys are the nodes after it; and, after
-- the network has run, the lists `input` and `gradOutput`. Parts of a split have `selectindex`, the node that is split has `nSplitOutputs`.
-- No path through values of tables leads from the data of a node back to it, since programs traverse these tables.
-- @classmod nngraph.Node
local torch, check = require 'torch', require 'torch.check'
local messages, place = require 'torch.check.message', require 'nngraph.place'

local Node, parent = torch.class('nngraph.Node', 'graph.Node', require 'nngraph')

--- @tparam table data
function Node:__init(data)
  parent.__init(self, data)
  data = self.data
  data.annotations = data.annotations or {}
  data.mapindex, data.reverseMap = data.mapindex or {}, data.reverseMap or {}
  data.input, data.gradOutput = data.input or {}, data.gradOutput or {}
  data.annotations._debugLabel = data.annotations._debugLabel or place()
end

--- Adds input nodes, after the existing ones.
-- @tparam nngraph.Node|{nngraph.Node,...} child
function Node:add(child)
  local known = #self.children
  parent.add(self, child)
  for i = known + 1, #self.children do
    local from = self.children[i].data
    table.insert(self.data.mapindex, from)
    self.data.mapindex[from] = #self.data.mapindex
    from.reverseMap[self] = true
  end
end

--- Adds annotations to the node.
-- @tparam table annotations `name`, `description`; `graphAttributes`: Graphviz's attributes, such as { color = 'red' }; and any others
-- @treturn nngraph.Node self
function Node:annotate(annotations)
  for key, value in pairs(check.table('nngraph.Node.annotate', 'annotations', annotations)) do self.data.annotations[key] = value end
  return self
end

--- Nodes for the elements of the node's output, a table. All of them must lead to an output of the network.
-- @int count how many elements the table has; a forward in which it has another number raises an error
-- @treturn nngraph.Node ... n nodes
function Node:split(count)
  count = check.whole('nngraph.Node.split', 'count', count, { min = 1 })
  if count == 1 then return (require('nngraph').JustElement()(self)) end
  local label = self.data.annotations._debugLabel
  local splitLabel = ('%s split at %s-mnode'):format(label, (place():gsub('_[^_]*$', '')))
  local whole = Node { nSplitOutputs = count, annotations = { _debugLabel = splitLabel } }
  whole:add(self)
  local parts = {}
  for i = 1, count do
    parts[i] = Node { selectindex = i, annotations = { _debugLabel = ('%s-%d'):format(label, i) } }
    parts[i]:add(whole)
  end
  return unpack(parts)
end

-- A short description of a value: sizes of tensors, in lists.
local function sketch(value)
  if torch.isTensor(value) then return messages.tensor(value) end
  if type(value) ~= 'table' or torch.typename(value) then return tostring(value) end
  local parts = {}
  for i, element in ipairs(value) do parts[i] = sketch(element) end
  return '{' .. table.concat(parts, ', ') .. '}'
end

local function sketchAll(list) return sketch(#list == 1 and list[1] or list) end

--- The node's label in pictures: its name, description and module, and, after it has run, the sizes of its inputs and gradients.
-- @treturn string
function Node:label()
  local data, lines = self.data, {}
  local function say(text) lines[#lines + 1] = text end
  if data.annotations.name then say(tostring(data.annotations.name)) end
  if data.annotations.description then say(tostring(data.annotations.description)) end
  if data.module then say(tostring(data.module)) end
  if data.selectindex then say('element ' .. data.selectindex) end
  if data.nSplitOutputs then say(('split(%d)'):format(data.nSplitOutputs)) end
  if data.input and #data.input > 0 then say('input = ' .. sketchAll(data.input)) end
  if data.gradOutput and #data.gradOutput > 0 then say('gradOutput = ' .. sketchAll(data.gradOutput)) end
  return #lines > 0 and table.concat(lines, '\n') or 'Node' .. self.id
end

--- The node's name in Graphviz's language.
-- @treturn string
function Node:graphNodeName()
  local name = self.data.annotations.name
  return name and ('%s (%d)'):format(name, self.id) or 'Node' .. self.id
end

--- The node's attributes in Graphviz's language.
-- @treturn table
function Node:graphNodeAttributes() return self.data.annotations.graphAttributes or {} end

--- `node - module` is `module(node)`.
function Node.__sub__(node, module)
  if not torch.isTypeOf(module, 'nn.Module') and not torch.isTypeOf(module, 'nn.Criterion') then
    check.raise(('nngraph.Node: node - module: module: %s, expected a module'):format(messages.kind(module)))
  end
  return (module(node))
end

function Node:__tostring__()
  local name = self.data.annotations.name
  return torch.type(self) .. (name and ' ' .. tostring(name) or self.data.module and ' ' .. torch.type(self.data.module) or '')
end

return Node
