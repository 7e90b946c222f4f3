--- Names from NumPy, PyTorch and Python and their equivalents in Moontorch, for hints.
-- @module trepl.names
local names = {}

-- Names of NumPy and PyTorch -> ours.
names.ours = {
  record_function = 'torch.profiler.record(name, f)', key_averages = 'p:keyAverages() of p = torch.profiler.profile(f)',
  export_chrome_trace = 'p:exportChromeTrace(path)', export_stacks = 'p:exportStacks(path)',
  vmap = 'autograd.vmap', detect_anomaly = 'autograd.checkNaN(f, { model = net }), autograd.anomaly(f)',
  psi = 'torch.digamma', multigammaln = 'torch.mvlgamma', ['repeat'] = 'x:repeatTensor(...)', GradScaler = 'optim.GradScaler',
  len = '#x or x:size(1)',
  array = 'torch.Tensor{...}',
  seed = 'torch.manualSeed', no_grad = 'torch.noGrad(f)',
  astype = "x:type('torch.FloatTensor'), x:float(), ...", from_numpy = 'torch.npy.load(name)',
  numpy = 'torch.npy.save(name, x)',
  is_tensor = 'torch.isTensor',
  eigh = "torch.symeig(x, 'V')", eigvalsh = 'torch.symeig(x)', eigvals = 'torch.eig(x)',
  zero_grad = 'zeroGrad() of a tensor or optimiser, or of a module', train = 'net:training()', eval = 'net:eval()',
  state_dict = 'net:stateDict()', load_state_dict = 'net:loadStateDict(state)',
  cross_entropy = 'nn.functional.crossEntropy', mse_loss = 'nn.functional.mseLoss',
  item = 'a Lua number already: sums and single elements come out as numbers',
  null = 'torch.nullSpace',
  ismember = 'torch.isin',
  interp1d = 'torch.interp', interp1 = 'torch.interp',
  corr = 'torch.corrcoef(x), a variable a row',
  read_csv = "data.csv.load(name), with data = require 'data'; torch.csv.load(name) where all is numbers",
  to_csv = 'data.csv.save(name, frame)', readtable = 'data.csv.load(name)', readmatrix = 'torch.csv.load(name)',
  writematrix = 'torch.csv.save(name, x)', DataFrame = 'data.Frame(columns)', groupby = 'frame:groupBy(names)',
  dropna = 'frame:dropMissing()', sort_values = 'frame:sort(names)', value_counts = 'frame:valueCounts(name)', iloc = 'frame:take(rows)',
  to_numpy = 'frame:matrix()', read_json = 'data.jsonl.frame(name)', read_hdf = 'hdf5.open(name)',
  h5read = 'hdf5.open(name):read(path):all()',
  h5write = 'hdf5.open(name):write(path, x)', savez_compressed = 'torch.npz.save(name, tensors, { compressed = true })',
  imread = 'image.load(name)', imwrite = 'image.save(name, picture)', imsave = 'image.save(name, picture)',
  mimread = 'image.frames(name)', imfinfo = 'image.open(name)', audioread = 'audio.load(name)', wavread = 'data.wav.load(name)',
  audiowrite = 'audio.save(name, sound, rate)', wavwrite = 'data.wav.save(name, sound, rate)',
  rearrange = 'x:view(...) and x:permute(...)', to = "x:to('float'); net:float() of a module",
  lr_scheduler = 'optim.schedule', StepLR = 'optim.schedule.step(optimizer, { stepSize = n })',
  LambdaLR = 'optim.schedule.lambda(optimizer, f)', CosineAnnealingLR = 'optim.schedule.cosine(optimizer, { period = n })',
  CosineAnnealingWarmRestarts = 'optim.schedule.cosine(optimizer, { period = n, restarts = true })',
  MultiStepLR = 'optim.schedule.multistep(optimizer, { milestones = list })', LinearLR = 'optim.schedule.linear(optimizer, options)',
  ExponentialLR = 'optim.schedule.exponential(optimizer, { gamma = g })', SequentialLR = 'optim.schedule.sequential(optimizer, options)',
  ReduceLROnPlateau = 'optim.schedule.plateau(optimizer)', OneCycleLR = 'optim.schedule.oneCycle(optimizer, options)',
  CyclicLR = 'optim.schedule.cyclic(optimizer, options)', ConstantLR = 'optim.schedule.constant(optimizer, options)',
  PolynomialLR = 'optim.schedule.polynomial(optimizer, options)', ChainedScheduler = 'optim.schedule.chained(optimizer, schedules)',
  clip_grad_norm = 'optim.clipGradNorm(parameters, limit)', clip_grad_value = 'optim.clipGradValue(parameters, limit)',
  SummaryWriter = "trainer.SummaryWriter(folder), with trainer = require 'trainer'",
  ModelCheckpoint = 'the option checkpoints of trainer.Trainer',
  EarlyStopping = 'the option patience of trainer.Trainer', CSVLogger = "trainer.CSVLogger(name), with trainer = require 'trainer'",
  trunc_normal = 'nn.init.truncNormal', LBFGS = 'optim.LBFGS(parameters, config)',
  named_parameters = 'net:namedParameters()',
  modules = 'net:listModules()',
  DataLoader = 'a loop over x:index(1, positions), with positions from torch.randperm(n):long()', requires_grad_ = 'x:requiresGrad()',
  help = '? name', dir = 'TAB behind x. or x:', range = 'torch.range(first, last), or for i = first, last do',
  Size = 'torch.LongStorage {2, 3}', one_hot = 'nn.OneHot(classes):forward(x)',
  append = 'net:add(module), table.insert(list, value), torch.cat of tensors',
  binary_cross_entropy = 'nn.functional.binaryCrossEntropy',
  binary_cross_entropy_with_logits = 'nn.functional.binaryCrossEntropyWithLogits',
  chain_matmul = 'a * b * c',
  cosine_embedding_loss = 'nn.functional.cosineEmbeddingLoss',
  data_ptr = 'x:data()',
  is_available = 'torch.cuda.isAvailable()', device_count = 'torch.cuda.deviceCount()', empty_cache = 'torch.cuda.emptyCache()',
  frobenius_norm = 'x:norm()', from_file = 'torch.FloatStorage(name)',
  hinge_embedding_loss = 'nn.functional.hingeEmbeddingLoss',
  margin_ranking_loss = 'nn.functional.marginRankingLoss',
  nuclear_norm = 'select(2, torch.svd(x)):sum()', permutation = 'torch.randperm',
  savez = 'torch.npz.save(name, tensors)',
  shuffle = 'x:index(1, torch.randperm(n):long())',
  triangular_solve = 'torch.trtrs',
  str = 'tostring', int = 'math.floor, or x:int()', abs = 'math.abs, or torch.abs',
  gamma = 'torch.exp(torch.lgamma(x))', gammaln = 'torch.lgamma',
  newaxis = 'x:unsqueeze(dim)', ndarray = 'torch.Tensor{...}', matrix = 'torch.Tensor{...}',
  identity = 'torch.eye(n), or nn.Identity', set_grad_enabled = 'torch.noGrad(f)',
  embedding = 'nn.functional.embedding', mse = 'nn.functional.mseLoss', random_split = 'x:split(n)',
  Dataset = 'a table of tensors', TensorDataset = 'a table of tensors',
  add_module = 'net:add(module) of a container; self.name = module in a class that defines forward',
  register_parameter = "self:registerParameter('name', x)", named_modules = 'net:namedModules()', named_buffers = 'net:namedBuffers()',
  register_buffer = "self:registerBuffer('name', x)", register_forward_hook = 'net:registerForwardHook(f)',
  register_forward_pre_hook = 'net:registerForwardPreHook(f)', register_full_backward_hook = 'net:registerFullBackwardHook(f)',
  ndims = 'x:dim()', isempty = 'x:nElement() == 0', length = '#list, or x:size(1)', repmat = 'x:repeatTensor(...)',
  circshift = 'torch.roll', nnz = 'torch.ne(x, 0):sum()', randi = 'torch.randint(low, high, sizes)', rem = 'torch.fmod', disp = 'print',
  num2str = 'tostring', strcat = "'a' .. 'b'", sprintf = 'string.format', fprintf = 'io.write(string.format(...))',
  printf = 'io.write(string.format(...))', format = 'string.format', list = '{1, 2}', dict = '{a = 1}', tuple = '{1, 2}',
  set = '{a = true}', enumerate = 'for i, value in ipairs(list) do', zip = 'for i = 1, #a do ... a[i], b[i] ... end',
  sorted = 'table.sort(list), which changes it,', reversed = 'for i = #list, 1, -1 do', input = 'io.read()',
  open = 'io.open(name)', isinstance = 'torch.isTypeOf(x, name), or type(x)',
  getattr = 'x[name]', setattr = 'x[name] = value', hasattr = 'x.name ~= nil', super = 'parent.method(self, ...)',
  join = 'table.concat(list, text)', strip = "text:match '^%s*(.-)%s*$'",
  upper = 'text:upper()', startswith = 'text:sub(1, n) == start', insert = 'table.insert(list, value)',
  values = 'the first result of x:max(dim), x:sort(dim)',
  indices = 'the second result of x:max(dim), x:sort(dim)',
  pass = 'an empty block',
}

