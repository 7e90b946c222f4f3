-- For bin/minimal: the ops, ONNX nodes and dtypes that models need, as a file for cmake/minimal.cmake.
--
--     th bin/minimal.lua FILE MODEL...
package.path = './?.lua;' .. package.path
local torch, onnx = require 'torch', require 'onnx'
local C, modelNeeds = require 'libmoontorch', require 'bin.model_needs'

local function fail(...)
  io.stderr:write('bin/minimal: ', string.format(...), '\n')
  os.exit(1)
end

local isDType = {}      -- of small libraries: those with arithmetic
for _, info in ipairs(C.dtypes) do isDType[info.name] = not info.storage or nil end
local ops, dtypes, nodes = modelNeeds.ofEngine(), {}, {}
for _, name in ipairs { 'bool', 'uint8', 'int32', 'int64', 'float32', 'float64' } do dtypes[name] = true end      -- kernels use them inside

-- ---- the models

local function addGraph(info)
  for i, op in ipairs(info.ops) do
    ops[op] = true
    for _, body in pairs(info.bodies[i] or {}) do addGraph(body) end
  end
end

local names, wanted = {}, {}      -- of files, and of the ONNX ops in models
for i = 2, #arg do
  local path = arg[i]
  names[#names + 1] = path:match '[^/]*$'
  if path:find '%.onnx$' then
    local good, model = pcall(onnx.load, path)
    if not good then fail('%s', model) end
    local needs = model:_needs()
    for _, name in ipairs(needs.ops) do wanted[name] = true end
    for _, name in ipairs(needs.dtypes) do
      if not isDType[name] then fail('%s: elements of the type %s, which a small library lacks', path, name) end
      dtypes[name] = true
    end
  else
    local good, graph = pcall(torch.graph.load, path)
    if not good then fail('%s', graph) end
    addGraph(graph:info())
    for word in tostring(graph):gmatch '%f[%w]%w+' do dtypes[word] = dtypes[word] or isDType[word] end
  end
end
for name in pairs(wanted) do
  local needs = modelNeeds.ofNode(name) or fail('no source of the ONNX op %s', name)
  for op in pairs(needs.ops) do ops[op] = true end
  for dtype in pairs(needs.dtypes) do dtypes[dtype] = isDType[dtype] end
  for node in pairs(needs.nodes) do nodes[node] = true end
end

-- ---- the file

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end

local families, missing = {}, {}
for _, name in ipairs(C.opInfo()) do
  if ops[name] then
    families[C.opInfo(name, 'family')] = true
  else
    missing[('"%s %s"'):format(name, C.opInfo(name, 'alias'))] = true
  end
end
local file = assert(io.open(arg[1], 'w'))
file:write('# Written by bin/minimal for ', table.concat(names, ', '), '.\n')
local function set(variable, values) file:write('set(', variable, ' ', table.concat(sorted(values), ' '), ')\n') end
set('MT_BUILT_OPS', ops)
set('MT_BUILT_FAMILIES', families)
set('MT_BUILT_NODES', nodes)
set('MT_BUILT_DTYPES', dtypes)
set('MT_MISSING_OPS', missing)
file:write('set(MT_BUILD_SHOWN "bin/minimal ', table.concat(names, ' '):gsub('[^%w_. -]', '_'), '")\n')
file:close()
print(('%d ops of %d, %d ONNX ops, %d dtypes'):format(#sorted(ops), #C.opInfo(), #sorted(nodes), #sorted(dtypes)))
