-- Run by `luarocks test`: `luajit rocks/test.lua NAME` checks that an installed rock works. The project's specs test more.
local name = assert(arg[1], 'rocks/test.lua: expected the name of a rock')

local tests = {}

function tests.torch() require 'torch'.test() end

function tests.nn() require 'nn'.test { 'Linear', 'Tanh', 'SpatialConvolution' } end

function tests.autograd()
  local torch, autograd = require 'torch', require 'autograd'
  local gradient = autograd(function(parameters) return torch.sum(torch.cmul(parameters.x, parameters.x)) end)
  assert(torch.equal(gradient({ x = torch.range(1, 3) }).x, torch.Tensor { 2, 4, 6 }))
end

function tests.optim()
  local torch, optim = require 'torch', require 'optim'
  local x = torch.Tensor { 3, -2 }
  for _ = 1, 200 do
    optim.sgd(function(at) return at:dot(at), at * 2 end, x, { learningRate = 0.1 })
  end
  assert(x:norm() < 1e-9)
end

function tests.tds()
  local tds = require 'tds'
  local hash = tds.Hash { one = tds.Vec { 1, 2, 3 } }
  assert(#hash == 1 and #hash.one == 3 and hash.one[3] == 3)
end

function tests.audio()
  local torch, audio = require 'torch', require 'audio'
  local voice, rate = audio.samplevoice()
  local back, same = audio.decompress(audio.compress(voice, rate, 'wav'), 'wav')
  assert(rate == same and torch.equal(voice, back))
end

function tests.signal()
  local torch, signal = require 'torch', require 'signal'
  local x = torch.randn(60)
  assert((signal.irfft(signal.rfft(x)) - x):abs():max() < 1e-12)
end

function tests.hdf5()
  local torch, hdf5 = require 'torch', require 'hdf5'
  local place = os.tmpname()
  local good, file = pcall(hdf5.open, place, 'w')
  if not good then return assert(file:find 'libhdf5 was not found', file) end
  file:write('x', torch.range(1, 3))
  assert(file:read('x'):all():sum() == 6)
  file:close()
  os.remove(place)
end

function tests.matio()
  local torch, matio = require 'torch', require 'matio'
  local place = os.tmpname()
  matio.save(place, { x = torch.range(1, 6):view(2, 3) })
  assert(matio.load(place, 'x')[2][1] == 4)
  os.remove(place)
end

function tests.netcdf()
  local torch, netcdf = require 'torch', require 'netcdf'
  local place = os.tmpname()
  netcdf.save(place, { x = torch.range(1, 3) })
  assert(netcdf.load(place).x:sum() == 6)
  os.remove(place)
end

function tests.fits()
  local torch, fits = require 'torch', require 'fits'
  local place = os.tmpname()
  fits.save(place, torch.range(1, 6):view(2, 3))
  assert(fits.load(place)[2][1] == 4)
  os.remove(place)
end

function tests.argcheck()
  local double = require 'argcheck' { { name = 'x', type = 'number' }, call = function(x) return 2 * x end }
  assert(double(2) == 4 and double { x = 3 } == 6 and not pcall(double, 'x'))
end

function tests.torchnet()
  local torch, tnt = require 'torch', require 'torchnet'
  local set = tnt.ListDataset { list = { 1, 2, 3 }, load = function(x) return torch.Tensor { x } end }
  local meter = tnt.AverageValueMeter()
  for batch in set:batch { batchsize = 2 }:iterator()() do meter:add(batch:sum()) end
  assert(meter:value() == 3)
end

function tests.distributed()
  local torch, distributed = require 'torch', require 'distributed'
  local usage = io.popen 'th-launch --help':read '*a'
  assert(usage:find '^Usage: th%-launch', usage)
  local started, problem = pcall(distributed.init)
  if not started then return assert(problem:find 'libmpi.* was not found', problem) end
  assert(distributed.allReduce(torch.ones(2)):sum() == 2)
end

function tests.ipc()
  local torch, ipc = require 'torch', require 'libipc'
  local server, port = ipc.server()
  local map = ipc.map(2, function(at) require 'libipc'.client(at):send(require 'torch'.ones(3)) end, port)
  local sum = torch.zeros(3)
  server:clients(2, function(client) sum:add(client:recv()) end)
  map:join()
  assert(sum:sum() == 6)
end

function tests.distlearn()
  local torch, tree = require 'torch', require 'ipc.NullTree'()
  local gradient = torch.Tensor { 1, 2 }
  require 'distlearn.AllReduceSGD'(tree).sumAndNormalizeGradients(gradient)
  assert(gradient:sum() == 3)
end

function tests.parallel()
  local parallel = require 'parallel'
  local child = parallel.fork()
  child:exec 'parallel.parent:send(parallel.parent:receive() + 1)'
  child:send(2)
  assert(child:receive() == 3)
  parallel.children:sync()
end

function tests.data()
  local torch, data = require 'torch', require 'data'
  local set = data.TensorDataset { input = torch.range(1, 6):view(3, 2), target = torch.LongTensor { 7, 8, 9 } }
  local count = 0
  for batch in set:loader { batchSize = 2, shuffle = true }() do count = count + batch.target:size(1) end
  assert(count == 3)
end

function tests.mnist()
  local there, message = pcall(require 'mnist'.testdataset, '/no/such/folder')
  assert(not there and message:find 'put the four files of MNIST there', message)
end

function tests.dataload()
  local torch, dl = require 'torch', require 'dataload'
  local loader, last = dl.TensorLoader(torch.range(1, 5), torch.ones(5)), nil
  for k in loader:subiter(2) do last = k end
  assert(last == 5)
end

function tests.csvigo()
  local csvigo, file = require 'csvigo', os.tmpname()
  csvigo.save { path = file, data = { x = { 1, 2 } }, verbose = false }
  assert(csvigo.load { path = file, verbose = false }.x[2] == '2')
  os.remove(file)
end

function tests.image()
  local torch, image = require 'torch', require 'image'
  local picture = torch.range(1, 18):view(3, 2, 3):byte()
  assert(torch.equal(image.decompress(image.compressPPM(picture), nil, 'byte'), picture))
  local good, bytes = pcall(image.compressPNG, picture)
  if not good then return assert(bytes:find 'this build has no libpng', bytes) end
  assert(torch.equal(image.decompress(bytes, 3, 'byte'), picture))
end

function tests.threads()
  local threads, sum = require 'threads', 0
  local pool = threads.Threads(2)
  for i = 1, 4 do pool:addjob(function() return i * i end, function(square) sum = sum + square end) end
  pool:terminate()
  assert(sum == 30)
  local torch = require 'torch'
  local shared = torch.zeros(4):share()
  local processes = torch.processes(2)
  for i = 1, 4 do processes:addjob(function() shared[i] = i * i end) end
  processes:terminate()
  assert(shared:sum() == 30)
end

function tests.distributions()
  local torch, D = require 'torch', require 'distributions'
  local x = D.Gamma(torch.Tensor { 1, 2 }, 3):sample(10)
  assert(x:size(1) == 10 and x:size(2) == 2 and x:min() >= 0)
end

function tests.cephes()
  local cephes = require 'cephes'
  assert(math.abs(cephes.stdtr(3, 1) - 0.804498890522) < 1e-9)
end

function tests.randomkit()
  local torch, randomkit = require 'torch', require 'randomkit'
  torch.manualSeed(123)
  assert(randomkit.gauss() == -1.0856306033005612)
end

function tests.onnx()
  local onnx = require 'onnx'
  assert(#onnx.ops() > 150 and not pcall(onnx.load, 'nothing.onnx'))
end

function tests.quantize()
  local torch, nn, quantize = require 'torch', require 'nn', require 'quantize'
  local x = torch.randn(4, 8):float()
  local small = quantize.convert(quantize.calibrate(quantize.prepare(nn.Linear(8, 2):float(), { input = x }), x))
  assert(small:forward(x):size(2) == 2)
end

function tests.trainer()
  local torch, nn, optim, Trainer = require 'torch', require 'nn', require 'optim', require 'trainer'
  local net = nn.Linear(2, 1)
  local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1 })
  local batches = { { torch.randn(4, 2), torch.zeros(4, 1) } }
  local result = Trainer { model = net, criterion = nn.MSECriterion(), optimizer = steps, data = batches, epochs = 50 }:run()
  assert(result.steps == 50 and result.values.loss < 1)