-- Names of NumPy for what is done otherwise.
for name, here in pairs {
  to_dense = 's:dense()', to_sparse = 'x:toSparse()', real_if_close = 'torch.realIfClose(z)', is_complex = 'x:isComplex()',
  asfortranarray = 'x:t():contiguous():t()',
  isfortran = 'x:t():isContiguous()', bmat = 'torch.block', show_config = 'torch.config()', show_runtime = 'torch.config()',
  nditer = 'torch.ndenumerate(x)', flatiter = 'torch.ndenumerate(x)', RandomState = 'torch.Generator()',
  Philox = "torch.Generator('philox')",
  MT19937 = 'torch.Generator()', default_rng = 'torch.Generator()', from_dlpack = 'torch.fromDLPack(capsule)',
  to_dlpack = 'torch.toDLPack(x)',
  frombuffer = 'torch.fromBlob(pointer, sizes)', choice = 'x:index(1, torch.randint(1, n + 1, { count }))',
  get_state = 'torch.getRNGState()', set_state = 'torch.setRNGState(state)', random_integers = 'torch.randint(low, high + 1, sizes)',
  ranf = 'torch.rand(sizes)', sample = 'torch.rand(sizes)', broadcast = 'torch.broadcastArrays(x, y)',
  dirichlet = 'distributions.Dirichlet(concentrations):sample(n)',
  multivariate_normal = 'distributions.MultivariateNormal(mean, covariance):sample(n)',
} do names.ours[name] = names.ours[name] or here end

