--- The parts of torch, and of the methods of tensors, that are loaded at their first use.
-- @module torch.start.names
local C = require 'libmoontorch'
local class = require 'torch.class'
local composed = require 'torch.composed'
local distribution = require 'torch.distribution'
local parts = require 'torch.start.lazy_loader'
local types = require 'torch.devices.types'

-- Appends the names of all ops, or of those that are methods, to a list, including aliases.
local function addOps(list, methodsOnly)
  for _, name in ipairs(C.opInfo()) do
    if not methodsOnly or C.opInfo(name, 'method') ~= 'none' then
      list[#list + 1] = name
      for alias in C.opInfo(name, 'alias'):gmatch '%S+' do list[#list + 1] = alias end
    end
  end
end

-- Lines for `torch.start.lazy_loader`: fields of both torch and the methods, of torch only, and of the methods only.
local both = composed.methods .. [[
  torch.names.split: split chunk tensorSplit hsplit vsplit dsplit splitWithSizes
  torch.names.dimensions: movedim moveaxis swapaxes swapdims ravel unflatten broadcastTo diagonal tile fliplr flipud reshapeAs sumToSize
  torch.names.creation: emptyLike randintLike newEmpty newZeros newOnes newFull newTensor newEmptyStrided
  torch.names.type_rules: isSigned isNonzero positive
  torch.names.writing: selectScatter sliceScatter diagonalScatter asStridedScatter maskedScatter indexPut put
  torch.names.scatter_reductions: scatterReduce indexReduce
  torch.names.picking: takeAlongDim repeatInterleave uniqueConsecutive bucketize
  torch.names.cholesky_factor: choleskyInverse choleskySolve
  torch.names.pad: pad
  torch.names.torch7: clamp clip cpow
  torch.names.other_names: absolute arccos arccosh arcsin arcsinh arctan arctanh fix negative reciprocal
  torch.names.other_names: matrixExp matrixPower matrixRank pinverse trapezoid asStrided isSameSize logSoftmax argwhere
  torch.names.without_nan: nanprod nancumsum nancumprod nanargmax nanargmin nanpercentile ptp
  torch.names.other_names: degrees radians fabs power leftShift rightShift invert bitwiseInvert cumulativeSum cumulativeProd permuteDims
  torch.names.other_names: conjugate
  torch.names.elementary: cbrt rint around
  torch.names.alias_tables: multinomialAliasSetup multinomialAliasSetup_ multinomialAlias multinomialAlias_
]]
local fields = both .. composed.functions .. [[
  torch.class: class newmetatable
  torch.names.draws: uniform normal cauchy logNormal exponential geometric bernoulli random
  torch.class: factory getmetatable getconstructortable setmetatable metatype isTypeOf version pointer isequal
  torch.file: File DiskFile MemoryFile PipeFile save load saveobj loadobj serialize deserialize serializeToStorage deserializeFromStorage
  torch.file.memmap: memmap
  npy = torch.file.npy
  npz = torch.file.npz
  safetensors = torch.file.safetensors
  pt = torch.file.pt
  special = torch.special
  fft = torch.fft
  linalg = torch.linalg
  sparse = torch.sparse
  Sparse = torch.sparse.tensor
  SparseCOO = torch.sparse.coo
  SparseCompressed = torch.sparse.compressed
  SparseCSR = torch.sparse.csr
  SparseCSC = torch.sparse.csc
  SparseBSR = torch.sparse.bsr
  SparseDIA = torch.sparse.dia
  torch.names.einsum_path: einsumPath
  torch.names.sparse: sparseCooTensor sparseCsrTensor sparseCscTensor sparseBsrTensor smm spmm dsmm sspaddmm nonzeroStatic
  csv = torch.file.csv
  torch.names.numpy: stack unbind flatten argsort randint tensor zerosLike onesLike fullLike randLike randnLike
  torch.names.numpy: complex64 complex128 csingle cdouble
  torch.names.complex_questions: iscomplex isreal iscomplexobj isrealobj realIfClose vdot
  torch.names.numpy: float16 bfloat16 float32 float64 uint8 int8 int16 int32 int64 uint16 uint32 uint64 float8_e4m3fn float8_e5m2
  torch.names.numpy: single ubyte ushort uintc uint uintp ulong ulonglong intc intp longlong
  torch.names.vector_products: matvec vecmat
  torch.names.dtype_questions: isdtype issubdtype commonType minScalarType
  meshgrid = torch.names.meshgrid
  torch.names.other_names: concat concatenate intersect1d union1d setdiff1d in1d unstack arraySplit takeAlongAxis broadcastArrays asanyarray
  torch.names.other_names: ascontiguousarray
  torch.names.arrays: tri identity indices ix_ fromfunction fromiter geomspace diagIndices diagIndicesFrom trilIndicesFrom triuIndicesFrom
  torch.names.arrays: maskIndices block hanning hamming bartlett blackman kaiser ravelMultiIndex
  torch.names.changing: append insert delete trimZeros rollaxis broadcastShapes slidingWindowView expandDims
  torch.names.choosing: choose selectByMask piecewise extract compress place putmask copyto putAlongAxis flatnonzero lexsort digitize
  torch.names.choosing: partition argpartition sortComplex
  torch.names.elementary: divmod modf nextafter spacing bitwiseCount unwrap
  torch.names.without_nan: average ediff1d
  torch.names.weighted: weightedCov weightedCorrcoef
  torch.names.segments: segmentSum segmentMean segmentProd segmentMax segmentMin
  torch.names.polynomial_arithmetic: polyadd polysub polymul polydiv polyder polyint poly convolve correlate
  torch.names.applying: applyAlongAxis applyOverAxes vectorize frompyfunc ndindex ndenumerate
  torch.names.digits: packbits unpackbits binaryRepr baseRepr
  torch.names.comparing: arrayEqual arrayEquiv mayShareMemory sharesMemory isscalar ndim shape asarrayChkfinite iterable
  torch.names.sets_1d: setxor1d uniqueValues uniqueCounts uniqueInverse uniqueAll uniqueSlices
  torch.names.histograms: histogramdd histogram2d histogramBinEdges
  torch.names.texts: array2string arrayStr arrayRepr formatFloatPositional formatFloatScientific setPrintoptions getPrintoptions
  torch.names.texts: printoptions fromstring loadtxt genfromtxt savetxt
  torch.names.dimensions: broadcastTensors atleast1d atleast2d atleast3d
  torch.names.picking: unravelIndex
  torch.names.joining: hstack vstack rowStack dstack columnStack blockDiag cartesianProd combinations
  torch.names.creation: scalarTensor asTensor asarray asmatrix emptyStrided emptyPermuted trilIndices triuIndices vander
  torch.names.creation: hannWindow hammingWindow blackmanWindow bartlettWindow kaiserWindow
  torch.names.type_rules: promoteTypes resultType canCast isFloatingPoint detach isGradEnabled getDefaultDtype setDefaultDtype
  torch.names.type_rules: setDefaultTensorType getNumThreads setNumThreads getRngState setRngState
  torch.start.environment: isatty packageLuaPath setheaptracking updateerrorhandlers updatethreadlocals getenv setenv
  torch.tensor.ffi_types: cdata data pushudata
  torch.tensor.blob: fromBlob
  torch.tensor.dlpack: toDLPack fromDLPack
  python = torch.python
  shared = torch.tensor.shared
  profiler = torch.profiler
  torch.timer: Timer tic toc
  torch.tester: Tester TestSuite
  torch.cmdline: CmdLine
  torch.start.include: include
  torch.tensor.print_options: setprintoptions getprintoptions
  torch.devices: infer withDevice setDefaultDevice getDefaultDevice devices loadDevice
  torch.load_ops: loadOps
  torch.names.number_limits: finfo iinfo
  sweep = torch.sweep
  autocast = torch.autocast
  config = torch.config
  cuda = torch.cuda
  jitLimits = torch.start.jit_limits
  test = torch.start.self_test
  ops = torch.ops
  graph = torch.graph
  fuse = torch.fuse
  torch.lazy: lazy setLazy isLazy
  torch.graph_object: Graph
  torch.prepared: Prepared
  torch.guarded_graph: GuardedGraph
  torch.check.whole: strictNumbers
]] .. distribution.functions
local methods = both .. [[
  torch.index.apply: apply map map2
  torch.index.at: at setAt
  torch.tensor.conversions: type typeAs real isFloatingPoint isSize byte char short int long half float double bool bfloat16 _as
  torch.tensor.conversions: uint16 uint32 uint64 float8e4m3 float8e5m2 complexfloat complexdouble isComplex
  torch.index.masked_slices: _maskedSlices _setMaskedSlices
  torch.index.lists: _indexLists _setIndexLists
  torch.names.numpy: unbind flatten argsort
  torch.names.picking: where
  torch.names.writing: fillDiagonal
  torch.names.other_names: nelement ndimension tolist
  torch.tensor.ffi_types: cdata retain free
  torch.tensor.shared: share isShared
  torch.tensor.dlpack: dlpack
  torch.file.memmap: flush
  torch.sparse.from_dense: sparse toSparse sparseMask
  torch.cuda.copies: copyAsync
  torch.cuda.conversions: cuda cudaDouble cudaHalf cudaBFloat16 cudaByte cudaChar cudaShort cudaInt cudaLong cudaBool
  torch.cuda.conversions: cudaComplexFloat cudaComplexDouble cudaUInt16 cudaUInt32 cudaUInt64 cudaFloat8E4m3 cudaFloat8E5m2
]] .. distribution.methods

-- Returns the position of the dtype of a tensor or storage class, and its device kind.
local function dtypeOf(name)
  local type = name:match '^(.*)Tensor$' or name:match '^(.*)Storage$'
  if type then return types.parse(type) end
end

-- Whether a name may be that of a method that changes its tensor, in PyTorch's form.
local function isInPlace(name) return type(name) == 'string' and name:find '^%a.*_$' ~= nil end

--- Makes torch and its tensors load these parts on demand.
-- @tparam table torch
-- @tparam table tensors the shared tables of the classes
-- @tparam function makeClasses creates the classes of a dtype, on devices of a kind
-- @tparam function useDefaultType sets torch.Tensor and torch.Storage
return function(torch, tensors, makeClasses, useDefaultType)
  local ownGenerator = C.ownGenerator

  local function find(_, name)
    if name == '_gen' then return ownGenerator() end
    local dtype, kind
    if type(name) == 'string' then dtype, kind = dtypeOf(name) end
    if kind then
      local good, there = pcall(require('torch.devices.kinds').bring, kind)
      if good and there then makeClasses(dtype, kind) end      -- else nil, by which programs know that there is no GPU
    elseif dtype then
      makeClasses(dtype)
    elseif name == 'Tensor' or name == 'Storage' then
      useDefaultType()
    elseif name == 'Allocator' then
      class.register('torch.Allocator', {}, nil, nil, torch)
    else
      local value = C.functions[name]
      if value == nil and isInPlace(name) then value = require 'torch.names.in_place'.call(name) end
      rawset(torch, name, value)
    end
    return rawget(torch, name)
  end

  parts(torch, fields, find, function(list)
    addOps(list)
    for _, info in ipairs(C.dtypes) do
      for _, kind in ipairs { 'Tensor', 'Storage' } do list[#list + 1] = info.torch .. kind end
    end
    for _, name in ipairs { 'Tensor', 'Storage', 'Allocator' } do list[#list + 1] = name end
  end)
  -- A program may replace the state's generator.
  getmetatable(torch).__newindex = function(_, name, value)
    if name == '_gen' then return ownGenerator(value) end      -- a tail call: errors report the caller's line
    rawset(torch, name, value)
  end

  local bind = getmetatable(tensors.methods).__index
  local function findMethod(t, name)
    local method = bind(t, name)
    if method == nil and isInPlace(name) then
      method = require 'torch.names.in_place'.method(name)
      rawset(t, name, method)
    end
    return method
  end
  parts(tensors.methods, methods, findMethod, function(list) addOps(list, true) end)
  fields, methods = nil, nil      -- the loaders have copies
  parts(tensors.storageMethods, 'torch.tensor.ffi_types: cdata retain free \n torch.tensor.shared: share isShared')
end
