--- Errors in a node: adds its position to the message, and optionally draws the network.
-- @module nngraph
local check, children = require 'torch.check', require 'nn.support.children'

local failures = {}

local isDebugging = false

--- Whether an error in a node draws the network into `<name>.svg` and `<name>.dot`, with that node in red. The name is the network's field
-- `name`, or `nngraph_Xin_Yout`.
-- @function nngraph.setDebug
-- @bool wanted
function failures.setDebug(wanted)
  isDebugging = check.flag('nngraph.setDebug', 'wanted', wanted) or false
end

-- The node of the forward graph that has a step's data.
local function nodeOf(net, step)
  for _, node in ipairs(net.fg.nodes) do
    if node.data == step.data then return node end
  end
end

local function draw(net, step)
  local name = net.name or ('nngraph_%din_%dout'):format(net.nInputs, #net.outnode.children)
  local annotations = nodeOf(net, step).data.annotations
  local attributes = annotations.graphAttributes
  local red = { color = 'red', style = 'filled', fillcolor = '#ffb0b0' }
  for key, value in pairs(attributes or {}) do red[key] = red[key] or value end
  annotations.graphAttributes = red
  local done, message = pcall(require 'graph'.dot, net.fg, name, name)
  annotations.graphAttributes = attributes
  io.stderr:write(done and ('nngraph: the node that failed is red in %s.svg\n'):format(name) or tostring(message) .. '\n')
end

-- Where a node was declared, for messages.
local function declared(step)
  local annotations = step.data.annotations
  local name = annotations.name and tostring(annotations.name) .. ', ' or ''
  return ('%sdeclared on %s'):format(name, annotations._debugLabel)
end

--- Raises the error of a step.
-- @tparam nn.gModule net
-- @tparam ?table step the one that ran; nil before the first
-- @param message the raised error
-- @tparam function inputOf of a step
function failures.tell(net, step, message, inputOf)
  if step and isDebugging then draw(net, step) end
  if not step or not step.data.module then error(message, 0) end
  children.failed(net, step.data.module, step.index, message, inputOf(step), declared(step))
end

return failures
