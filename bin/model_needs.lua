-- The ops of the engine and the dtypes that an op of ONNX needs, by the source: a function of engine/onnx runs it, whose formulas name ops.
-- So those of branches that never ran are known, too. Paths are those of the repository's root.
local C = require 'libmoontorch'

local needs = {}

local function read(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read '*a'
  file:close()
  return text
end

local isDType = {}
for _, info in ipairs(C.dtypes) do isDType[info.name] = true end

-- Adds an op by its name or alias; other words are ignored.
local function addOp(ops, word)
  local name = C.opInfo(word, 'name')
  if name then ops[name] = true end
end

-- Adds the ops and dtypes that the formulas of C++ code name, and the dtypes of the code.
local function note(text, ops, dtypes)
  for formula in text:gmatch '"([^"\n]*)"' do
    for word in formula:gmatch '([%a_][%w_]*)%s*%(' do addOp(ops, word) end
    for word in formula:gmatch "'(%w+)'" do dtypes[word] = dtypes[word] or isDType[word] end
  end
  for word in text:gmatch 'DType::(%w+)' do
    if word == 'boolean' then word = 'bool' end
    dtypes[word] = dtypes[word] or isDType[word]
  end
end

-- The definitions of a file: name and text of each, from a line without indentation to the next closing brace without indentation.
local function definitions(text)
  local list, name, lines = {}, nil, nil
  for line in text:gmatch '[^\n]*' do
    if not lines and line:find '^%a' and not line:find '^namespace' and not line:find '^using' then
      name, lines = line:match '^[^(=]-([%w_]+)%s*=' or line:match '([%w_]+)%s*[%(%[{]' or '', {}
    end
    if lines then
      lines[#lines + 1] = line
      if line:find '^}' or #lines == 1 and line:find '[};]$' then
        list[#list + 1] = { name = name, text = table.concat(lines, '\n') }
        lines = nil
      end
    end
  end
  return list
end

local functions, kinds      -- texts of functions by name, and of the entries of ONNX ops in tables of kinds

local function scan()
  functions, kinds = {}, {}
  for path in io.popen 'ls engine/onnx/nodes/*.cpp engine/onnx/*.cpp | grep -v model.cpp':lines() do
    for _, definition in ipairs(definitions(read(path))) do
      if definition.name == 'kinds' then
        for name, rest in definition.text:gsub('{"(%u%w*)",', '\0%1\0'):gmatch '%z(%w+)%z(%Z*)' do kinds[name] = rest end
      else
        functions[definition.name] = (functions[definition.name] or '') .. definition.text
      end
    end
  end
end

-- Adds what a text needs, with the functions that it names: not those of the standard library, and no methods. Names of ONNX ops in quotes
-- are ops that it runs, such as the activations of recurrent layers.
local function follow(text, found)
  note(text, found.ops, found.dtypes)
  for name in text:gmatch '"(%u%w*)"' do
    if kinds[name] and not found.nodes[name] then
      found.nodes[name] = true
      follow(kinds[name], found)
    end
  end
  text = text:gsub('std::[%w_:]+', ''):gsub('[.>][%w_]+', '')
  for word in text:gmatch '[%a_][%w_]*' do
    if functions[word] and not found.seen[word] then
      found.seen[word] = true
      follow(functions[word], found)
    end
  end
end

--- Returns the sets of `ops`, `dtypes` and ONNX `nodes` that an op of ONNX needs, beyond what every model does; nil if there is no such op.
function needs.ofNode(name)
  if not kinds then scan() end
  if not kinds[name] then return nil end
  local found = { ops = {}, dtypes = {}, nodes = { [name] = true }, seen = {} }
  follow(kinds[name], found)
  return found
end

--- The set of ops that any model needs, because the engine calls them by name. Only the tape accumulates, and a small library has no fused
-- attention.
function needs.ofEngine()
  local ops = {}
  for path in io.popen 'ls engine/graph/*.cpp engine/passes/*.cpp engine/ops/*.cpp':lines() do
    if not path:find 'accumulate' and not path:find 'fuse_attention' and not path:find 'nonfinite' then
      for call, name in read(path):gmatch '([%w_]+)%("([%w_]+)"%)' do
        if call == 'op_called' or call == 'op_named' or call == 'find' then addOp(ops, name) end
      end
    end
  end
  note(read 'engine/onnx/node_run.cpp', ops, {})
  addOp(ops, 'reshape')      -- named by a conditional expression of captures
  addOp(ops, 'expand')
  return ops
end

return needs