end

function tests.loadcaffe()
  local torch, loadcaffe = require 'torch', require 'loadcaffe'
  local place = os.tmpname()
  local file = io.open(place, 'w')
  file:write '\26\1x\162\6\15\10\1a\18\4ReLU\26\1x\34\1a'      -- input x, and a layer
  file:close()
  local text = io.open(place .. '.prototxt', 'w')
  text:close()
  local net = loadcaffe.load(place .. '.prototxt', place, 'nn', { quiet = true })
  assert(net:forward(torch.Tensor { -1, 2 })[1] == 0)
  os.remove(place)
  os.remove(place .. '.prototxt')
end

function tests.hub()
  local hub = require 'hub'
  local place = os.tmpname()
  assert(hub.fetch(place) == place and hub.sha256(place):find '^e3b0c442')
  os.remove(place)
end

function tests.keras()
  local torch, hdf5, keras = require 'torch', require 'hdf5', require 'keras'
  local place = os.tmpname()
  local file = hdf5.open(place, 'w')
  file:write('a', { kernel = torch.ones(2, 3) })
  file:read('a'):setAttribute('weight_names', { 'kernel' })
  file:setAttribute('layer_names', { 'a' })
  file:close()
  assert(keras.load(place)['a.weight']:size(1) == 3)
  os.remove(place)
