--- The documentation of names without a comment in Lua: native functions, functions created in a loop, and values.
-- `native.line(name)` returns a usage and its effect, `native.ofValue(expression)` the description of a value.
-- @module trepl.native
local native = {}

-- One line per function: its call and its effect.
local text = [[
torch.Tensor([sizes | table | tensor | storage [, offset, sizes, strides] ]): an array of numbers, torch.Tensor one of the default type
torch.Storage([size | table | file name [, shared] ]): the memory in which tensors have their numbers, torch.Storage of the default type
torch.Generator([kind]): a stream of random numbers of its own, seeded by the system: 'mersenne', or 'philox', alike on every device
x:dim(): the number of dimensions; 0 of a tensor without sizes
x:nDimension(): the number of dimensions; 0 of a tensor without sizes
x:size([dim]): all sizes as a LongStorage, or one of them
x:stride([dim]): how many elements lie from one index to the next: all dimensions' as a LongStorage, or one dimension's
x:nElement(): the number of elements
x:numel(): the number of elements
x:storage(): the storage that holds the elements, nil where there is none; it may be shared with other tensors
x:storageOffset(): the place of the first element in the storage, counted from 1
x:isContiguous(): whether the elements lie in memory row by row, without gaps
x:isChannelsLast(): whether channelsLast, or an op on such a tensor, has laid it out with its channels last in memory
x:isSameSizeAs(y): whether two tensors have the same sizes
x:isSetTo(y): whether two tensors are the same view of the same storage
x:isTensor(): true; torch.isTensor(x) answers for any value
torch.isStorage(x): whether a value is a storage
x:item(): the element of a tensor of one, as a number, tracked or not
x:totable(): the elements as nested tables of numbers
x:data(): a pointer to the first element, for FFI; it is valid as long as the tensor is held and not resized
x:elementSize(): the bytes of an element
x:type([name]): the name of the type, or the tensor converted to the named one; itself where it has that type
x:typeAs(y): the tensor converted to y's type; itself where it has that type
x:real(): the tensor converted to the default type; itself where it has that type
x:device(): the name of the device where the elements are: cpu, meta, or one of a library's; storages have it, too
x:isFloatingPoint(): whether the elements are floats
x:byte(): the elements converted to 8 bits without sign; itself where they are
x:char(): the elements converted to 8 bits with sign; itself where they are
x:short(): the elements converted to integers of 16 bits; itself where they are
x:int(): the elements converted to integers of 32 bits; itself where they are
x:long(): the elements converted to integers of 64 bits; itself where they are
x:half(): the elements converted to floats of 16 bits; itself where they are
x:bfloat16(): the elements converted to floats of 16 bits with float32's range; itself where they are
x:uint16(): the elements converted to 16 bits without sign, a type for storage; itself where they are
x:uint32(): the elements converted to 32 bits without sign, a type for storage; itself where they are
x:uint64(): the elements converted to 64 bits without sign, a type for storage; itself where they are
x:float8e4m3(): the elements converted to floats of 8 bits up to 448, a type for storage; itself where they are
x:float8e5m2(): the elements converted to floats of 8 bits up to 57344, a type for storage; itself where they are
x:complexfloat(): the elements converted to complex numbers of two floats of 32 bits; itself where they are
x:complexdouble(): the elements converted to complex numbers of two floats of 64 bits; itself where they are
x:isComplex(): whether the elements are complex numbers
x:float(): the elements converted to floats of 32 bits; itself where they are
x:double(): the elements converted to floats of 64 bits; itself where they are
x:bool(): the elements as 0 and 1; itself where they are
x:cuda(): the elements as floats of 32 bits on CUDA's current device; itself where they are on one
x:cudaDouble(): the elements as floats of 64 bits on CUDA's current device; itself where they are on one
x:cudaHalf(): the elements as floats of 16 bits on CUDA's current device; itself where they are on one
x:cudaBFloat16(): the elements as floats of 16 bits with float32's range on CUDA's current device; itself where they are on one
x:cudaByte(): the elements as 8 bits without sign on CUDA's current device; itself where they are on one
x:cudaChar(): the elements as 8 bits with sign on CUDA's current device; itself where they are on one
x:cudaShort(): the elements as integers of 16 bits on CUDA's current device; itself where they are on one
x:cudaInt(): the elements as integers of 32 bits on CUDA's current device; itself where they are on one
x:cudaLong(): the elements as integers of 64 bits on CUDA's current device; itself where they are on one
x:cudaBool(): the elements as 0 and 1 on CUDA's current device; itself where they are on one
x:cudaUInt16(): the elements as 16 bits without sign on CUDA's current device; itself where they are on one
x:cudaUInt32(): the elements as 32 bits without sign on CUDA's current device; itself where they are on one
x:cudaUInt64(): the elements as 64 bits without sign on CUDA's current device; itself where they are on one
x:cudaComplexFloat(): the elements as complex numbers of two floats of 32 bits on CUDA's current device; itself where they are on one
x:cudaComplexDouble(): the elements as complex numbers of two floats of 64 bits on CUDA's current device; itself where they are on one
x:cudaFloat8E4m3(): the elements as floats of 8 bits up to 448 on CUDA's current device; itself where they are on one
x:cudaFloat8E5m2(): the elements as floats of 8 bits up to 57344 on CUDA's current device; itself where they are on one
x:new(...): a tensor of the same type, from what a constructor takes
ctx:save(...): keeps tensors for the backward of an autograd.Function, which fails if they were changed in place in between
ctx:saved(): the tensors that save kept, one after another
x:read(file): reads what write wrote; for torch.load
x:write(file): writes sizes, strides and storage; for torch.save
x:free(): releases a reference that retain took
s:resize(n): makes a storage n elements long; those that fit are kept
s:string([text]): the bytes of a CharStorage or ByteStorage as a string, or set from one
s:cdata(): a pointer to the storage's own structure, for C
s:retain(): takes a reference, for a pointer that is handed to C
torch.manualSeed([generator | device,] seed): starts the stream of random numbers that belongs to a seed, of this Lua state
torch.seed([generator | device]): starts a stream by a seed from the system, which is returned
torch.initialSeed([generator | device]): the seed that started the stream
torch.getRNGState([generator | device,] [result]): the generator's state as a ByteTensor
torch.setRNGState([generator | device,] state): continues where getRNGState was called
torch.setnumthreads(n): how many threads one op may use when this thread calls it
torch.getnumthreads(): how many threads one op may use
torch.memory(): the bytes that tensors use (live) and that are kept for reuse (cached), blocks in use, and objects made so far (userdata)
torch.memoryLimit([tensors [, heap] ]): the limits in bytes of this state's tensors and of its Lua heap, nil for none; 0 takes one back
torch.emptyCache(): gives the memory that is kept for reuse back to the system
torch.zerosLike(x): a tensor of x's type and sizes, all 0
torch.onesLike(x): a tensor of x's type and sizes, all 1
torch.fullLike(x, value): a tensor of x's type and sizes, all of one value
torch.randLike(x): a tensor of x's type and sizes, uniform in [0, 1)
torch.randnLike(x): a tensor of x's type and sizes, normal with mean 0 and standard deviation 1
]]

