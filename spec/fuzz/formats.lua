-- The fuzzed formats: initial files, a function that loads one, and the format's keywords.
local torch = require 'torch'
local nn = require 'nn'
local onnx, conformance = require 'onnx', require 'spec.onnx.conformance'
local paths = require 'paths'
local readers = require 'data.readers'
local files = require 'spec.support.files'

local fuzzed = {}
rawset(_G, 'fuzzed', fuzzed)
local Own = torch.class 'fuzzed.Own'
function Own:write(file) file:writeObject(self.inner) end
function Own:read(file) self.inner = file:readObject() end
torch.class 'fuzzed.Plain'

local function own(inner)
  local object = fuzzed.Own()
  object.inner = inner
  return object
end

local function objects()
  local x, plain = torch.FloatTensor { { 1, 2, 3 }, { 4, 5, 6 } }, fuzzed.Plain()
  plain.field, plain.me = 'value', plain
  local all = {
    { 1.5, 'text', true, { {}, a = { b = false } } }, { x, x:t(), x:narrow(1, 2, 1), torch.DoubleTensor() },
    { plain, own { plain, own(1) } },
    { torch.ByteStorage { 1, 2 }, torch.BoolTensor { true, false }, torch.HalfTensor { 1 } }, torch.LongTensor { { 7 } }:expand(3, 2),
    { nn.Sequential():add(nn.Linear(2, 1)):add(nn.ReLU()) }, function() return x end,
  }
  for _, dtype in ipairs { 'Char', 'Short', 'Int', 'BFloat16', 'UInt64', 'Float8E5m2' } do
    all[#all + 1] = torch[dtype .. 'Tensor'] { 3, 4 }
  end
  return all
end

local function serialized(mode)
  local list = {}
  for i, object in ipairs(objects()) do list[i] = torch.serialize(object, mode) end
  return list
end

local function written(save, things)
  local list, name = {}, paths.tmpname()
  for i, thing in ipairs(things) do
    save(name, thing)
    local file = io.open(name, 'rb')
    list[i] = file:read '*a'
    file:close()
  end
  os.remove(name)
  return list
end

local function figures(pattern)
  local list, folder = {}, 'spec/torch/exchange/'
  for _, base in ipairs(paths.dir(folder)) do
    if base:find(pattern) then
      local file = io.open(folder .. base, 'rb')
      list[#list + 1] = file:read '*a'
      file:close()
    end
  end
  table.sort(list)
  return list
end

local function checkpoints()
  local list, folder = {}, 'spec/torch/pt/'
  for _, base in ipairs { 'zip.pt', 'legacy.pt', 'tar.pt', 'script.pt', 'others.pt', 'module.pt', 'deflated.pt', 'big_endian.pt' } do
    list[#list + 1] = files.read(folder .. base)
  end
  return list
end

local function models()
  local list = {}
  for _, suite in ipairs { 'node', 'model' } do
    for i, case in ipairs(conformance.cases('spec/onnx/cases', suite)) do
      if i % 40 == 1 then list[#list + 1] = case.model end
    end
  end
  return list
end

-- Sets the sums in an archive's directory to 0, as of files that PyTorch wrote without sums.
local function withoutSums(bytes) return (bytes:gsub('(PK\1\2............)....', '%1\0\0\0\0')) end

-- Without tds: its containers count references, so a file with a container that contains itself leaks by design.
local classes = {
  'torch.FloatTensor', 'torch.FloatStorage', 'torch.CudaTensor', 'torch.LongStorage', 'torch.Generator', 'torch.DiskFile', 'torch.File',
  'torch.Timer', 'torch.CmdLine', 'torch.Tester', 'nn.Linear', 'nn.Module', 'cudnn.ReLU', 'fuzzed.Own', 'fuzzed.Plain', 'un.known',
}

-- t7 files spell a class with its length.
local function spelled(mode)
  local list = {}
  for i, name in ipairs(classes) do list[i] = mode == 'ascii' and #name .. '\n' .. name or string.char(#name, 0, 0, 0) .. name end
  return list
end

local function asText(fields) return (fields:gsub('|', '\n')) end

local formats = {
  binary = {
    prefix = 'torch.load', seeds = function() return serialized 'binary' end, words = spelled 'binary',
    load = function(name) return torch.load(name, 'binary') end,
  },
  ascii = {
    prefix = 'torch.load', seeds = function() return serialized 'ascii' end, words = spelled 'ascii',
    load = function(name) return torch.load(name, 'ascii', { functions = false }) end,
  },
  npy = {
    prefix = 'torch.npy.load', seeds = function() return figures '%.npy$' end, load = function(name) return torch.npy.load(name) end,
    words = { "'<f4'", "'>i8'", "'|b1'", "'<V2'", "'<u8'", 'True ', 'False', "'shape'", "'descr'", '(3,)', '()', '(0, 5)' },
  },
  npz = {
    prefix = 'torch.npz.load', load = function(name) return torch.npz.load(name) end,
    words = { 'PK\3\4', 'PK\1\2', 'PK\5\6', 'PK\6\6', 'PK\6\7' },
    seeds = function()
      local list = figures '%.npz$'
      local function save(name, tensors) torch.npz.save(name, tensors, { compressed = true }) end
      for _, text in ipairs(written(save, { { a = torch.ones(3) }, {} })) do list[#list + 1] = text end
      return list
    end,
  },
  safetensors = {
    prefix = 'torch.safetensors.load', seeds = function() return figures '%.safetensors$' end,
    load = function(name) return torch.safetensors.load(name) end,
    words = { '"F32"', '"BF16"', '"BOOL"', '"shape":', '"dtype":', '"data_offsets":', '[0,4]', '{}', '[]', '"__metadata__"', '\\ud83c',
              'null' },
  },
  pt = {
    prefix = 'torch.pt.load', load = function(name) return (torch.pt.load(name)) end, seeds = checkpoints,
    mend = withoutSums,
    words = { 'PK\3\4', 'PK\1\2', 'PK\5\6', 'ctorch._utils\n_rebuild_tensor_v2\n', 'ctorch._utils\n_rebuild_tensor_v3\n',
              'ctorch\nFloatStorage\n', 'ctorch\nBoolStorage\n', 'ccollections\nOrderedDict\n', 'cbuiltins\nset\n', 'cnumpy\ndtype\n',
              '(', ')', 'R', 'b', 't', 'Q', '}', ']', 'u', 'e', '2', '\129', '\133', '\148', 'h\0', 'q\0',
              'X\4\0\0\0text', 'J\255\255\255\127', '\138\8\255\255\255\255\255\255\255\127', 'big', 'little' },
  },
  onnx = {
    prefix = 'onnx.load', load = function(name) return onnx.load(name) end, seeds = models,
    words = { 'Add', 'Constant', 'If', 'Loop', 'then_branch', 'body', 'axes', 'x', 'y', '\8\1', '\16\7', '\160\1\5', '..', '\18\0',
              '\8\255\255\255\255\255\255\255\255\255\1' },
  },
  csv = {
    prefix = 'torch.csv', load = function(name) return torch.csv.load(name) end,
    words = { '"', '""', '\r\n', 'nan', '-inf', '1e308', '0x10' },
    seeds = function()
      return { asText 'a,b|1,2.5|-3e2,4|', asText '"q ""x""",y|"1",2|', '\239\187\1911,2\r\n\r\n3,\r\n',
               asText '1,12345678901234567890|2,nan|' }
    end,
  },
  tables = {
    prefix = 'data.csv.load', load = function(name) return readers.csv.load(name) end,
    words = { '"', '""', '\r\n', 'null', '2021-03-04T05:06:07.5+01:00', 'true', '4 Mar 2021', '1e400', '20210304', ' pm' },
    seeds = function()
      return { asText 'a,b,c|1,2.5,x|-3,4,"y|z"|', asText 'd,e|2021-03-04,true|1.2.2021 10:11,false|,|',
               asText '1,x|' .. ('1,2\n'):rep(1200) }
    end,
  },
  foreign_tables = {
    prefix = 'data.csv.load', words = { '"', '#', ';', '  ', '3/4/2021', '1,5', '-', 'red', '99999999999999999999', '300' },
    load = function(name)
      return readers.csv.load(name, {
        separator = ' ', runs = true, comment = '#', decimal = ',', dates = 'dmy', ragged = true, header = true, absent = { '-' },
        types = { 'byte', { 'red', 'blue' }, 'category' }, sample = 2,
      })
    end,
    seeds = function() return { asText '# x|a b c d|1 red x 1,5|200  blue - 3/4/2021|3 red|', asText 'a b c|1 "red" "x""y"|\r\n' } end,
  },
  odd_tables = {
    prefix = 'data.csv.load', words = { "'", "''", '\r', '\r\n', '1.234', '1.234.567,5', ';', '\255\254', '\0', '\239\187\191' },
    load = function(name)
      return (readers.csv.load(name, {
        separator = ';', malformed = 'skip', quote = "'", thousands = '.', decimal = ',', rowNames = true, sample = 2, encoding = 'latin1',
      }))
    end,
    seeds = function() return { "n;x\ra;1.234,5;'b'\rc;2\r'd';3;'e'f\r'g';4.000;h\r", asText "a;b|x;1|y;'2''|';3|z;4" } end,
  },
  wide_tables = {
    prefix = 'data.csv.load', load = function(name) return (readers.csv.load(name)) end,
    words = { '\255\254', '\254\255', '\0\0', '\61\216', '\0\216', ',\0', '\n\0', '\13\0' },
    seeds = function()
      local text = asText 'a,b|1,x|2,y|'
      return { '\255\254' .. text:gsub('.', '%0\0'), '\254\255' .. text:gsub('.', '\0%0'), '\255\254\0\0' .. text:gsub('.', '%0\0\0\0') }
    end,
  },
  jsonl = {
    prefix = 'data.jsonl.load', load = function(name) return require('data').jsonl.load(name) end,
    words = { '{"', '":', '[[', 'null', '1e400', '\\ud83c', '\n', 'NaN' },
    seeds = function() return { '{"a": [1, "x"]}\nnull\n[true]' } end,
  },
  text = {
    prefix = 'data.text.load', load = function(name) return require('data').text.load(name, { unit = 'characters' }) end,
    words = { '\195\169', '\226\130\172', '\240\159\152\128', '\31\139\8' }, seeds = function() return { 'a\195\169 b\n' } end,
  },
  idx = {
    prefix = 'data.idx.load', load = function(name) return readers.idx.load(name) end,
    words = { '\0\0\8\3', '\0\0\13\1', '\0\0\0\2', '\31\139\8', '\255\255\255\255' },
    seeds = function()
      local list = written(readers.idx.save, { torch.ByteTensor(2, 3):fill(7), torch.DoubleTensor { 1, 2 }, torch.ShortTensor(0, 4) })
      local name = paths.tmpname() .. '.gz'
      readers.idx.save(name, torch.IntTensor { { 1, 2 }, { 3, 4 } })
      local file = io.open(name, 'rb')
      list[#list + 1] = file:read '*a'
      file:close()
      os.remove(name)
      return list
    end,
  },
  cifar = {
    prefix = 'data.cifar.load', load = function(name) return readers.cifar.load(name) end, words = { '\9', '\99' },
    seeds = function()
      local pickles = require 'spec.data.readers.cifar_pickles'
      return { '\3' .. ('x'):rep(3072), '\19\99' .. ('x'):rep(3072), pickles.ten, pickles.protocol4 }
    end,
  },
  wav = {
    prefix = 'data.wav.load', load = function(name) return readers.wav.load(name) end,
    words = { 'RIFF', 'WAVE', 'fmt ', 'data', 'LIST', '\254\255', '\255\255\255\255', '\16\0\0\0', '\24\0' },
    seeds = function()
      local function save(name, how) readers.wav.save(name, torch.linspace(-1, 1, 6):view(3, 2), 8000, how) end
      return written(save, { { bits = 8 }, { bits = 24 }, { coding = 'float' }, { bits = 16 } })
    end,
  },
}

for name, format in pairs(require 'spec.fuzz.networks') do formats[name] = format end
for name, format in pairs(require 'spec.fuzz.pictures') do formats[name] = format end
for name, format in pairs(require 'spec.fuzz.science') do formats[name] = format end
for name, format in pairs(require 'spec.fuzz.descriptions') do formats[name] = format end

return formats