end

function tests.zoo()
  local torch, zoo = require 'torch', require 'zoo'
  local net = zoo.make('resnet18', { numClasses = 2 })
  assert(net(torch.randn(2, 3, 32, 32)):size(2) == 2 and zoo.card('resnet18').parameters == 11689512)
end

function tests.text()
  local text = require 'text'
  local model = { type = 'BPE', vocab = { a = 0, b = 1, ab = 2 }, merges = { 'a b' } }
  local ids = text.Tokenizer({ model = model, pre_tokenizer = { type = 'ByteLevel', add_prefix_space = false } }):encode 'aba'
  assert(ids:size(1) == 2 and ids[1] == 3 and ids[2] == 1)
end

function tests.vision()
  local torch, vision = require 'torch', require 'vision'
  local boxes = torch.Tensor { { 0, 0, 4, 4 }, { 0, 0, 4, 3 }, { 5, 5, 6, 6 } }
  assert(vision.nms(boxes, torch.Tensor { 1, 3, 2 }, 0.5):size(1) == 2)
end

function tests.unsup()
  local torch, unsup = require 'torch', require 'unsup'
  local _, counts = unsup.kmeans(torch.randn(10, 2), 2, 3)
  assert(counts:sum() == 30)
end

function tests.notebook()
  local bold = require 'notebook'.html '<b>1</b>'
  assert(tostring(bold) == '<b>1</b>' and not require 'notebook'.isActive())
end

function tests.plot()
  local plot = require 'plot'
  plot.plot { 1, 3, 2 }
  assert(plot.svg():find('<svg', 1, true))
end

function tests.paths()
  local paths = require 'paths'
  assert(paths.filep(arg[0]) and paths.basename(arg[0]) == 'test.lua' and paths.dirp(paths.dirname(arg[0])))
end

function tests.sys()
  local sys = require 'sys'
  assert(sys.execute 'echo yes' == 'yes' and math.abs(sys.clock() - os.time()) < 2)