-- One line per value: its full name and its description.
local values = [[
torch.version_: Moontorch's version
nn.utils: what modules of one's own are made with: recursive operations on tables of tensors, and types
torch.sweep.names: the sweeps that torch.sweep goes through, in order
autograd.VERSION: Moontorch's version
autograd.nn: nn's constructors, giving functions of their parameters; AutoModule and AutoCriterion, giving modules and criteria
autograd.nn.AutoModule: AutoModule(name)(f, ...) is a module whose forward is f; its class is nn.auto's of that name
autograd.nn.AutoCriterion: AutoCriterion(name)(f) is a criterion whose forward is f
autograd.nn.module: the classes that AutoModule has made, by name
autograd.nn.criterion: the classes that AutoCriterion has made, by name
autograd.auto: the classes that AutoModule and AutoCriterion have made, by name
autograd.nnwrapper.nn: nn's constructors, giving functions of their parameters
autograd.profile: values of the option profile: OFF, SUMMARY and DETAILED
autograd.profile.OFF: a value of the option profile: nothing is measured
autograd.profile.SUMMARY: a value of the option profile: times of the forward and the backward pass
autograd.profile.DETAILED: a value of the option profile: times of the passes, and how often and how long each op ran
x.grad: the gradient that backward passes have added up for a tensor that requires one, nil where there is none; it may be set
x.requires_grad: whether ops on the tensor are recorded; set to true, as x:requiresGrad()
paths.home: $HOME, or '.'
hdf5._version: Moontorch's version
sys.COLORS: escape strings of terminals, by the names of colours; print(sys.COLORS.red .. 'text' .. sys.COLORS.none)
sys.OS: the system's name: linux, macos, ...
sys.prefix: the folder that th is installed in
]]

local known, knownValues

local function read()
  known, knownValues = {}, {}
  for name, meaning in values:gmatch '([%w_.]+): ([^\n]+)' do knownValues[name] = meaning end
  for usage, meaning in text:gmatch '([^\n]-%)): ([^\n]+)' do known[usage:match '([%w_]+)%('] = { usage, meaning } end
  for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double' } do
    known['read' .. kind] = { ('file:read%s([n | storage])'):format(kind), 'reads a number; n as a storage; or as many as fill a storage' }
    known['write' .. kind] = { ('file:write%s(number | storage)'):format(kind), 'writes a number, or all of a storage; returns how many' }
  end
end

local function sentence(meaning) return meaning:sub(1, 1):upper() .. meaning:sub(2) .. '.' end

--- The description of a value of a package.
-- @string expression its full name
-- @param[opt] value
-- @treturn ?string
function native.ofValue(expression, value)
  if not knownValues then read() end
  local meaning = knownValues[expression]
  local typeName = type(value) == 'string' and expression:find '^torch%.[%w_]+$' and require 'torch.class.type_name'(value)
  if typeName then meaning = ('the type %s, by a name that NumPy or PyTorch has'):format(typeName) end
  if not meaning then return nil end
  return sentence(meaning) .. (type(value) == 'string' and ('\nIt is %q.'):format(value) or '')
end

--- The documentation of a function.
-- @string name without its owner
-- @treturn ?table with the fields `usage`, its call, and `meaning`, a sentence
function native.line(name)
  if not known then read() end
  local found = known[name]
  return found and { usage = found[1], meaning = sentence(found[2]) }
end

return native