for name, here in pairs(require('torch.tensor.attributes').here) do names.ours[name] = here end

local noPlots = "plots are drawn by the packages plot and gnuplot: gnuplot = require 'gnuplot', gnuplot.plot(x, y, '-')"
local noGpu = 'there is no GPU here: leave out what moves tensors and modules to one'

-- Names without an equivalent -> the reason.

names.absent = {
  cuda = noGpu, cpu = noGpu, device = noGpu, CudaTensor = noGpu, cutorch = noGpu, cunn = noGpu, cudnn = noGpu,
  linalg = 'torch.linalg has the names of numpy.linalg, torch.linalg and scipy.linalg; many are in torch itself: torch.solve',
  fft = "torch.fft has the names of numpy.fft and torch.fft; the package signal has stft, windows and filters",
  np = 'torch has what NumPy has; torch.npy and torch.npz, its files',
  plt = noPlots,
  pd = "data = require 'data': data.csv.load(name) gives a data.Frame with head, describe, sort, groupBy, join, ...",
  pandas = "data = require 'data': data.csv.load(name) gives a data.Frame with head, describe, sort, groupBy, join, ...",
  cv2 = "image = require 'image': image.load, image.save, image.scale, ...",
  PIL = "image = require 'image': image.load, image.save, image.scale, ...",
  h5py = "hdf5 = require 'hdf5': hdf5.open(name):read(path):all()",
  DataParallel = 'the package cunn has DataParallelTable',
  figure = noPlots, plot = noPlots, xlabel = noPlots,
  stft = "signal.stft, after signal = require 'signal'",
  istft = "signal.istft, after signal = require 'signal'", signal = "signal = require 'signal' comes first",
  audio = "require 'audio' comes first",
  compile = 'nothing needs compiling: call the function or module itself',
  pin_memory = 'torch.cuda.pinned(sizes or x) makes tensors in pinned memory', get_device = 'x:device() is the name of its device',
  is_cuda = 'x:device() is the name of its device', set_default_device = 'torch.setDefaultDevice(name) sets it',
  set_printoptions = "torch.setprintoptions { precision = 3, format = '%.2f' }",
  F = "F = require('nn').functional comes first", try = 'local good, message = pcall(f)',
  utils = 'a loop over x:index(1, positions) loads data',
  loss = 'loss is nothing yet: loss = criterion(net(x), target), and loss:backward() goes back',
  gModule = "nn.gModule comes with require 'nngraph'", nngraph = "require 'nngraph' comes first", gnuplot = "require 'gnuplot' comes first",
  graph = "require 'graph' comes first", nn = "require 'nn' comes first", optim = "require 'optim' comes first",
  autograd = "autograd = require 'autograd' comes first",
}

require 'trepl.linalg_names'(names)
require 'trepl.package_names'(names)

-- Names that no package has, and the reasons; a package that is loaded may have them.
names.nowhere = require 'trepl.pytorch_names'
require 'trepl.numpy_names'(names.nowhere)

-- Names whose meaning in other libraries differs from the similar name in Moontorch.
names.others = {}
for name in ([[
  conv filter rank orth mean2 std2 compile beta comb
  poly delete partition tri unwrap step forward
]]):gmatch '%S+' do names.others[name] = true end

