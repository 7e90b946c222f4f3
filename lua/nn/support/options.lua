--- Arguments of constructors by their names, in a table at the end: nn.SpatialConvolution(3, 16, 3, 3, { padW = 1, bias = false }).
-- The names are those of the constructor's parameters, in upper or lower case, with or without `_`, and PyTorch's names for them.
-- Properties that methods of the class set are options, too: `bias`, `ceilMode`, `countIncludePad`. Other names raise an error. The table
-- may be empty if the class has a field `_hasOptions`: none of its arguments is a table.
-- @module nn.support.options
local check, guard = require 'torch.check', require 'torch.check.guard'

local debug, getmetatable, next, pairs, select, type, unpack = debug, getmetatable, next, pairs, select, type, unpack

local options = {}

local installed = setmetatable({}, { __mode = 'k' })      -- classes that reject unknown options

-- PyTorch's names, in lower case and without `_` -> Moontorch's parameter names, of which a class has one.
local others = {
  infeatures = { 'inputsize' }, outfeatures = { 'outputsize' }, in1features = { 'inputsize1' }, in2features = { 'inputsize2' },
  inchannels = { 'ninputplane', 'inputframesize' }, outchannels = { 'noutputplane', 'outputframesize' },
  numfeatures = { 'n' }, numchannels = { 'channels' }, numgroups = { 'groups' }, normalizedshape = { 'sizes', 'size', 'noutput' },
  elementwiseaffine = { 'affine' }, negativeslope = { 'negval' }, minval = { 'min' }, maxval = { 'max' }, value = { 'val' },
  numparameters = { 'noutputplane' },
  numembeddings = { 'nindex', 'count' }, embeddingdim = { 'noutput', 'size' }, paddingidx = { 'paddingvalue', 'padding' },
  dim = { 'dimension' }, weight = { 'weights' },
  scalefactor = { 'scale' }, hiddensize = { 'size' }, size = { 'hiddensize' }, layers = { 'numlayers' },
  embeddim = { 'size' }, numheads = { 'heads' },
}

-- PyTorch's names for properties of windows along each axis -> prefix of the parameters' names.
local windows = { kernelsize = 'k', stride = 'd', padding = 'pad', dilation = 'dilation', outputpadding = 'adj', outputsize = '' }

-- Properties that methods of a class set: the method that the class must have, and the action.
local settings = {
  bias = { 'noBias', function(module, value) if not value then module:noBias() end end },
  ceilMode = { 'ceil', function(module, value) if value then module:ceil() else module:floor() end end },
  countIncludePad = {
    'setCountExcludePad',
    function(module, value) if value then module:setCountIncludePad() else module:setCountExcludePad() end end,
  },
}

--- Returns a name in lower case and without `_`, by which names of options are compared.
-- @string name
-- @treturn string
function options.folded(name) return (name:gsub('_', ''):lower()) end

local folded = options.folded

local function positionOf(names, name)
  for i = 1, #names do
    if folded(names[i]) == name then return i end
  end
end

