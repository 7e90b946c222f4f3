--- The documentation of an op from the registry: its calls as a function and as a method, its arguments, and the type of its result.
-- @module trepl.op_entry
local call = require 'trepl.call'

-- The arguments of a form, from number `first` on. Arguments that the first form lacks distinguish this form, and so are not optional.
local function inOrder(op, form, first)
  local list, usual = {}, {}
  for _, i in ipairs(op.forms[1]) do usual[i] = true end
  for i = first, #form do
    local param = op.params[form[i]]
    list[#list + 1] = { name = param.name, optional = param.optional and usual[form[i]] }
  end
  return list
end

local results = { '', '[res,] ', '[res1, res2,] ', '[res1, res2, res3,] ' }

local function callsOf(op)
  local calls, methods = {}, {}
  local hasMethod = op.method ~= 'none'
  local given = op.method == 'alwaysInPlace' and '' or results[op.results + 1] or '[results,] '
  for _, form in ipairs(op.forms) do
    local first = op.params[form[1]]
    if not form.methodOnly then calls[#calls + 1] = ('torch.%s(%s%s)'):format(op.name, given, call.list(inOrder(op, form, 1))) end
    if hasMethod and first and first.tensor then
      methods[#methods + 1] = ('%s:%s(%s)'):format(first.name, op.name, call.list(inOrder(op, form, 2)))
    elseif hasMethod and op.method == 'inPlace' then
      methods[#methods + 1] = ('x:%s(%s)'):format(op.name, call.list(inOrder(op, form, 1)))
    end
  end
  for _, method in ipairs(methods) do calls[#calls + 1] = method end
  return calls, #methods > 0
end

local resultTypes = {
  same = "that of the tensors, or the one that holds both where they differ",
  float = 'that of float tensors; for integers the float type that can represent them, or the default one',
  mask = 'bytes, 0 or 1', index = 'positions, in a LongTensor',
}
local methodSays = {
  inPlace = 'changes its tensor and returns it', alwaysInPlace = 'changes its tensor and returns it, and so does the function',
  returns = 'leaves its tensor alone',
}

local function factsOf(op, hasMethod)
  local facts = {}
  local function fact(label, text) facts[#facts + 1] = { label, text } end
  if hasMethod then fact('Method', methodSays[op.method]) end
  if resultTypes[op.result] and op.results > 0 then fact('Type of the result', resultTypes[op.result]) end
  if not op.integers then fact('Types', 'floats; integers are an error') end
  if not op.floats then fact('Types', 'integers; floats are an error') end
  if op.scalar then fact('One element', 'comes out as a number, but on the tape') end
  fact('Derivative', op.differentiable and 'yes' or 'none')
  if op.dataDependent then fact('Sizes', 'of the result depend on elements') end
  if op.alias ~= '' then fact('Other names', (op.alias:gsub('%S+', 'torch.%0'):gsub(' ', ', '))) end
  return facts
end

--- The documentation of an op.
-- @string name
-- @treturn ?table an entry (see trepl.help), nil if there is no op with that name
return function(name)
  local there, torch = pcall(require, 'torch')
  local op = there and torch.ops[name]
  if not op then return nil end
  local arguments = {}
  for i, param in ipairs(op.params) do
    arguments[i] = { name = param.name, kind = param.kind, optional = param.optional, default = param.written, text = '' }
  end
  local calls, hasMethod = callsOf(op)
  local entry = require 'trepl.ldoc'.parse(op.doc)
  entry.kind, entry.name, entry.calls, entry.arguments, entry.facts = 'op', 'torch.' .. op.name, calls, arguments, factsOf(op, hasMethod)
  return entry
end
