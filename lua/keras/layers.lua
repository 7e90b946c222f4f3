--- The layers with weights in Keras's HDF5 files: those of Keras 2 and of `model.save('x.h5')`, where weights have names, and those of
-- `.weights.h5`, where they have numbers.
-- @module keras.layers
local rules = require 'keras.rules'

local layers = {}

local deepest = 64
local einsums = { query = true, key = true, value = true, attention_output = true, query_dense = true, key_dense = true, value_dense = true,
                  output_dense = true }

local function isGroup(object) return object.names ~= nil end

-- Returns the parts of a path, joined by dots, without those inside a layer that name a direction or a cell; the ending of the direction;
-- and whether it is an einsum.
local function placeOf(parts)
  local kept, ending, isRaw = {}, '', false
  for i, part in ipairs(parts) do
    local isBackward, isCell = part:find '^backward_', part == 'cell' or part:find '_cell$' or part:find '_cell_%d+$'
    local isInner = i > 1 and (isBackward or isCell or part:find '^forward_')
    if i > 1 and isBackward then ending = '_reverse' end
    isRaw = isRaw or i > 1 and einsums[part] or false
    if not isInner then kept[#kept + 1] = part end
  end
  return table.concat(kept, '.'), ending, isRaw
end

-- Returns the list at the attribute of a group, which Keras splits into numbered ones if it is long.
local function listOf(group, name)
  local list = group:attribute(name)
  if type(list) == 'string' then return { list } end
  if type(list) == 'table' then return list end
  local all, i = {}, 0
  while true do
    local part = group:attribute(name .. i)
    if type(part) ~= 'table' then return (list ~= nil or i > 0) and all or nil end
    for _, each in ipairs(part) do all[#all + 1] = each end
    i = i + 1
  end
end

-- Visits the layers of a file whose weights have names.
local function visitNamed(root, names, visit)
  for _, layer in ipairs(names) do
    if not root:has { layer } then error(('no group of the layer %s, which layer_names lists'):format(layer), 0) end
    local group = root:read { layer }
    local places, order = {}, {}
    for _, path in ipairs(isGroup(group) and listOf(group, 'weight_names') or {}) do
      local parts = {}
      for part in path:gmatch '[^/]+' do parts[#parts + 1] = part end
      if #parts == 0 or not group:has(parts) then error(('no weight %s of the layer %s'):format(path, layer), 0) end
      local set = group:read(parts)
      local name = table.remove(parts):gsub(':%d+$', '')
      local first = 1
      for i, part in ipairs(parts) do first = part == layer and i + 1 or first end
      local key = table.concat(parts, '/')
      if not places[key] then
        places[key] = { parts = { layer, unpack(parts, first) }, names = {} }
        order[#order + 1] = places[key]
      end
      local place = places[key]
      if place[name] ~= nil then error(('two weights %s of the layer %s'):format(name, layer), 0) end
      place.names[#place.names + 1], place[name] = name, set:all()
    end
    for _, place in ipairs(order) do visit(place, placeOf(place.parts)) end
  end
end

-- Returns the weights of a group of numbered datasets by name.
local function numbered(group, class, path)
  local count = #group:names()
  local known = rules.variables[class] and rules.variables[class][count]
  local weights, names = { names = {} }, {}
  for name in (known or ''):gmatch '%S+' do names[#names + 1] = name end
  for i = 1, count do
    local name = names[i] or tostring(i - 1)
    if not group:has { tostring(i - 1) } then error(('no weight %d in %s'):format(i - 1, path), 0) end
    weights.names[i], weights[name] = name, group:read({ tostring(i - 1) }):all()
  end
  return weights
end

local containers = { layers = true, _layer_checkpoint_dependencies = true }

-- Visits the layers below a group; `class` is that of the layer around it.
local function visitNumbered(group, path, parts, class, inLayers, visit)
  if #parts > deepest then error(('more than %d groups in one another at %s'):format(deepest, path), 0) end
  for _, name in ipairs(group:names()) do
    local child = group:read { name }
    local here = path .. '/' .. name
    if isGroup(child) then
      if name == 'vars' then
        if #child:names() > 0 then
          local place, ending, isRaw = placeOf(parts)
          visit(numbered(child, class, here), place, ending, isRaw)
        end
      elseif containers[name] then
        visitNumbered(child, here, parts, nil, true, visit)
      elseif path ~= '' or name ~= 'optimizer' then
        local shown, own = name, class
        if inLayers or not class then own = name:gsub('_%d+$', '') end
        if name == 'cell' then own = 'lstm' end      -- also inside of other layers
        if inLayers and child:has { 'vars' } then shown = child:read({ 'vars' }):attribute 'name' or name end
        local below = { unpack(parts) }
        below[#below + 1] = type(shown) == 'string' and shown or name
        visitNumbered(child, here, below, own, false, visit)
      end
    end
  end
end

--- Visits the layers with weights.
-- @tparam hdf5.HDF5File file
-- @tparam function visit called with the weights by Keras's names (`names`: their order), the layer's place, names joined by dots, the
-- ending of a direction, and whether it is an einsum
-- @raise if the file is not Keras's
function layers.visit(file, visit)
  local root = file:read '/'
  local named = root:has { 'model_weights' } and root:read { 'model_weights' } or root
  if not isGroup(named) then error('model_weights is a dataset, expected a group', 0) end
  local names = listOf(named, 'layer_names')
  if names then return visitNamed(named, names, visit) end
  if not root:has { 'layers' } and not root:has { '_layer_checkpoint_dependencies' } and not root:has { 'vars' } then
    error('no attribute layer_names, and no group layers, expected weights of Keras', 0)
  end
  visitNumbered(root, '', {}, nil, false, visit)
end

return layers