-- Returns the positions of a window's parameters along each axis in the order of tensors, T, H, W; an empty list if none has that name.
local function windowOf(names, name)
  local positions, prefix = {}, windows[name]
  for _, axis in ipairs(prefix and { 'T', 'H', 'W' } or {}) do
    for i = 1, #names do
      if names[i] == prefix .. axis then positions[#positions + 1] = i end
    end
  end
  return positions
end

-- Returns the positions of the parameters that a name represents.
local function positionsOf(names, name)
  local position = positionOf(names, name)
  for _, other in ipairs(not position and others[name] or {}) do position = position or positionOf(names, other) end
  return position and { position } or windowOf(names, name)
end

local function settingOf(class, name)
  for key, setting in pairs(settings) do
    if key:lower() == name and class[setting[1]] then return setting, key end
  end
end

local function refuse(class, where, names, from, name)
  local there = { unpack(names, from) }
  local known = {}
  for _, one in ipairs(names) do known[folded(one)] = true end
  for key in pairs(settings) do
    if settingOf(class, key:lower()) and not known[key:lower()] then there[#there + 1] = key end
  end
  table.sort(there)
  check.raise(('%s: options: %s, expected %s'):format(where, tostring(name),
    #there > 0 and 'one of ' .. table.concat(there, ', ') or 'no options'))
end

-- Values of a window: a number for all axes, or a list with one number per axis, in the order of tensors.
local function spread(where, name, value, count)
  if type(value) ~= 'table' then return function() return value end end
  if #value ~= count then
    check.raise(('%s: %s: a list of %d numbers, expected a number or %d, one for each dimension'):format(where, name, #value, count))
  end
  return function(i) return value[i] end
end

-- Stores the entries of a table of options at the positions of the arguments; properties that methods set go into a list.
local function place(class, where, names, from, given, arguments)
  local later, count = {}, from - 1
  local rest = names[#names] == 'options' and {}      -- options that the constructor itself reads by name
  for name, value in next, given do
    local plain = type(name) == 'string' and folded(name)
    local positions = plain and positionsOf(names, plain) or {}
    local setting, key = nil, nil
    if plain and #positions == 0 then setting, key = settingOf(class, plain) end
    if setting then
      later[#later + 1] = { setting[2], check.flag(where, key, value) }
    elseif #positions == 0 and rest then
      rest[name] = value
      arguments[#names], count = rest, #names
    elseif #positions == 0 then
      refuse(class, where, names, from, name)
    end
    local valueOf = #positions > 1 and spread(where, name, value, #positions) or function() return value end
    for i, position in ipairs(positions) do
      if position < from then
        check.raise(('%s: options: %s, which is argument %d already'):format(where, name, position))
      end
      arguments[position] = valueOf(i)
      count = math.max(count, position)
    end
  end
  return count, later
end

--- Whether a value is a table of options: it has names, but no class, and is not a module that a program created without a class.
-- @param value
-- @treturn boolean
function options.areOptions(value)
  if type(value) ~= 'table' or getmetatable(value) ~= nil then return false end
  local named = false
  for name, entry in next, value do
    if type(entry) == 'function' then return false end
    named = named or type(name) == 'string'
  end
  return named
end

local function namesOf(init)
  local names, i = {}, 2      -- the first is the module
  while debug.getlocal(init, i) do
    names[i - 1] = debug.getlocal(init, i)
    i = i + 1
  end
  return names
end

--- Returns a constructor that also accepts arguments by name in a table at the end.
-- @tparam function init the constructor (self, ...)
-- @tparam[opt] {string,...} names of its arguments; by default those of its parameters. A name `options` denotes such a table, which the
--   constructor checks.
-- @treturn function
function options.byName(init, names)
  names = names or namesOf(init)
  local function named(self, ...)
    local from = select('#', ...)
    local given = from > 0 and (select(from, ...)) or nil
    local class = getmetatable(self)
    if type(given) == 'table' and class._hasOptions and getmetatable(given) == nil and next(given) == nil then
      return init(self, unpack({ ... }, 1, from - 1))
    end
    if type(given) ~= 'table' or names[from] == 'options' or not options.areOptions(given) then return init(self, ...) end
    if #names == 0 and not installed[class] then return init(self, ...) end
    local arguments = { ... }
    arguments[from] = nil
    local count, later = place(class, class.__typename, names, from, given, arguments)
    init(self, unpack(arguments, 1, count))
    for _, setting in ipairs(later) do setting[1](self, setting[2]) end
  end
  guard.written[named] = init
  return named
end

--- Reads a table of options that may have PyTorch's names: num_layers for layers, batch_first for batchFirst.
-- @string where prefix of error messages
-- @tparam ?table given
-- @tparam {string,...} names of all options
-- @treturn table by these names
function options.read(where, given, names)
  if type(given) ~= 'table' then return check.options(where, given, names) end
  local read = {}
  for name, value in next, given do
    local position = type(name) == 'string' and positionOf(names, folded(name):gsub('^num', ''))
    read[position and names[position] or name] = value
  end
  return check.options(where, read, names)
end

--- Makes a class's constructor accept arguments by name, and reject unknown names.
-- @tparam table class
-- @treturn table class
function options.install(class)
  local init = rawget(class, '__init')
  if init and not guard.written[init] then class.__init = options.byName(init) end
  installed[class] = true
  return class
end

return options
