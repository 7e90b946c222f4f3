--- What users of NumPy, PyTorch and Python write, and what it is here: what hints are made of.
-- @module trepl.names
local names = {}

-- Names of NumPy and PyTorch -> ours.
names.ours = {
  shape = '#x or x:size()', ndim = 'x:dim()', dtype = 'x:type()', T = 'x:t()', len = '#x or x:size(1)', tolist = 'x:totable()',
  array = 'torch.Tensor{...}', concatenate = 'torch.cat',
  concat = 'torch.cat', hstack = 'torch.cat(tensors, 2)', vstack = 'torch.cat(tensors, 1)', tile = 'x:repeatTensor(...)',
  maximum = 'torch.cmax', minimum = 'torch.cmin', multiply = 'torch.cmul', subtract = 'torch.csub', divide = 'torch.cdiv',
  negative = 'torch.neg', absolute = 'torch.abs', power = 'torch.pow', seed = 'torch.manualSeed', no_grad = 'torch.noGrad(f)',
  requires_grad = 'x:requiresGrad()', astype = "x:type('torch.FloatTensor'), x:float(), ...", from_numpy = 'torch.npy.load(name)',
  numpy = 'torch.npy.save(name, x)', index_select = 'x:index(dim, positions)', masked_select = 'x:maskedSelect(mask)',
  transpose_ = 'x:transpose(a, b)', swapaxes = 'x:transpose(a, b)', is_tensor = 'torch.isTensor',
  repeat_interleave = 'x:index(dim, positions)', get_default_dtype = 'torch.getdefaulttensortype',
  percentile = 'torch.quantile(x, percent / 100)', histogram = 'torch.histc(x, bins)', ravel = 'x:flatten()',
  eigh = "torch.symeig(x, 'V')", eigvalsh = 'torch.symeig(x)', eigvals = 'torch.eig(x)',
  zero_grad = 'zeroGrad() of a tensor or optimiser, zeroGradParameters() of a module', train = 'net:training()', eval = 'net:evaluate()',
  state_dict = 'net:parameters(), and torch.save(name, net)', load_state_dict = 'torch.load(name)',
  cross_entropy = 'nn.functional.crossEntropy', mse_loss = 'nn.functional.mseLoss', Conv1d = 'nn.TemporalConvolution',
  Conv2d = 'nn.SpatialConvolution', Conv3d = 'nn.VolumetricConvolution', ConvTranspose2d = 'nn.SpatialFullConvolution',
  MaxPool2d = 'nn.SpatialMaxPooling', AvgPool2d = 'nn.SpatialAveragePooling', AdaptiveAvgPool2d = 'nn.SpatialAdaptiveAveragePooling',
  BatchNorm1d = 'nn.BatchNormalization', BatchNorm2d = 'nn.SpatialBatchNormalization', Dropout2d = 'nn.SpatialDropout',
  Softmax = 'nn.SoftMax', LogSoftmax = 'nn.LogSoftMax', Flatten = 'nn.View(-1):setNumInputDims(n)', ModuleList = 'a table of modules',
  CrossEntropyLoss = 'nn.CrossEntropyCriterion', MSELoss = 'nn.MSECriterion', NLLLoss = 'nn.ClassNLLCriterion',
  BCELoss = 'nn.BCECriterion', L1Loss = 'nn.AbsCriterion', Upsample = 'nn.UpSampling',
  item = 'a Lua number already: sums and single elements come out as numbers',
  logical_and = 'torch.cmul(a, b) of masks', logical_or = 'torch.cmax(a, b) of masks', logical_not = 'torch.eq(mask, 0)',
  logical_xor = 'torch.ne(a, b) of masks', bucketize = 'torch.searchsorted(sorted, x)', diagonal = 'torch.diag(x)',
  nan_to_num = 'x:maskedFill(torch.isnan(x), 0)', trapz = '(y:sum() - (y[1] + y[-1]) / 2) * dx',
  trapezoid = '(y:sum() - (y[1] + y[-1]) / 2) * dx', pinverse = 'torch.pinv', corr = 'torch.corrcoef(x), a variable a row',
  set_default_dtype = "torch.setdefaulttensortype('torch.FloatTensor')",
  read_csv = 'torch.csv.load(name)',
  loadtxt = 'torch.csv.load(name)', genfromtxt = 'torch.csv.load(name)', savetxt = 'torch.csv.save(name, x)',
  vectorize = 'x:apply(f), which changes x', rearrange = 'x:view(...) and x:permute(...)', to = "x:to('float'); net:float() of a module",
  clip_grad_norm = 'optim.clipGradNorm(parameters, limit)', clip_grad_value = 'optim.clipGradValue(parameters, limit)',
  trunc_normal = 'nn.init.truncatedNormal', LBFGS = 'optim.lbfgs(f, x, config)', BCEWithLogitsLoss = 'nn.functional.bceWithLogits',
  HuberLoss = 'nn.functional.huberLoss', SmoothL1Loss = 'nn.SmoothL1Criterion', KLDivLoss = 'nn.DistKLDivCriterion',
  Parameter = "self:declare('name', x) in a module, x:requiresGrad() elsewhere", named_parameters = 'net:parameters()',
  children = 'net.modules', modules = 'net:listModules()',
  TransformerEncoderLayer = 'nn.MultiheadAttention and nn.LayerNorm, put together',
  DataLoader = 'a loop over x:index(1, positions), with positions from torch.randperm(n):long()', requires_grad_ = 'x:requiresGrad()',
  help = '? name', dir = 'TAB behind x. or x:', range = 'torch.range(first, last), or for i = first, last do',
  Size = 'torch.LongStorage {2, 3}', one_hot = 'nn.OneHot(classes):forward(x)', floor_divide = 'torch.floor(x / y)',
  str = 'tostring', int = 'math.floor, or x:int()', abs = 'math.abs, or torch.abs',
}

