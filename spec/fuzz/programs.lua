-- Random programs: they call everything public (functions, constructors, methods, operators, keys) with results of earlier calls,
-- with callbacks that raise errors, yield, collect and change arguments in use, and with modules of nn in between. ops_spec and
-- tensors_spec test the messages for invalid arguments; these programs test that the process survives, that tensors which a program never
-- accessed are unchanged, and that no memory leaks.
local torch = require 'torch'
local fuzz = require 'spec.support.fuzz'

local programs = {}

-- Left out: raw pointers and reference counts; functions that change classes or the system, wait, print or read the terminal.
local left = {}
for name in ([[
  data cdata retain free pushudata pointer class factory setmetatable newmetatable getmetatable getconstructortable metatype version
  setenv include test testTHNN execute fexecute sleep usleep ls la ll lla rmdir rmall mkdir dofile require execdir findprogram dir files
  iterdirs iterfiles thisfile clear clearall usage usage_module print who error progress log remember getregistryvalue cmaes de
  installed envparams unpack unpack_class trycatch updateerrorhandlers updatethreadlocals setheaptracking __gc __names PipeFile Profiler
  Tester Logger FistaLS hessian StochasticGradient ConfusionMatrix __factory
]]):gmatch '%S+' do left[name] = true end

-- The names of a table, those that it reads on demand included.
local function namesOf(t)
  local known, list = {}, {}
  local meta = getmetatable(t)
  local lazy = type(meta) == 'table' and rawget(meta, '__names')
  for _, name in ipairs(lazy and lazy() or {}) do known[name] = true end
  for name in pairs(t) do known[name] = true end
  for name in pairs(known) do
    if type(name) == 'string' and not left[name] then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

local function callable(value)
  if type(value) == 'function' then return true end
  local meta = type(value) == 'table' and getmetatable(value)
  return type(meta) == 'table' and meta.__call ~= nil
end

