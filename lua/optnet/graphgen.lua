--- The data flow graph of a network's modules: `require 'optnet.graphgen'(net, input)`.
-- @module optnet.graphgen
local torch, graph, trace, storages = require 'torch', require 'graph', require 'optnet.trace', require 'optnet.storages'

-- Adds a node for each module that computes, and edges from the modules that wrote its input.
local function build(events, input, output, label)
  local made, writers = graph.Graph(), {}
  local function edgesTo(node, set)
    local met = {}
    for key in pairs(set) do
      local from = writers[key]
      if from and from ~= node and not met[from] then
        met[from] = true
        made:add(graph.Edge(from, node))
      end
    end
  end
  local function write(node, set)
    for key in pairs(set) do writers[key] = node end
  end
  local first = graph.Node(label 'Input')
  made:addNode(first)
  write(first, storages.of(input))
  for _, event in ipairs(events) do
    local isContainer, isNew = event.module.modules ~= nil, true
    if isContainer then                                            -- returns its children's results: computes nothing itself
      isNew = next(event.makes) ~= nil
      for key in pairs(event.makes) do isNew = isNew and not writers[key] end
    end
    if isNew then
      local node = graph.Node(label(torch.type(event.module), event.module))
      made:addNode(node)
      edgesTo(node, event.uses)
      write(node, event.makes)
    end
  end
  local last = graph.Node(label 'Output')
  made:addNode(last)
  edgesTo(last, storages.of(output))
  return made
end

--- Runs a network forward and returns the graph of its data flow.
-- @tparam nn.Module net
-- @param input its input
-- @tparam[opt] table opts label, a function (name, module) that returns a node's data; the name by default
-- @treturn graph.Graph from the node 'Input' to the node 'Output'
return function(net, input, opts)
  if not torch.isTypeOf(net, 'nn.Module') then error(('optnet.graphgen: net: a %s, expected a module'):format(torch.type(net)), 2) end
  local output
  local events = trace.record(net, 'updateOutput', 'output', function() output = net:forward(input) end)
  return build(events, input, output, opts and opts.label or function(name) return name end)
end
