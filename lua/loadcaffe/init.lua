--- Networks of Caffe, in the interface of Torch7's package loadcaffe. Nothing in the files runs as code.
-- @module loadcaffe
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'
local check, outside = require 'torch.check', require 'torch.file.outside'
require 'nn'

local loadcaffe = rawget(_G, 'loadcaffe') or {}
package.loaded.loadcaffe = loadcaffe
rawset(_G, 'loadcaffe', loadcaffe)

local function readText(name)
  return (outside.open('loadcaffe.load', name, function(channel)
    local text = outside.text(channel, channel:size(), 'a text')
    return require 'loadcaffe.prototxt'(text, 'NetParameter')
  end))
end

--- Loads a network of Caffe: its layers, as modules of the default tensor type, with their weights, in training mode.
-- A chain of layers becomes a flat nn.Sequential with the modules of Torch7's loadcaffe, in its order; a network with branches becomes an
-- nn.Sequential with an nn.gModule. Each module has the name of its layer. Inputs stay as trained: for most published networks channels in
-- the order BGR, from 0 to 255, minus a mean.
-- @string prototxt text file with the layers
-- @string caffemodel binary file with the weights, and the layers of the training
-- @string[opt='nn'] backend 'nn'; 'cudnn': modules of that package, on the GPU
-- @tparam[opt] table options `layers`: 'caffemodel' (as in Torch7; a Softmax in the last place has no module unless the file is of the
-- old form), or 'prototxt': the layers of the prototxt, with the weights of the layers of the same names; `quiet` (false): prints nothing
-- @treturn nn.Sequential
-- @raise if a file is damaged, if layers are unknown, by their names and types, or if weights have other sizes
-- @usage local net = loadcaffe.load('VGG_ILSVRC_16_layers_deploy.prototxt', 'VGG_ILSVRC_16_layers.caffemodel', 'nn')
-- net:evaluate()
function loadcaffe.load(prototxt, caffemodel, backend, options)
  local where = 'loadcaffe.load'
  prototxt, caffemodel = check.name(where, 'prototxt', prototxt), check.name(where, 'caffemodel', caffemodel)
  backend = check.choice(where, 'backend', backend == nil and 'nn' or backend, { 'nn', 'cudnn' })
  options = check.options(where, options, { 'layers', 'quiet' })
  local from = check.choice(where, 'layers', options.layers or 'caffemodel', { 'caffemodel', 'prototxt' })
  check.flag(where, 'quiet', options.quiet)
  return check.call(function()
    local cudnn = backend == 'cudnn' and require 'cudnn'
    local network, lines = require 'loadcaffe.network', {}
    local text = readText(prototxt)
    local model, file = outside.map(where, caffemodel, function(_, file)
      return require 'loadcaffe.binary'(require 'ffi'.cast('uint8_t *', file:data()), file:size(), 'NetParameter'), file
    end)
    local usesText = from == 'prototxt'
    local good, net = pcall(network.make, usesText and text or model, file, usesText and network.weightsOf(model) or nil,
      function(line) lines[#lines + 1] = line end)
    if not good then error(('%s: %s: %s'):format(where, usesText and prototxt or caffemodel, net), 0) end
    if not options.quiet then
      print('Successfully loaded ' .. caffemodel)
      for _, line in ipairs(lines) do print(line) end
    end
    if cudnn then net = cudnn.convert(net, cudnn):cuda() end
    return net
  end)
end

loadcaffe._version = torch.version_

return loadcaffe
