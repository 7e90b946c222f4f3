-- The fuzzed formats of networks: Torch7's, Caffe's and Keras's. libhdf5 reads the bytes of HDF5, and damaged ones crash it, so that the
-- contents of valid files are changed instead: names, sizes and attributes.
local torch, nn = require 'torch', require 'nn'
require 'nngraph'
local hdf5, keras, loadcaffe = require 'hdf5', require 'keras', require 'loadcaffe'
local files = require 'spec.support.files'
local paths = require 'paths'

local caffe = 'spec/loadcaffe/'
local quiet, byText = { quiet = true }, { quiet = true, layers = 'prototxt' }
local parts = {}
for part in ([[
  a kernel bias recurrent_kernel lstm_cell backward_x gamma 0 1 vars layers cell query depthwise_kernel pointwise_kernel model_weights
  layer_names weight_names name model_config a/kernel:0
]]):gmatch '%S+' do
  parts[#parts + 1] = part
end

-- Writes a file of HDF5 whose contents follow the bytes of a text.
local function writeContents(name, bytes)
  local at = 0
  local function byte()
    at = at + 1
    return bytes:byte(at) or 0
  end
  local function part() return parts[byte() % #parts + 1] end
  local file = hdf5.open(name, 'w')
  while at < #bytes do
    local kind, place = byte() % 4, part() .. '/' .. part() .. '/' .. part()
    if kind < 2 then
      local sizes = {}
      for i = 1, byte() % 5 do sizes[i] = byte() % 7 end
      pcall(file.write, file, place, #sizes == 0 and 'text' or torch.ones(unpack(sizes)))
    elseif kind == 2 then
      local list = {}
      for i = 1, byte() % 4 do list[i] = part() end
      local good, object = pcall(file.read, file, byte() % 2 == 0 and '/' or part())
      if good then pcall(object.setAttribute, object, part(), list[1] and list or 3) end
    else
      local good, object = pcall(file.read, file, part())
      local text = byte() % 2 == 0 and part() or '{"config": {"name": "a", "center": false}}'
      if good then pcall(object.setAttribute, object, part(), text) end
    end
  end
  file:close()
end

-- Torch7's networks, with views of one storage, gradients and a graph.
local function networks()
  local list = {
    nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.SpatialBatchNormalization(2)):add(nn.ReLU(true)):add(nn.View(2)),
    nn.Sequential():add(nn.ConcatTable():add(nn.Linear(2, 2)):add(nn.Identity())):add(nn.CAddTable()):add(nn.LogSoftMax()),
    nn.Sequential():add(nn.LookupTable(3, 2)):add(nn.TemporalConvolution(2, 2, 1)):add(nn.Max(1)),
  }
  list[2]:getParameters()
  local x = nn.Identity()()
  list[#list + 1] = nn.gModule({ x }, { nn.CMulTable() { nn.Linear(2, 2)(x), nn.Tanh()(x) } })
  local texts = {}
  for i, net in ipairs(list) do texts[i] = torch.serialize(net:float():clearState()) end
  return texts
end

-- What programs do with a network that they have read. Its modules speak for themselves where they miss what a damaged file lacks.
local function useNetwork(net)
  if not torch.isTypeOf(net, 'nn.Module') then return end
  for _, f in ipairs { tostring, net.parameters, net.evaluate, net.clone, net.double } do
    local good, problem = pcall(f, net)
    if not good and type(problem) ~= 'string' then error(problem, 0) end
  end
  for _, x in ipairs { torch.ones(1, 3, 3), torch.ones(2, 2), torch.ones(2) } do
    local good, problem = pcall(net.forward, net, x)
    if not good and type(problem) ~= 'string' then error(problem, 0) end
  end
end

return {
  t7_network = {
    prefix = 'torch.load', load = function(name) return torch.load(name, 'binary', { functions = false }) end, seeds = networks,
    use = useNetwork, ownUse = '',
    words = {
      'nn.Sequential', 'nn.Linear', 'nn.ReLU', 'nn.View', 'nn.gModule', 'graph.Node', 'torch.FloatTensor', 'torch.FloatStorage',
      'weight', 'bias',
      'modules', 'nInputPlane', 'kW', '\0\0\0\0', '\255\255\255\255', '\0\0\0\0\0\0\240\63', '\0\0\0\0\0\0\240\191',
    },
    longest = 16384,
  },
  caffemodel = {
    prefix = 'loadcaffe.load',
    words = { '\162\6', '\26\4', '\10', '\18\4ReLU', '\255\255\255\255\15', '\58', '\82', 'Scale', 'InnerProduct' },
    seeds = function()
      return { files.read(caffe .. 'chain.caffemodel'), files.read(caffe .. 'branches.caffemodel'),
               '\26\4data\162\6\18\10\1a\18\4TanH\26\4data\34\1a' }
    end,
    load = function(name) return loadcaffe.load(caffe .. 'chain.prototxt', name, 'nn', quiet) end,
  },
  prototxt = {
    prefix = 'loadcaffe.load', words = { '{', '}', '<', '"', ':', '[', '#', 'layer', 'type', '-1', '1e9', 'nan', '\\x', 'true' },
    seeds = function()
      return { files.read(caffe .. 'branches.prototxt'), 'input: "data" layer { name: "a" type: "ReLU" bottom: "data" }' }
    end,
    load = function(name) return loadcaffe.load(name, caffe .. 'branches.caffemodel', 'nn', byText) end,
  },
  keras = {
    prefix = 'keras.load', words = { 'PK\1\2', 'PK\5\6', 'PK\3\4', 'config.json', 'model.weights.h5', '\255\255\255\255' },
    longest = 65536,
    seeds = function()      -- a whole file, and an archive of parts
      local zip, atomic = require 'torch.file.zip', require 'torch.file.atomic'
      local name = paths.tmpname()
      atomic.write('seed', name, function(channel)
        local empty = torch.ByteStorage(1)
        local function member(title, text) return { name = title, header = text, data = empty:data(), bytes = 0 } end
        zip.write(channel, { member('metadata.json', '{}'), member('config.json', '{"config": {"layers": []}}'),
                             member('model.weights.h5', files.read 'spec/keras/letters.weights.h5':sub(1, 2048)) }, true)
      end)
      local bytes = files.read(name)
      os.remove(name)
      return { bytes, files.read 'spec/keras/pictures.keras' }
    end,
    load = function(name) return keras.load(name) end,
  },
  keras_contents = {
    writes = true,      -- a file that the bytes describe: they are not the file
    prefix = 'keras.load', words = { '\0', '\1', '\2', '\3' },
    seeds = function() return { '\0\0\1\2\2\3\3', '\2\1\0\17\0\0\0\0\1\2\3\3', ('\0\1\2\3\4\5\6\7'):rep(8) } end,
    load = function(name)
      writeContents(name, files.read(name))
      return keras.load(name)
    end,
  },
}