-- Packages for Torch7 from other authors, by the language that they are written in.
names.beside = {}
for name in ('dp dpnn rnn'):gmatch '%a+' do
  names.beside[name] = '%s is a package of its own, written in Lua: it works here once it is on package.path'
end
for name in ('numpy scipy pandas matplotlib sklearn torchvision torchaudio keras tensorflow'):gmatch '%a+' do
  names.beside[name] = '%s is a package of Python; torch has tensors and linear algebra, torch.npy, torch.npz and torch.csv exchange files'
end
for name in ('image hdf5 threads'):gmatch '[%w]+' do
  names.beside[name] = '%s is a rock of its own, or a part of a build of Moontorch: it is not installed here'
end
for name in ('mattorch matio qt qtwidget npy4th'):gmatch '[%w]+' do
  names.beside[name] = "%s is a package of its own over Torch7's C libraries, which are not here"
end

-- The probable intention of a call with unsupported arguments, by the op's name.
names.arguments = {
  round = 'torch.round(x * 100) / 100 keeps two digits', full = 'sizes are one table: torch.full({2, 2}, 7)',
  normal = 'torch.Tensor(2, 2):normal(mean, std) draws, and so does torch.randn(2, 2) * std + mean',
  unique = 'torch.unique(x) gives the values, which of them each element is, and how often they come',
  where = 'torch.nonzero(mask) gives positions', copy = 'x:clone() is a copy; y:copy(x) copies into y',
  transpose = 'x:t() transposes a matrix',
  symeig = "torch.symeig(a, 'V') gives vectors, too", svd = 'torch.svd(a) gives U, S and V with a = U diag(S) V^T',
  sort = 'torch.sort(x, dim, true) is descending', index = 'positions are a LongTensor: x:index(1, torch.LongTensor {1, 3})',
  mul = 'torch.cmul(x, y) multiplies by elements', div = 'torch.cdiv(x, y) divides by elements',
  range = 'torch.range(1, 5) has its end; torch.arange(5) goes from 0 to 4', cat = 'torch.cat({x, y}, 1)',
}

-- The symbol at which the compiler stops -> the equivalent of other languages' syntax.
names.symbols = {
  ['@'] = 'x * y, or torch.mm(x, y), is the matrix product', ['!'] = 'not equal is ~=, and not is a word',
  ['~'] = 'mask:eq(0) turns a mask around', ['&'] = 'and is a word',
  ['|'] = 'or is a word', ['+'] = 'x = x + 1; x:add(1) changes a tensor',
  ['*'] = 'a power is x ^ 2; x = x * 2',
  ['/'] = 'x = x / 2; math.floor(x / 2), torch.floor(x / 2); a comment begins with --', [':'] = 'slices are x[{ {first, last}, {} }]',
  ['repeat'] = 'x:repeatTensor(...)', ['-'] = 'x = x - 1; a comment begins with --',
  ['['] = 'lists are {1, 2, 3}, tensors torch.Tensor {1, 2, 3}', ['?'] = 'a and b or c chooses; ? name shows documentation',
  ['{'] = 'a block goes from function (...), do or then to end', ['%'] = 'a comment begins with --',
  ['='] = 'an assignment is name = value or x[1] = value, of several a, b = 1, 2; == compares',
}

-- The symbol that the compiler expects -> likewise.
names.missing = {
  ["']' expected near ','"] = 'an element is x[{1, 2}], a part x[{ {1, 2}, {} }]',
  ["')' expected near ','"] = 'Lua has no tuples: torch.zeros(3, 4), or a list, torch.zeros {3, 4}',
  ["')' expected near '='"] = 'arguments have no names in Lua: x:sum(1)',
  ["',' expected near ':'"] = 'for i = first, last do ... end counts', ["'=' expected near 'if'"] = 'a and b or c chooses',
  ["'=' expected near 'in'"] = 'for i, value in ipairs(list) do ... end', ["'do' expected near ':'"] = 'a block goes from do to end',
}

-- The first word of such a line.
names.words = {
  def = 'function f(x) ... end', lambda = 'function(x) return x end', class = "local Net, parent = torch.class('Net', 'nn.Container')",
  ['!'] = '$ command runs a shell command; not x is the opposite of x', elif = 'if a then ... elseif b then ... end',
  raise = 'error(message)', del = 'x = nil', assert = "assert(x == 1, 'a')", with = 'torch.noGrad(function() ... end)',
  except = 'local good, message = pcall(f)', throw = 'error(message)', catch = 'local good, message = pcall(f)',
}

return names