-- All public functions and constructors, as { name, f }.
local function functions()
  local list = {}
  local function add(prefix, t)
    for _, name in ipairs(namesOf(t)) do
      if callable(t[name]) then list[#list + 1] = { prefix .. '.' .. name, t[name] } end
    end
  end
  local nn = require 'nn'
  for name, t in pairs { torch = torch, nn = nn, ['nn.functional'] = nn.functional, ['nn.init'] = nn.init, csv = torch.csv, npy = torch.npy,
                         npz = torch.npz, safetensors = torch.safetensors } do add(name, t) end
  for _, name in ipairs { 'optim', 'autograd', 'tds', 'paths', 'sys', 'xlua' } do add(name, require(name)) end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

-- The methods of an object, by its class; metatables that share names by __index are gone through to the end.
local byClass = {}
local function methodsOf(object)
  local class = torch.type(object)
  if byClass[class] then return byClass[class] end
  local known, list, seen, layer = {}, {}, {}, getmetatable(object)
  if torch.isTensor(object) then
    for _, name in ipairs(namesOf(require('torch.tensor').methods)) do known[name] = true end
  end
  while type(layer) == 'table' and not seen[layer] do
    seen[layer] = true
    for _, name in ipairs(namesOf(layer)) do known[name] = true end
    local index = rawget(layer, '__index')
    layer = type(index) == 'table' and index ~= layer and index or getmetatable(layer)
  end
  for name in pairs(known) do list[#list + 1] = name end
  table.sort(list)
  byClass[class] = list
  return list
end

-- Valid modules, each with a function that creates a suitable input.
local function declared()
  local list = {}
  for _, cases in ipairs { require('spec.nn.declared').modules, require('spec.nn.declared').criteria, require 'spec.nn.windows' } do
    for _, case in ipairs(cases) do list[#list + 1] = case end
  end
  return list
end

local function filled(pick, sizes, name)
  if type(sizes) ~= 'table' then return type(sizes) == 'string' and assert(loadstring('return ' .. sizes))() or sizes end
  if type(sizes[1]) == 'number' then
    local copy = { unpack(sizes) }
    if pick(6) == 1 then copy[pick(#copy)] = pick(6) - 1 end
    local x = torch[name .. 'Tensor'](unpack(copy))
    for i = 1, x:nElement() do x:storage()[i] = pick(5) / 2 - 1 end
    return pick(4) == 1 and x:dim() > 1 and x:transpose(1, 2):contiguous():transpose(1, 2) or x
  end
  local list = {}
  for i, inner in ipairs(sizes) do list[i] = filled(pick, inner, name) end
  return list
end

local world = {}      -- public names, gathered by the first program

local Program = {}
Program.__index = Program

local most = 24       -- objects that a program keeps
local operators = {
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a * b end, function(a, b) return a / b end,
  function(a, b) return a ^ b end, function(a, b) return a % b end, function(a) return -a end, function(a) return #a end,
  function(a, b) return a == b end, function(a, b) return a < b end, function(a, b) return a .. b end, function(a) return tostring(a) end,
  function(a, b) return a[b] end, function(a, b, c) a[b] = c end, function(a, b) return a(b) end,
  function(a) for k, v in pairs(a) do if k == v then return k end end end,
}

function Program:object()
  return self.objects[self.pick(#self.objects)]
end

-- Stores the results of a call, except large ones, classes, and functions, which might be any of Lua's.
function Program:keep(value)
  local kind = type(value)
  if kind ~= 'userdata' and kind ~= 'table' then return end
  if world.tables[value] or getmetatable(value) == Program or kind == 'table' and rawget(value, '__index') ~= nil then return end
  if torch.isTensor(value) and value:nElement() > 1e5 or torch.isStorage(value) and #value > 1e5 then return end
  self.objects[#self.objects < most and #self.objects + 1 or self.pick(most)] = value
end

-- A user's function: does something unexpected, and returns something.
function Program:callback()
  return function(...)
    self.depth = self.depth + 1
    local kind = self.depth < 4 and self.pick(9) or 9
    if kind == 1 then error 'thrown' end
    if kind == 2 then error { 'thrown' } end
    if kind == 3 and not self.finalising then collectgarbage() end      -- in a finaliser LuaJIT's compiled loops may never end after one
    if kind == 4 and coroutine.running() then coroutine.yield(1) end
    if kind == 5 then self:step() end
    if kind == 6 then
      local x = self:object()
      if torch.isTensor(x) then pcall(x.resize, x, self.pick(40)) end
    elseif kind == 7 then
      local x = self:object()
      if torch.isTensor(x) then pcall(x.set, x) end
    end
    self.depth = self.depth - 1
    if kind == 8 then return end
    return self.pick(3) == 1 and ... or self.pick(4)
  end
end

function Program:argument()
  local kind = self.pick(8)
  if kind <= 3 then return self:object() end
  if kind == 4 then return self:callback() end
  local value = fuzz.makers[self.pick(#fuzz.makers)](self.pick)
  if type(value) == 'cdata' and not tonumber(value) then return 1 end      -- an FFI array of unknown length
  return value
end

function Program:arguments(first)
  local list = { first, n = first ~= nil and 1 or 0 }
  for _ = 2, self.pick(5) do
    list.n = list.n + 1
    list[list.n] = self:argument()
  end
  return list
end

-- Calls; the results join the objects.
function Program:call(name, f, list)
  fuzz.note(name, list)
  local function kept(good, ...)
    if good then
      for i = 1, select('#', ...) do self:keep((select(i, ...))) end
    elseif programs.onError then
      programs.onError(name, list, ...)
    end
  end
  self.made = self.made + 1
  kept(pcall(f, unpack(list, 1, list.n)))
end

local steps = {
  function(self)
    local entry = world.functions[self.pick(#world.functions)]
    self:call(entry[1], entry[2], self:arguments())
  end,
  function(self)      -- an op with valid arguments
    local name = world.ops[self.pick(#world.ops)]
    local info = require('libmoontorch').opInfo(name)
    local list = fuzz.arguments(self.pick, info)
    if list.n > 0 and self.pick(2) == 1 then list[self.pick(list.n)] = self:object() end
    self:call(name, torch[name], list)
  end,
  function(self)      -- a valid module or criterion, and its input
    local case = world.declared[self.pick(#world.declared)]
    local module, name = assert(loadstring('return require("nn").' .. case[1]))(), 'Double'
    if self.pick(3) == 1 then
      name = fuzz.types[self.pick(#fuzz.types)]
      pcall(module.type, module, 'torch.' .. name .. 'Tensor')
    end
    local input, target = filled(self.pick, case[2], name), case[3] and filled(self.pick, case[3], name)
    if self.pick(3) == 1 and torch.isTensor(input) and input:isFloatingPoint() then input:requiresGrad() end
    self:keep(module)
    self:keep(input)
    for _ = 1, self.pick(6) do
      local methods = methodsOf(module)
      local method = ({ 'forward', 'forward', 'backward', 'updateGradInput', methods[self.pick(#methods)] })[self.pick(5)]
      local third = target or torch.isTensor(module.output) and module.output
      if self.pick(8) == 1 then third = self:argument() end
      self:call(case[1] .. ':' .. method, module[method], { module, self.pick(10) == 1 and self:argument() or input, third, n = 3 })
    end
  end,
  function(self) self:call('operator', operators[self.pick(#operators)], self:arguments(self:object())) end,
  function(self)      -- a field of an object, which any Lua code can write
    local object = self:object()
    if type(object) ~= 'table' or self.pick(3) > 1 then return end
    local names = {}
    for name in pairs(object) do names[#names + 1] = type(name) == 'string' and name or nil end
    table.sort(names)
    if #names > 0 then self:call('a field', rawset, { object, names[self.pick(#names)], self:argument(), n = 3 }) end
  end,
  function(self)      -- steps of a thread that may be left for ever
    local thread = coroutine.create(function() for _ = 1, 3 do self:step() end end)
    for _ = 1, self.pick(3) do coroutine.resume(thread) end
  end,
  function(self)      -- a finaliser; not in compiled code, where LuaJIT may never leave a loop of pairs inside one
    if jit.status() then return end
    getmetatable(newproxy(true)).__gc = function()
      if self.depth < 2 and not self.ended then
        self.depth, self.finalising = self.depth + 1, true
        pcall(self.step, self)
        self.depth, self.finalising = self.depth - 1, false
      end
    end
  end,
  function(self)      -- a file, and objects in it
    local file = self.pick(2) == 1 and torch.MemoryFile() or torch.MemoryFile(({ 'rw', 'r', 'w' })[self.pick(3)])
    self:keep(file)
    for _ = 1, self.pick(4) do pcall(file.writeObject, file, self:object()) end
    pcall(file.seek, file, 1)
    self:keep(select(2, pcall(file.readObject, file)))
  end,
  function(self)
    local tds = require 'tds'
    local container = self.pick(2) == 1 and tds.Hash() or tds.Vec()
    for i = 1, self.pick(4) do pcall(function() container[i] = self:argument() end) end
    self:keep(container)
  end,
  function(self)      -- a graph on the tape
    local x = fuzz.tensor(self.pick, self.pick(2) == 1 and 'Double' or 'Float')
    x:requiresGrad()
    self:keep(x)
    self:keep(torch.cmul(x, x))
    self:keep(torch.sum(torch.exp(x)))
  end,
}

function Program:step()
  if self.pick(2) == 1 then return steps[self.pick(#steps)](self) end
  local object = self:object()      -- a method
  local methods = methodsOf(object)
  if #methods == 0 then return end
  local name = methods[self.pick(#methods)]
  local good, method = pcall(function() return object[name] end)
  if good and callable(method) then
    self:call(torch.type(object) .. ':' .. name, method, self:arguments(self.pick(16) > 1 and object or nil))
  end
end

local function gather()
  world.functions, world.declared, world.ops = functions(), declared(), torch.ops()
  world.tables = { [_G] = true, [package.loaded] = true }
  for _, module in pairs(package.loaded) do
    if type(module) == 'table' then
      world.tables[module] = true
      for _, value in pairs(module) do world.tables[value] = true end
    end
  end
end

-- The state that programs may leave changed.
local function restore(threads)
  torch.setdefaulttensortype 'torch.DoubleTensor'
  torch.setnumthreads(threads)
  require('libmoontorch').gradMode(true)
end

--- Runs a program.
-- @int seed which
-- @int length steps
-- @treturn int calls made
-- @raise if a tensor changed that the program never had
function programs.run(seed, length)
  if not world.functions then gather() end
  local threads = torch.getnumthreads()
  local program = setmetatable({ pick = fuzz.generator(seed), objects = {}, depth = 0, made = 0 }, Program)
  local others = {}
  for i = 1, 8 do
    others[i] = torch.range(1, 8 * i)
    program.objects[i] = fuzz.tensor(program.pick)
  end
  program.objects[9] = torch.LongStorage { 2, 3 }
  for _ = 1, length do program:step() end
  restore(threads)
  for i, x in ipairs(others) do
    for k = 1, 8 * i do
      if x[k] ~= k then error(('program %d: element %d of a tensor that it never had is %s'):format(seed, k, tostring(x[k]))) end
    end
  end
  program.objects, program.ended = {}, true
  return program.made
end

return programs