local noGpu = 'there is no GPU here: leave out what moves tensors and modules to one'

-- What is not there by any name -> why.
local schedule = 'set config.learningRate between steps: the table that the optimiser was given is read at each of them'

names.absent = {
  cuda = noGpu, cpu = noGpu, device = noGpu, CudaTensor = noGpu, cutorch = noGpu, cunn = noGpu, cudnn = noGpu,
  linalg = 'torch.solve, torch.svd, torch.det and their likes are in torch itself',
  fft = 'there are no Fourier transforms and no complex numbers here', np = 'torch has what NumPy has; torch.npy and torch.npz, its files',
  plt = 'nothing here draws: torch.csv.save and torch.npy.save write what plotting programs read',
  distributions = 'x:normal(mean, std), x:uniform(a, b), x:exponential(l) and torch.multinomial draw; densities are formulas',
  lr_scheduler = schedule, StepLR = schedule, LambdaLR = schedule, CosineAnnealingLR = schedule, ExponentialLR = schedule,
  scaled_dot_product_attention = 'nn.MultiheadAttention, or torch.softmax(torch.bmm(q, k:transpose(2, 3)) / math.sqrt(n), 3) by hand',
  cdist = 'there is no cdist: a:view(n, 1, k):expand(n, m, k) - b:view(1, m, k):expand(n, m, k), and its norm(2, 3)',
  pdist = 'there is no pdist: x:view(n, 1, k):expand(n, n, k) - x:view(1, n, k):expand(n, n, k), and its norm(2, 3)',
  interp = 'there is no interp: torch.searchsorted finds the interval', set_printoptions = 'print has one format; string.format has others',
  F = "F = require('nn').functional comes first",
  nn = "require 'nn' comes first", optim = "require 'optim' comes first", autograd = "autograd = require 'autograd' comes first",
}

-- Packages that stood beside Torch7's own, by what they are written in.
names.beside = {}
for name in ('gnuplot nngraph graph dp dpnn rnn csvigo dok display'):gmatch '%a+' do
  names.beside[name] = '%s is a package of its own, written in Lua: it works here once it is on package.path'
end
for name in ('numpy scipy pandas matplotlib sklearn'):gmatch '%a+' do
  names.beside[name] = '%s is a package of Python; torch has tensors and linear algebra, torch.npy, torch.npz and torch.csv exchange files'
end
for name in ('image hdf5 mattorch matio qt qtwidget threads signal audio npy4th'):gmatch '[%w]+' do
  names.beside[name] = "%s is a package of its own over Torch7's C libraries, which are not here"
end

-- What was probably meant where an op was called with other arguments: by the op's name.
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

-- Where the compiler stops -> what other languages have there.
names.symbols = {
  ['@'] = 'x * y, or torch.mm(x, y), is the matrix product', ['!'] = 'not equal is ~=, and not is a word', ['&'] = 'and is a word',
  ['|'] = 'or is a word', ['+'] = 'x = x + 1; x:add(1) changes a tensor',
  ['*'] = 'a power is x ^ 2; x = x * 2',
  ['/'] = 'x = x / 2; math.floor(x / 2), torch.floor(x / 2)', [':'] = 'slices are x[{ {first, last}, {} }]',
  ['repeat'] = 'x:repeatTensor(...)', ['-'] = 'x = x - 1; a comment begins with --',
  ['['] = 'lists are {1, 2, 3}, tensors torch.Tensor {1, 2, 3}', ['?'] = '? name shows documentation',
}

-- What the compiler misses there, too -> likewise.
names.missing = {
  ["']' expected near ','"] = 'an element is x[{1, 2}], a part x[{ {1, 2}, {} }]',
  ["')' expected near '='"] = 'arguments have no names in Lua: x:sum(1)',
}

-- The first word of such a line.
names.words = {
  import = "local numbers = require 'numbers', or import 'numbers'", from = "local f = require('numbers').f",
  def = 'function f(x) ... end', lambda = 'function(x) return x end', class = "local Net, parent = torch.class('Net', 'nn.Container')",
  ['!'] = '$ command runs a shell command',
}

return names
