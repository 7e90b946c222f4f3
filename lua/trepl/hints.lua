--- Hints for messages such as "attempt to call field 'zeros_like' (a nil value)": the equivalent name in Moontorch.
-- @module trepl.hints
local attributes, names = require('torch.tensor.attributes').here, require 'trepl.names'
local ours, absent, beside, arguments, symbols = names.ours, names.absent, names.beside, names.arguments, names.symbols
local missing, nowhere, others, words = names.missing, names.nowhere, names.others, names.words

local hints = {}

local packages = { nn = true, optim = true, autograd = true, paths = true, xlua = true, sys = true }

-- The hint about a module that was not found.
local function ofModule(name)
  local first = name:match '^[^.]*'
  return beside[first] and beside[first]:format(first) or absent[first]
end

local function camel(name) return (name:gsub('_(%a)', string.upper)) end

-- Tables of functions; those of nn.utils have plain words, too, such as remove, which mean other things elsewhere.
local parts = { 'optim', 'nn.init', 'nn.functional', 'torch.linalg', 'torch.fft', 'torch.special', 'torch.sparse' }
local utils = { 'nn.utils', 'nn.utils.rnn', 'nn.utils.prune', 'nn.utils.parametrize', 'nn.utils.parametrizations' }

-- The name if one of the tables has it, of packages that are loaded.
local function inTables(tables, name)
  for _, path in ipairs(tables) do
    local fields = package.loaded[path:match '^%w+']
    for key in path:gmatch '%.(%w+)' do fields = fields and fields[key] end
    if fields and fields[name] ~= nil then return path .. '.' .. name end
  end
end

-- The name if torch, a tensor, or a loaded package has it.
local function known(torch, name)
  if torch[name] ~= nil then return 'torch.' .. name end
  if torch.Tensor[name] ~= nil then return 'x:' .. name .. '(...)' end
  return inTables(parts, name) or name:find '%u' and inTables(utils, name) or nil
end

-- nn.MarginCriterion for MarginLoss.
local function criterion(name)
  local nn, kind = package.loaded.nn, name:match '^(%u%w*)Loss$'
  return nn and kind and nn[kind .. 'Criterion'] ~= nil and 'nn.' .. kind .. 'Criterion'
end

-- The entry of `ours` for a name, ignoring case.
local function renamed(name)
  if ours[name] then return ours[name] end
  for candidate, here in pairs(ours) do
    if candidate:lower() == name:lower() then return here end
  end
end

-- Whether two names differ by one typing error, ignoring case: a letter inserted, removed or replaced, or two letters swapped.
local function isSlip(a, b)
  a, b = a:lower(), b:lower()
  if #a > #b then a, b = b, a end
  if #b - #a > 1 or #a < 4 then return false end
  local i = 1
  while i <= #a and a:byte(i) == b:byte(i) do i = i + 1 end
  if #a < #b then return a:sub(i) == b:sub(i + 1) end
  return a:sub(i + 1) == b:sub(i + 1) or a:sub(i + 2) == b:sub(i + 2) and a:sub(i, i + 1):reverse() == b:sub(i, i + 1)
end

-- A name of nn, optim or torch that differs by its case at most, otherwise, unless `isExact`, one that differs by a typing error.
local function similar(name, isExact)
  local near
  for _, package_ in ipairs { 'nn', 'optim', 'torch' } do
    local loaded = package.loaded[package_]
    for _, candidate in ipairs(loaded and debug.getmetatable(loaded).__names() or {}) do
      if candidate:lower() == name:lower() then return package_ .. '.' .. candidate end
      if not near and not isExact and isSlip(name, candidate) then near = package_ .. '.' .. candidate end
    end
  end
  return near
end

-- A module of nn whose name differs by its case: nn.Linear for linear.
local function moduleLike(name)
  local nn = package.loaded.nn
  for _, candidate in ipairs(nn and debug.getmetatable(nn).__names() or {}) do
    if candidate ~= name and candidate:lower() == name:lower() then return 'nn.' .. candidate end
  end
end

