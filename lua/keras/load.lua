--- Files of Keras: opens them, and makes a state of their weights.
-- @module keras.load
local ffi = require 'ffi'
local torch, check = require 'torch', require 'torch.check'
local json, objects, outside, zip = require 'torch.file.json', require 'torch.file.python_tables', require 'torch.file.outside',
  require 'torch.file.zip'

local archived = 'model.weights.h5'

-- Turns the columns of a matrix from the order of a picture (height, width, channels) to (channels, height, width).
local function turned(x, sizes, name)
  local channels, height, width = unpack(sizes)
  if x:dim() ~= 2 or x:size(2) ~= channels * height * width then
    error(('flattened: %s: %d x %d x %d, expected sizes of %d numbers'):format(name, channels, height, width, x:size(x:dim())), 0)
  end
  return x:view(x:size(1), height, width, channels):permute(1, 4, 2, 3):contiguous():view(x:size(1), -1)
end

local deepest = 100

-- Adds the layers of a configuration to a list, by name: {class =, config =}.
local function addLayers(found, value, depth)
  if type(value) ~= 'table' or depth > deepest then return found end
  local config = value.config
  if type(value.class_name) == 'string' and type(config) == 'table' and type(config.name) == 'string' then
    found[config.name] = { class = value.class_name, config = config }
  end
  for _, each in pairs(value) do addLayers(found, each, depth + 1) end
  return found
end

-- Gives weights the names that depend on the layer's configuration.
local function complete(weights, layer)
  local function rename(from, to)
    if not weights[from] or weights[to] then return end
    weights[to], weights[from] = weights[from], nil
    for i, name in ipairs(weights.names) do weights.names[i] = name == from and to or name end
  end
  if layer.class:find '^DepthwiseConv' then rename('kernel', 'depthwise_kernel') end
  if layer.config.center == false then rename('beta', 'gamma') end
  if layer.config.scale == false then rename('gamma', 'beta') end
end

local function stateOf(file, flattened, config)
  local described = addLayers({}, config, 1)
  local state, used = objects.dictionary 'collections.OrderedDict', {}
  require 'keras.layers'.visit(file, function(weights, place, ending, isRaw)
    for _, name in ipairs(weights.names) do
      if not torch.isTensor(weights[name]) then
        if type(weights[name]) ~= 'number' then error(('%s of %s is no tensor of numbers'):format(name, place), 0) end
        weights[name] = torch.DoubleTensor { weights[name] }
      end
    end
    local layer = described[place:match '[^.]*$']
    if layer then complete(weights, layer) end
    local good, problem = pcall(require 'keras.rules'.convert, weights, ending, isRaw, function(name, x)
      local key = place == '' and name or place .. '.' .. name
      if state[key] ~= nil then error(('two weights %s'):format(key), 0) end
      if flattened[place] and name == 'weight' then
        x, used[place] = turned(x, flattened[place], place), true
      end
      objects.set(state, key, x)
    end)
    if not good then error(('layer %s: %s'):format(place, problem), 0) end
  end)
  for name in pairs(flattened) do
    if not used[name] then error(('flattened: %s, expected the name of a layer with a matrix'):format(name), 0) end
  end
  return state
end

local function readConfig(text) return type(text) == 'string' and json.decode(text) or nil end

-- Closes a file of HDF5 after f.
local function with(file, f)
  local good, first, second = pcall(f, file)
  file:close()
  if not good then error(first, 0) end
  return first, second
end

-- Calls f with the file of HDF5 at a name, which may be in an archive of Keras 3, and the configuration.
local function open(where, name, f)
  return outside.open(where, name, function(channel)
    local hdf5 = require 'hdf5'
    if require 'torch.file.recognise'.head(channel):sub(1, 2) ~= 'PK' then
      return with(hdf5.open(name, 'r'), function(file) return f(file, readConfig(file:read '/':attribute 'model_config')) end)
    end
    local members = {}
    for _, member in ipairs(zip.members(channel)) do members[member.name] = member end
    if not members[archived] then error(('an archive without %s, expected one of Keras'):format(archived), 0) end
    local described = members['config.json']
    local config = described and readConfig(outside.text(zip.read(channel, described), described.size, 'a text'))
    local source = zip.read(channel, members[archived])      -- checks the size
    local bytes = torch.ByteStorage(members[archived].size)
    source:read(bytes:data(), bytes:size())
    local image = hdf5.HDF5File._ofImage(archived, ffi.cast('uint8_t *', bytes:data()), bytes:size())
    return with(image, function(file) return f(file, config) end)
  end)
end

local function checkFlattened(where, flattened)
  for name, sizes in pairs(check.table(where, 'flattened', flattened)) do
    if type(sizes) ~= 'table' or #sizes ~= 3 then
      check.raise(('%s: flattened: %s, expected { channels, height, width }'):format(where, tostring(name)))
    end
    for i = 1, 3 do check.int(where, 'flattened: ' .. tostring(name), sizes[i], { min = 1 }) end
  end
  return flattened
end

return {
  --- Loads the weights of a file of Keras. Names are PyTorch's: layers' names joined by dots, then `weight`, `bias`, `running_mean`,
  -- `running_var`, `weight_ih_l0`, ... Kernels have PyTorch's order of dimensions, and gates of GRU its order. Weights of other layers keep
  -- Keras's names and order.
  -- @string name file: `.keras`, `.weights.h5`, or `.h5` of Keras 2 and 3, of weights or of whole models
  -- @tparam[opt] table options `flattened`: sizes {channels, height, width} of pictures that a Flatten precedes, by name of the Dense layer
  -- behind it: its columns are turned, since Keras has channels last
  -- @treturn table tensors by name, in the file's order, for `net:loadStateDict`
  -- @raise if the file is damaged or not Keras's, or a GRU has reset_after = False
  -- @usage local state = keras.load('model.keras', { flattened = { dense = { 32, 5, 5 } } })
  load = function(name, options)
    name = check.name('keras.load', 'name', name)
    options = check.options('keras.load', options, { 'flattened' })
    local flattened = checkFlattened('keras.load', options.flattened or {})
    return (open('keras.load', name, function(file, config) return stateOf(file, flattened, config) end))
  end,

  --- Returns the description of the network in a file of Keras.
  -- @string name file
  -- @treturn ?table Keras's configuration: `class_name`, `config` with `layers`; nil if the file has weights alone
  -- @raise if the file is damaged
  -- @usage for _, layer in ipairs(keras.config('model.keras').config.layers) do print(layer.class_name, layer.config.name) end
  config = function(name)
    name = check.name('keras.config', 'name', name)
    return (open('keras.config', name, function(_, config) return config end))
  end,
}
