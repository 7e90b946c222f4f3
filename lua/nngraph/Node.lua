--- A node of a network: a module and where its input comes from.
-- The children of a node are the nodes that it takes its input from. Its `data` has the fields `module`; `annotations`, by name;
-- `mapindex`, the data of the nodes before it, as a list that also has the position of each under itself; `reverseMap`, whose keys are the
-- nodes after it; and, once the network has run, `input` and `gradOutput`, in lists. Parts of a split have `selectindex`, what they are
-- parts of `nSplitOutputs`. No path through values of tables leads from the data of a node back to them: programs traverse them.
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

--- Takes input from other nodes, after those that it has.
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

--- Says more of the node.
-- @tparam table annotations `name`, `description`; `graphAttributes`: how pictures draw it, such as { color = 'red' }; anything else
-- @treturn nngraph.Node self
function Node:annotate(annotations)
  for key, value in pairs(check.table('nngraph.Node.annotate', 'annotations', annotations)) do self.data.annotations[key] = value end
  return self
end

--- Nodes for the elements of the node's output, a table. All of them must lead to an output of the network.
-- @int count how many elements the table has; a forward in which it has another number raises an error
-- @treturn nngraph.Node ... as many
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

-- What a value is, in a word: sizes of tensors, in lists.
local function sketch(value)
  if torch.isTensor(value) then return messages.tensor(value) end
  if type(value) ~= 'table' or torch.typename(value) then return tostring(value) end
  local parts = {}
  for i, element in ipairs(value) do parts[i] = sketch(element) end
  return '{' .. table.concat(parts, ', ') .. '}'
end

local function sketchAll(list) return sketch(#list == 1 and list[1] or list) end

--- What pictures write into it: its name, description and module, and, once it has run, the sizes of what came.
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

--- What it is called in Graphviz's language.
-- @treturn string
function Node:graphNodeName()
  local name = self.data.annotations.name
  return name and ('%s (%d)'):format(name, self.id) or 'Node' .. self.id
end

--- How pictures draw it.
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