-- The hint about a name that exists in another place.
local function elsewhere(torch, name, kind)
  if kind == 'method' then return name .. ' is a method of tensors; what it was called on is none' end
  if torch[name] == nil then return ('%s is a method of tensors: x:%s(...)'):format(name, name) end
  local module = moduleLike(name)
  return ('%s is torch.%s here%s'):format(name, name, module and ', and a module ' .. module or '')
end

-- The hint about a call of a name that is nil: a method, field or variable.
local function ofCall(torch, name, kind)
  local plain = name:gsub('_$', '')
  if torch.Tensor[name] ~= nil and not ours[name] then return elsewhere(torch, name, kind) end
  local found = ours[name] or known(torch, camel(plain)) or renamed(plain) or known(torch, camel(plain:gsub('_', '')))
    or known(torch, plain:gsub('^arc', 'a')) or criterion(name)
  if not found then
    local meant = not others[name] and similar(name, nowhere[name])
    return meant and ('%s is nothing, %s is there'):format(name, meant) or nowhere[name]
  end
  local module = kind == 'field' and found == 'torch.' .. name and moduleLike(name)
  if module then return ('%s is %s here, and a module %s'):format(name, found, module) end
  local inPlace = name:find '[^_]_$' and found:find '^torch%.' and ': methods such as x:add(1) change x' or ''
  return ('%s is %s here%s'):format(name, found, inPlace)
end

-- The hint about an op or method called with unsupported arguments.
local function ofArguments(message)
  local reduced = message:match '([%w_]+): dim: an empty list'      -- {dim = 1} has no numbered entries
  if reduced then return (('the name is dim: x:OP { dim = 1 }, x:OP(1), or x:OP{1, 2} of several dimensions'):gsub('OP', reduced)) end
  local op, actual, expected = message:match '([%w_]+): arguments: %((.-)%), expected ([^\n]*)'
  if not op then return nil end
  if actual:find ', table$' and expected:find('dtype: dtype', 1, true) then
    return "arguments have no names in Lua, and a type is a string: torch.ones(2, 3, 'float')"
  end
  if expected:find 'dim: dimension%]%)$' then
    if actual:find ', boolean$' then return ('dimensions stay, with size 1: x:%s(1):squeeze(1) is without'):format(op) end
    if actual:find ', table$' then return ('one dimension at a time, as a number: x:%s(1)'):format(op) end
  end
  if actual:find('class torch.', 1, true) then return "a type is named by a string: 'float', or 'torch.FloatTensor'" end
  if arguments[op] then return arguments[op] end
  local withoutTensor = not actual:find('Tensor', 1, true) and not actual:find 'table'
  if withoutTensor and expected:find '^%(x: tensor' and not actual:find 'string' or actual == '' and expected:find '^x:' then
    return ('methods are called with a colon: x:%s(...)'):format(op)
  end
  if actual:find('table', 1, true) and expected:find 'tensor[^s]' then return 'torch.Tensor {1, 2, 3} makes a tensor of a list' end
end

local comparisons = 'tensors are compared by torch.lt, le, gt, ge, eq and ne: x:gt(2)'