end

function tests.xlua()
  local xlua = require 'xlua'
  assert(xlua.formatTime(3661) == '1h1m' and type(xlua.progress) == 'function')
end

function tests.trepl()
  assert(getmetatable(require 'trepl').__call and type(rawget(_G, 'import')) == 'function')
end

function tests.gnuplot()
  local torch, gnuplot = require 'torch', require 'gnuplot'
  assert(gnuplot.histc(torch.Tensor { 1, 2, 4 }, 3, 1, 4).max.nb == 1)
  local there, why = gnuplot.isInstalled()
  if not there then return assert(why:find '^gnuplot: ') end
  local picture = os.tmpname()
  gnuplot.svgfigure(picture)
  gnuplot.plot(torch.range(1, 3))
  gnuplot.close()
  assert(io.open(picture):read '*a':find '</svg>')
  os.remove(picture)
end

function tests.dok()
  local dok = require 'dok'
  assert(select(3, dok.unpack({ 1 }, 'f', 'd', { arg = 'a' }, { arg = 'b', default = 2 })) == 2)
end

function tests.display()
  local display, torch = require 'display', require 'torch'
  local folder = os.tmpname()
  os.remove(folder)
  display.configure { folder = folder }
  display.plot(torch.range(1, 6):view(3, 2), { win = 'curve' })
  assert(io.open(folder .. '/curve.svg'):read '*a':find '</svg>')
  require 'paths'.rmall(folder, 'yes')
end

function tests.md5() assert(require 'md5'.sumhexa 'abc' == '900150983cd24fb0d6963f7d28e17f72') end

function tests.pprint() assert(require 'pprint'.string { 1, a = 'x' } == '{ 1, a = "x" }') end

function tests.class()
  local class = require 'class'
  local A = class 'A'
  function A:__init(x) self.x = x end
  assert(A(3).x == 3 and class.type(A(3)) == 'A')
end

function tests.classic()
  local A = require 'classic'.class 'A'
  function A:_init(x) self.x = x end
  assert(A(3).x == 3 and A(3):class() == A)
end

function tests.nninit()
  local nn, nninit = require 'nn', require 'nninit'
  local weight = nn.Linear(3, 4):init('weight', nninit.orthogonal).weight
  assert((weight:t() * weight - require 'torch'.eye(3)):abs():max() < 1e-12)
end

function tests.optnet()
  local optnet = require 'optnet'
  local net, input = require 'optnet.models'.basic()
  local expected = net:forward(input):clone()
  optnet.optimizeMemory(net, input)
  assert((net:forward(input) - expected):abs():max() < 1e-12)
end

function tests.cwrap() assert(type(require 'cwrap'.types) == 'table') end

function tests.graph()
  local graph = require 'graph'
  local first, last = graph.Node 'first', graph.Node 'last'
  first:add(last)
  assert(first:graph():topsort()[2] == last)
end

function tests.nngraph()
  local torch, nn = require 'torch', require 'nn'
  require 'nngraph'
  local x = nn.Identity()()
  local net = nn.gModule({ x }, { nn.CAddTable() { x, nn.Square()(x) } })
  assert(net:forward(torch.Tensor { 3 })[1] == 12 and net:backward(torch.Tensor { 3 }, torch.ones(1))[1] == 7)
end

-- Without a device the rocks' errors name what is missing.
local function onDevice(test)
  return function()
    local cuda = require 'torch'.cuda
    local there, why = cuda.isAvailable()
    if there then return test() end
    assert(why:find '^CUDA: ', why)
  end
end

tests.cutorch = onDevice(function() require 'cutorch'.test() end)
tests.cunn = onDevice(function() require 'cunn'.test() end)
tests.cudnn = onDevice(function() assert(require 'torch'.type(require 'cudnn'.ReLU()) == 'cudnn.ReLU') end)

assert(tests[name], 'rocks/test.lua: no rock has this name: ' .. name)()
print(name .. ' works')
