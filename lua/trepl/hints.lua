--- What to say beside messages such as "attempt to call field 'zeros_like' (a nil value)": what is meant, where it has another name here.
-- @module trepl.hints
local hints = {}

-- Names of NumPy and PyTorch -> ours.
local ours = {
  shape = '#x or x:size()', ndim = 'x:dim()', dtype = 'x:type()', T = 'x:t()', len = '#x or x:size(1)', tolist = 'x:totable()',
  array = 'torch.Tensor{...}', concatenate = 'torch.cat',
  concat = 'torch.cat', hstack = 'torch.cat(tensors, 2)', vstack = 'torch.cat(tensors, 1)', tile = 'x:repeatTensor(...)',
  maximum = 'torch.cmax', minimum = 'torch.cmin', multiply = 'torch.cmul', subtract = 'torch.csub', divide = 'torch.cdiv',
  negative = 'torch.neg', absolute = 'torch.abs', power = 'torch.pow', seed = 'torch.manualSeed', no_grad = 'torch.noGrad(f)',
  requires_grad = 'x:requiresGrad()', astype = "x:type('torch.FloatTensor'), x:float(), ...", from_numpy = 'torch.npy.load(name)',
  numpy = 'torch.npy.save(name, x)', index_select = 'x:index(dim, positions)', masked_select = 'x:maskedSelect(mask)',
  transpose_ = 'x:transpose(a, b)', swapaxes = 'x:transpose(a, b)', is_tensor = 'torch.isTensor',
  repeat_interleave = 'x:index(dim, positions)', get_default_dtype = 'torch.getdefaulttensortype', int32 = 'torch.IntTensor',
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
}

local noGpu = 'there is no GPU here: leave out what moves tensors and modules to one'

-- What is not there by any name -> why.
local absent = {
  cuda = noGpu, cpu = noGpu, device = noGpu, CudaTensor = noGpu, cutorch = noGpu, cunn = noGpu, cudnn = noGpu,
  linalg = 'torch.solve, torch.svd, torch.det and their likes are in torch itself',
  nn = "require 'nn' comes first", optim = "require 'optim' comes first", autograd = "autograd = require 'autograd' comes first",
}

-- Packages that stood beside Torch7's own, by what they are written in.
local beside = {}
for name in ('gnuplot nngraph graph dp dpnn rnn csvigo dok display'):gmatch '%a+' do
  beside[name] = '%s is a package of its own, written in Lua: it works here once it is on package.path'
end
for name in ('image hdf5 mattorch matio qt qtwidget threads signal audio npy4th'):gmatch '[%w]+' do
  beside[name] = "%s is a package of its own over Torch7's C libraries, which are not here"
end

-- The hint about a module that was not found.
local function ofModule(name)
  local first = name:match '^[^.]*'
  return beside[first] and beside[first]:format(first) or absent[first]
end

local function camel(name) return (name:gsub('_(%a)', string.upper)) end

-- The name if torch or a tensor has it.
local function known(torch, name)
  if torch[name] ~= nil then return 'torch.' .. name end
  if torch.Tensor[name] ~= nil then return 'x:' .. name .. '(...)' end
end

-- Whether two names are one slip apart: a letter more, less, another or two that changed places, and whatever case.
local function isSlip(a, b)
  a, b = a:lower(), b:lower()
  if #a > #b then a, b = b, a end
  if #b - #a > 1 or #a < 4 then return false end
  local i = 1
  while i <= #a and a:byte(i) == b:byte(i) do i = i + 1 end
  if #a < #b then return a:sub(i) == b:sub(i + 1) end
  return a:sub(i + 1) == b:sub(i + 1) or a:sub(i + 2) == b:sub(i + 2) and a:sub(i, i + 1):reverse() == b:sub(i, i + 1)
end

-- A name of nn, optim or torch that differs by its case, else one that is a slip away.
local function similar(name)
  local near
  for _, package_ in ipairs { 'nn', 'optim', 'torch' } do
    local loaded = package.loaded[package_]
    for _, candidate in ipairs(loaded and debug.getmetatable(loaded).__names() or {}) do
      if candidate:lower() == name:lower() then return package_ .. '.' .. candidate end
      if not near and isSlip(name, candidate) then near = package_ .. '.' .. candidate end
    end
  end
  return near
end

-- The hint about a name that was called and is nil.
local function ofCall(torch, name)
  local plain = name:gsub('_$', '')
  local found = ours[name] or known(torch, camel(plain)) or ours[plain] or known(torch, camel(plain:gsub('_', '')))
  if not found then
    local meant = similar(name)
    return meant and ('%s is nothing, %s is there'):format(name, meant)
  end
  local inPlace = name ~= plain and ': methods such as x:add(1) change x' or ''
  return ('%s is %s here%s'):format(name, found, inPlace)
end

-- The hint about a message that names nothing.
local function ofKind(torch, message)
  if message:find('attempt to compare', 1, true) and message:find('userdata', 1, true) then
    return 'tensors are compared by torch.lt, le, gt, ge, eq and ne: x:gt(2)'
  end
  local method = message:match '([%w_]+): result: .*a leaf that requires a gradient cannot be changed in place'
  local op = method and torch.ops[method]
  if op and op.method == 'inPlace' then return ('x:%s(...) writes into x; torch.%s(x, ...) makes a new tensor'):format(method, method) end
  return message:find "attempt to index a number value" and 'what is one element comes out as a Lua number'
end

--- A line to add to a message, nil for most.
-- @string message an error's
-- @treturn ?string
function hints.of(message)
  local torch = package.loaded.torch
  if not torch then return nil end
  local module = message:match "module '([^']+)' not found:"
  local called = message:match "attempt to call %a+ '([%w_]+)' %(a nil value%)"
  local indexed, field = message:match "attempt to [%a ]- (%a+) '([%w_]+)' %(a nil value%)"
  local hint
  if module then
    hint = ofModule(module)
  elseif called then
    hint = absent[called] or ofCall(torch, called)
  elseif indexed == 'field' and ours[field] then
    hint = ('%s is %s here'):format(field, ours[field])
  elseif indexed == 'global' or indexed == 'field' then
    hint = absent[field]
  else
    hint = ofKind(torch, message)
  end
  return hint and 'hint: ' .. hint
end

--- What to say where an expression such as x.shape, a field that tensors don't have, gives nil.
-- @string expression
-- @treturn ?string
function hints.ofNothing(expression)
  local owner, name = expression:match '^%s*([%a_][%w_%.]*)%.([%a_][%w_]*)%s*$'
  local torch = package.loaded.torch
  local chunk = owner and torch and loadstring('return ' .. owner)
  if not chunk then return nil end
  local good, value = pcall(chunk)
  local hint = good and (value == torch or torch.isTensor(value)) and ofCall(torch, name)
  return hint and 'hint: ' .. hint
end

return hints
