--- Functions that are one expression of ops, with their gradients: programs that the binding runs without a tape.
-- The gradient is derived from the rules of the ops (see autograd.rules) once, when the formula is compiled. Each rule must be an
-- expression, or have one in `rules.plain`. Intermediate results that a gradient needs are computed again.
-- @module autograd.formula
local C, torch = require 'libmoontorch', require 'torch'
local derivation = require 'autograd.derivation'
local parse = require('autograd.expression').parse
local keyOf, isSize = derivation.keyOf, derivation.isSize

local formula = {}

local here = debug.getinfo(1, 'S').source                            -- messages omit positions in generated functions, too

-- Returns what the op's declaration says about the sizes of a tree's results: 'same' as those of the argument, all 'alike', or 'any'.
local function extentOf(tree)
  return tree.call and C.opInfo(tree.call, 'extent')
end

-- Raises an error if an expression calls a function that is not an op.
local function expectOps(tree, text)
  if tree.call and not isSize[tree.call] and tree.call ~= 'times' and not C.opInfo(tree.call, 'name') then
    error(("formula: '%s': there is no op %s"):format(text, tree.call), 0)
  end
  for i = 1, #tree do expectOps(tree[i], text) end
end

-- Appends new names of an expression to `operands`, with their positions.
local function collect(tree, operands)
  if tree.call then
    for i = 1, #tree do collect(tree[i], operands) end
  elseif tree.name and tree.name ~= 'g' and tree.name ~= 'output' then
    local key = tree.name .. (tree.entry and '[' .. tree.entry .. ']' or '')
    if not operands[key] then
      operands[#operands + 1] = { name = tree.name, entry = tree.entry }
      operands[key] = #operands
    end
  end
end

-- Creates a function that emits steps for trees, one step for a tree that occurs several times. Operand i has number i, and the formula's
-- result 0.
local function emitter(operands)
  local steps, known, count = { outputs = {} }, {}, 0

  -- Appends a step; returns the number of its first result.
  local function append(step)
    steps[#steps + 1] = step
    local first = count + 1
    count = count + C.opInfo(step.op, 'results')
    return first
  end

  local function operandOf(tree)
    if tree.name == 'output' then return 0 end
    if tree.name == 'result' then return tree.entry and operands.results[tree.entry] or 0 end
    return operands[tree.name .. (tree.entry and '[' .. tree.entry .. ']' or '')]
  end

  local emit
  local function emitSize(tree)
    local of, extent = tree[1], tree[2] and tree[2].number
    while extentOf(of) == 'same' do of = of[1] end
    if of == operands.keeper and extentOf(of) == 'alike' then of = { name = 'result', entry = 2 } end
    local source = of.name and { extent and 'extent' or 'size', operandOf(of) } or emit(of)
    if not of.name then source = { extent and 'extentOfStep' or 'sizeOfStep', source[2] } end
    source.extent = extent
    return source
  end

  function emit(tree)
    if tree.number then return { 'number', tree.number } end
    if tree.name == 'g' or tree.name == 'none' then return { tree.name } end
    if tree.name then return { 'operand', operandOf(tree), negative = tree.negative } end
    if isSize[tree.call] then return emitSize(tree) end
    local call = { call = tree.call, unpack(tree) }
    local key = keyOf(call)
    if not known[key] then
      local step = { op = tree.call == 'times' and 'mul' or tree.call, times = tree.call == 'times' }
      for i = 1, #tree do step[i] = emit(tree[i]) end
      known[key] = append(step)
    end
    return { 'step', known[key] + (tree.result or 1) - 1 }
  end
  return emit, append, steps
end

-- Returns the outermost op with this number of results.
local function withResults(tree, count)
  if not tree.call or isSize[tree.call] then return nil end
  if C.opInfo(tree.call, 'results') >= count then return tree end
  for i = #tree, 1, -1 do
    local found = withResults(tree[i], count)
    if found then return found end
  end
  return nil
end

-- Returns whether an op broadcasts entries of a list; their gradients would have to be summed.
local function broadcastsEntries(tree)
  if not tree.call or isSize[tree.call] then return false end
  local broadcasts = C.opInfo(tree.call, 'broadcasts')
  for i = 1, #tree do
    if broadcasts and tree[i].entry or broadcastsEntries(tree[i]) then return true end
  end
  return false
end

-- Returns whether the result of a tree may share memory with its argument.
local function shares(tree)
  local sharing = tree.call and C.opInfo(tree.call, 'sharing')
  return tree.call == 'times' or sharing and sharing ~= 'none'
end

-- Returns the steps of the gradients in `found`, and their names. Each gradient is a separate result that no other step reads: the caller
-- may overwrite it or add to it. Gradients by the input are new tensors, unless `shows` allows them to share memory with others.
local function gradientSteps(wanted, found, operands, shows)
  local emit, append, steps = emitter(operands)
  local names, sources, taken = {}, {}, {}
  for i = 1, #wanted do
    local gradient = found[wanted[i]]
    if gradient then
      names[#names + 1], sources[#names + 1] = wanted[i], emit(gradient)
      if wanted[i]:find '^input' and not shows and shares(gradient) then taken[sources[#names][2]] = true end
    end
  end
  for _, step in ipairs(steps) do
    for _, source in ipairs(step) do
      if source[1] == 'step' or source[1] == 'sizeOfStep' or source[1] == 'extentOfStep' then taken[source[2]] = true end
    end
  end
  for i, source in ipairs(sources) do
    local isOwn = source[1] == 'step' and not taken[source[2]] or source[1] == 'g' and not names[i]:find '^input'
    local output = isOwn and source or { 'step', append { op = 'clone', source } }
    steps.outputs[i] = output
    if output[1] == 'step' then taken[output[2]] = true end
  end
  return names, steps
end

--- Compiles a formula.
-- @tparam string text an expression (see autograd.expression) of names and of entries of lists, `input[2]`
-- @tparam {string,...} wanted names by which gradients are wanted, if they occur in the text
-- @tparam[opt] {string,...} results names under which the second and further results of its outermost op with several results are saved,
--   from position 2
-- @tparam[opt] string byInput the gradient by `input`, which replaces the derived one: an expression of `g`, `output` and names
-- @tparam[opt=false] boolean shows whether gradients may share memory with other tensors
-- @treturn table `operands`, a list of {name, entry}; `forward`, its steps, whose outputs are the result and the results to save;
--   `backward`, the steps of the gradients, whose outputs have the names in `gradients`; `alike`, whether it uses only entries of equal
--   sizes
function formula.compile(text, wanted, results, byInput, shows)
  local tree, own = parse(text, 'formula'), byInput and parse(byInput, 'formula')
  expectOps(tree, text)
  if own then expectOps(own, byInput) end
  local operands = { results = {} }
  collect(tree, operands)
  if own then collect(own, operands) end
  local count = 1
  for k, name in pairs(results or {}) do
    operands[#operands + 1] = { name = name, kept = true }
    operands.results[k] = #operands
    count = math.max(count, k)
  end
  local emit, _, forward = emitter(operands)
  forward.outputs[1] = emit(tree)
  operands.keeper = count > 1 and withResults(tree, count) or nil
  if operands.keeper then
    local first = emit(operands.keeper)[2] - (operands.keeper.result or 1) + 1
    for k = 2, count do forward.outputs[k] = { 'step', first + k - 1 } end
  end
  local isWanted = {}
  for i = 1, #wanted do isWanted[wanted[i]] = true end
  if own then isWanted.input = nil end
  local found = derivation.of(tree, isWanted, text, operands.keeper)
  if own then found.input = own end
  local gradients, backward = gradientSteps(wanted, found, operands, shows)
  return {
    text = text, operands = operands, forward = forward, backward = backward, gradients = gradients, alike = broadcastsEntries(tree),
  }
end

-- Returns the text of a step's argument or of an output, in a graph.
local function sourceText(source, names)
  local kind, value = source[1], source[2]
  if kind == 'step' then return '%' .. value end
  if kind == 'operand' then return (source.negative and '-' or '') .. names[value] end
  if kind == 'number' then return ('%.17g'):format(value) end
  if kind == 'g' or kind == 'none' then return kind end
  local of = kind:find 'OfStep$' and '%' .. value or names[value]
  return source.extent and ('size(%s, %d)'):format(of, source.extent) or ('size(%s)'):format(of)
end

--- Returns the steps of a compiled formula as the text of a graph (engine/graph/text.h), with the inputs g, output and the operands.
-- @tparam table steps `forward` or `backward` of a compiled formula
-- @tparam table operands its operands
-- @treturn string
function formula.graphText(steps, operands)
  local names, lines, number = { [0] = 'output' }, {}, 0
  for i, operand in ipairs(operands) do names[i] = operand.name .. (operand.entry and '.' .. operand.entry or '') end
  for i, name in ipairs(names) do                                      -- a result that is saved may have the name of an operand
    for k = 1, i - 1 do
      if names[k] == name then names[i] = name .. '.saved' end
    end
  end
  for _, step in ipairs(steps) do
    local results, arguments = {}, {}
    for k = 1, C.opInfo(step.op, 'results') do results[k] = '%' .. number + k end
    number = number + #results
    for i = 1, #step do arguments[i] = sourceText(step[i], names) end
    local op = step.times and 'times' or step.op
    lines[#lines + 1] = ('  %s = %s(%s)'):format(table.concat(results, ', '), op, table.concat(arguments, ', '))
  end
  local outputs = {}
  for i, output in ipairs(steps.outputs) do outputs[i] = sourceText(output, names) end
  if #outputs > 0 then lines[#lines + 1] = '  return ' .. table.concat(outputs, ', ') end
  local inputs = #names > 0 and ', ' .. table.concat(names, ', ') or ''
  return ('graph(g: tensor, output: tensor%s) {\n%s\n}'):format(inputs, table.concat(lines, '\n'))
end

-- Returns the Lua text of a tree. The table `names` has the texts of names and of trees that were computed before.
local function inLua(tree, names)
  if rawget(names, tree) then return names[tree] end
  if tree.number then return ('%.17g'):format(tree.number) end
  if tree.name then
    return (tree.negative and '-' or '') .. names[tree.name] .. (tree.entry and '[' .. tree.entry .. ']' or '')
  end
  local texts = {}
  for i = 1, #tree do
    local isList = tree[i].call and not isSize[tree[i].call] and C.opInfo(tree[i].call, 'results') > 1
    texts[i] = inLua(tree[i], names)
    if isList then texts[i] = ('(%s)'):format(texts[i]) end
  end
  if tree.call == 'size' then return ('%s:size(%s)'):format(texts[1], texts[2] or '') end
  local call = ('torch.%s(%s)'):format(tree.call, table.concat(texts, ', '))
  return tree.result and ('(select(%d, %s))'):format(tree.result, call) or call
end

--- Returns the names in a formula.
-- @string text
-- @treturn {table,...} each {name =, entry =}
function formula.names(text)
  local operands = {}
  collect(parse(text, 'formula'), operands)
  return operands
end

--- Returns a formula as a Lua function of a table with its names as fields, a table, and some values.
-- @tparam string text
-- @tparam {string,...} values names of further arguments of the function
-- @tparam[opt=1] int count number of wanted results: those after the first are of the outermost op with this number
-- @treturn function (self, input, values...) -> the results
function formula.inLua(text, values, count)
  local names = setmetatable({ input = 'input' }, { __index = function(_, name) return 'self.' .. name end })
  for _, name in ipairs(values) do names[name] = name end
  local tree, results = parse(text, 'formula'), {}
  expectOps(tree, text)
  local keeper = count and count > 1 and withResults(tree, count)
  local before, after = '', ''
  if keeper and keeper ~= tree then
    for k = 1, count do results[k] = 'result' .. k end
    before = ('local %s = %s'):format(table.concat(results, ', '), inLua(keeper, names))
    names[keeper], after = results[1], ', ' .. table.concat(results, ', ', 2)
  end
  local source = ('local torch, select = ...\nreturn function(self, input%s)\n  %s\n  return %s%s\nend'):format(
    #values > 0 and ', ' .. table.concat(values, ', ') or '', before, inLua(tree, names), after)
  return assert(loadstring(source, here))(torch, select)
end

return formula