-- Parts of messages, each with its hint.
local kinds = {
  { 'attempt to compare userdata with number', 'x < 0 is x:lt(0), a mask, and x <= 0 is x:le(0); x:item() < 0 asks a single element' },
  { 'attempt to compare number with userdata', 'x > 0 is x:gt(0), a mask, and x >= 0 is x:ge(0); x:item() > 0 asks a single element' },
  { 'attempt to compare .*userdata', comparisons }, { 'torch%.%w+Tensor have no less%-', comparisons },
  { 'index: key: .* 0 for dimension', 'positions count from 1: x[1] is the first, x[-1] the last' },
  { 'index: key: string', 'a dimension is taken whole by {}: x[{ {}, 1 }]' },
  { 'dim: dimension 0 out of', 'dimensions count from 1' },
  { 'to: dtype: cuda', absent.cuda }, { 'to: dtype: cpu', absent.cpu }, { 'typename: cuda', absent.cuda }, { 'typename: cpu', absent.cpu },
  { 'typename: torch.CudaTensor', absent.cuda }, { 'CUDA: ', absent.cuda },
  { 'setdefaulttensortype: name: <', "a type is named by a string: torch.setdefaulttensortype('float')" },
  { "attempt to index [%a ]*'random' %(a function value%)", 'torch.random is a function: torch.rand, torch.randn, torch.manualSeed' },
  { "attempt to index local 'self'", 'methods are called with a colon: x:sum(), net:parameters()' },
  { "attempt to call method 'update%u%l+' %(a nil value%)", 'methods are called with a colon: net:forward(x)' },
  { 'attempt to index .*a number value', 'results with one element are Lua numbers, unless they are on the tape: net:requiresGrad()' },
  { 'have no concat operator', "the number of a tensor of one element is x:item(): 'loss ' .. loss:item()" },
  { "to 'format' %(number expected, got userdata%)", 'x:item() is the number of one element, tostring(x) the text of a tensor' },
  { 'multiplication between %dD and %dD', 'torch.matmul(x, y) goes by batches, torch.cmul(x, y) by elements' },
  { '%(number expected, got userdata%)', 'torch.sqrt and its likes take tensors; x:item() is the number of one element' },
  { "bad argument #1 to '%l?pairs'.*got userdata", 'for i = 1, x:size(1) do ... x[i] ... end goes over a tensor' },
  { "bad argument #1 to '%l+' %(table expected, got userdata%)", 'x:totable() makes a table of a tensor' },
  { 'attempt to perform arithmetic on .*string value', "texts are joined by 'a' .. 1, and filled in by ('%d'):format(1)" },
  { 'attempt to concatenate [%w_\' ]*%(?a? ?nil value', "tostring(x) is a text for every x, nil included" },
  { 'attempt to call a number value', 'for i = first, last do ... end counts; x[1] is an element' },
  { "attempt to index field 'data' %(a function value%)", 'a tensor is its data; x:data() is a pointer for LuaJIT' },
  { "attempt to index field 'grad' %(a nil value%)", 'y:backward() sets the gradient of tensors that require one: x:requiresGrad()' },
  { ': 0 is out of range, the dimension has', 'positions count from 1' },
  { "torch%.%w+Tensor has no call operator", 'a tensor was called; for i = 1, x:size(1) do ... x[i] ... end goes over one' },
  { "'for' limit must be a number", '#x is a list of sizes; x:size(1) is a number' },
  { "attempt to index %a+ 'loss' %(a nil value%)", absent.loss },
  { "attempt to call method 'train' %(a boolean value%)", "net:training(): the field train is the module's mode, a boolean" },
  { "attempt to call global 'f' %(a nil value%)", "f'...' of Python is a text with values filled in: ('%d'):format(x)" },
  { 'torch%.save: name: .*expected a string', 'the name comes first: torch.save(name, x)' },
}

-- The hint about a message without a name.
local function ofKind(torch, message, trace)
  local inMath = message:match "bad argument #%d+ to '([%l?]+)' %(number expected, got userdata%)"
  if inMath == '?' then inMath = trace and trace:match "^%s*stack traceback:%s*%[C%]: in function '(%l+)'" end
  if inMath and math[inMath] and torch[inMath] ~= nil then
    return ('a tensor: torch.%s takes them, and x:item() is the number of one element'):format(inMath)
  end
  local method = message:match '([%w_]+): result: .*a leaf that requires a gradient cannot be changed in place'
  local op = method and torch.ops[method]
  if op and op.method == 'inPlace' then return ('x:%s(...) writes into x; torch.%s(x, ...) makes a new tensor'):format(method, method) end
  for _, kind in ipairs(kinds) do
    if message:find(kind[1]) then return kind[2] end
  end
  return ofArguments(message)
end

--- A line to add to a message, usually nil.
-- @string message of an error
-- @string[opt] trace its traceback
-- @treturn ?string
function hints.of(message, trace)
  local torch = package.loaded.torch
  if not torch then return nil end
  local module = message:match "module '([^']+)' not found:"
  local kindOfCall, called = message:match "attempt to call (%a+) '([%w_]+)' %(a nil value%)"
  local indexed, field = message:match "attempt to [%a ]- (%a+) '([%w_]+)' %(a nil value%)"
  local hint
  if module then
    hint = ofModule(module)
  elseif message:find('size mismatch', 1, true) and trace and trace:find("'__mul'", 1, true) then
    hint = 'x * y is the matrix product; torch.cmul(x, y) goes by elements'
  elseif called and not called:find '^update%u' and not (kindOfCall == 'global' and called == 'f') then
    hint = absent[called] or ofCall(torch, called, kindOfCall)
  elseif indexed == 'field' and ours[field] and field ~= 'modules' then      -- also a field of modules
    hint = ('%s is %s here'):format(field, ours[field])
  elseif indexed == 'field' and packages[field] then
    hint = ("%s is a package beside torch: %s = require '%s'"):format(field, field, field)
  elseif (indexed == 'global' or indexed == 'field') and absent[field] then
    hint = absent[field]
  else
    hint = ofKind(torch, message, trace)
  end
  return hint and 'hint: ' .. hint
end

-- The equivalent of a line that imports a package in Python.
local function ofImport(text)
  local name = text:match '^%s*import%s+([%w_.]+)' or text:match '^%s*from%s+([%w_.]+)%s+import'
  if not name then return nil end
  local from, what = text:match '^%s*from%s+([%w_.]+)%s+import%s+([%w_]+)'
  local last = name:match '[^.]*$'
  if name == 'torch' and not what then return "torch is there in th; a script begins with: local torch = require 'torch'" end
  for _, package_ in ipairs { what or last, last, name:match '^[^.]*' } do
    if packages[package_] then return ("local %s = require '%s'"):format(package_, package_) end
  end
  local special = ofModule(name)
  if special or not from then return special or ("local %s = require '%s'"):format(last, name) end
  return ("local %s = require('%s').%s"):format(what, from, what)
end

-- The line of a program that a compiler's message refers to; nil if it can't be read.
local function lineOf(message)
  local name, number = message:match '^([^:\n]+):(%d+): '
  local file = name and io.open(name)
  if not file then return nil end
  local i, found = 0, nil
  for line in file:lines() do
    i = i + 1
    if i == tonumber(number) then found = line end
  end
  file:close()
  return found
end

--- The hint to add to the compiler's message about a program in another language's syntax.
-- @string message
-- @string[opt] text the program, if it is one line; otherwise the message has the line of a file
-- @treturn ?string
function hints.ofSyntax(message, text)
  text = text or lineOf(message)
  local import = text and ofImport(text)
  if import then return 'hint: ' .. import end
  local word = text and words[text:match '^%s*(%a+)' or text:match '^%s*(!)']
  if word then return 'hint: ' .. word end
  if text and text:find '%f[%w]lambda%f[%W][^\n]*:' then return 'hint: ' .. words.lambda end
  local block = message:match "'(%a+)' expected near ':'"
  if block then return ('hint: a block goes from %s to end'):format(block) end
  local found = missing[message:match "'[^']+' expected near '[^']+'$"] or symbols[message:match "near '([^']+)'$"]
  return found and 'hint: ' .. found
end

-- Python's constants.
local constants = { None = 'nil', True = 'true', False = 'false', null = 'nil' }

--- The hint for an expression that is nil, such as x.shape, a field that tensors lack.
-- @string expression
-- @treturn ?string
function hints.ofNothing(expression)
  local alone = expression:match '^%s*([%a_][%w_]*)%s*$'
  local meant = constants[alone] or ours[alone]
  if meant then return ('hint: %s is %s here'):format(alone, meant) end
  local owner, name = expression:match '^%s*([%a_][%w_%.]*)%.([%a_][%w_]*)%s*$'
  local torch = package.loaded.torch
  local locals = package.loaded['trepl.locals']
  local chunk = owner and torch and (locals and locals.compile or loadstring)('return ' .. owner)
  if not chunk then return nil end
  local good, value = pcall(chunk)
  if good and torch.isTensor(value) and attributes[name] then return ('hint: %s is %s here'):format(name, attributes[name]) end
  local hasNames = good and value ~= nil and (torch.isTensor(value) or value == package.loaded[owner])
  local hint = hasNames and value[name] == nil and ofCall(torch, name, 'field')
  return hint and 'hint: ' .. hint
end

return hints
