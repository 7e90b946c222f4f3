--- PyTorch's files (.pt, .pth): reads those of all versions and of TorchScript, without running code, and writes the form of torch.load.
-- @module torch.file.pt
local ffi = require 'ffi'
local check = require 'torch.check'
local archive = require 'torch.file.pt_archive'
local classes = require 'torch.file.pt_classes'
local legacy = require 'torch.file.pt_legacy'
local objects = require 'torch.file.python_tables'
local outside = require 'torch.file.outside'
local ptTensors = require 'torch.file.pt_tensors'

local enough = 512

local pt = {
  --- None in lists and as a key, where nil would leave a hole.
  none = objects.none,
}

local function readForm(channel, mapped, tensors, find, part)
  local head = ffi.string(mapped:data(), math.min(enough, mapped:size()))
  if part == 'data' and legacy.isRow(head) then return legacy.readRow(mapped, tensors, find) end
  if part == 'data' and legacy.isTar(head) then return legacy.readTar(mapped, tensors, find) end
  return archive.read(channel, mapped, tensors, find, part)
end

--- Reads a file for `load` and `torch.load`.
-- @string op the start of messages
-- @string name
-- @bool[opt=false] strict
-- @bool[opt=false] constants
function pt._read(op, name, strict, constants)
  return outside.map(op, name, function(channel, mapped)
    local tensors, unknown = ptTensors.new(), {}
    local value = readForm(channel, mapped, tensors, classes.finder(tensors, unknown, strict), constants and 'constants' or 'data')
    return value, unknown
  end)
end

--- Reads a file of PyTorch's `torch.save`, of any version, or of TorchScript (`torch.jit.save`), without running its code. The file is
-- mapped, not read: a tensor's elements are loaded from the disk at their first use. Writing to a tensor changes its memory, never the
-- file, which must not be shortened in place meanwhile. Tensors are on the CPU; views of one storage share memory.
-- Dictionaries, namespaces and objects become tables; lists, tuples, sets and sizes become arrays from 1; None becomes nil, in lists
-- `torch.pt.none`; dtypes and devices become strings ('float32', 'cuda:0'), numbers beyond 2^53 int64. A tensor without dimensions has size
-- 1; complex numbers of 16-bit floats are pairs, in a last dimension of 2;
-- uint16, uint32, uint64 and 8-bit floats are converted to types that hold them.
-- An object of a class that this library doesn't know is a table of its fields, with the arguments of its constructor in the array part.
-- @string name file
-- @tparam[opt] table options `strict = true` refuses unknown classes; `constants = true` reads the constants of a TorchScript file
-- @return the value
-- @treturn {string,...} the names of unknown classes
-- @raise if the file is damaged: `torch.pt.load: <name>: at byte N: expected ..., read ...`; for sparse and quantized tensors
-- @usage local state = torch.pt.load 'model.pt'
-- print(state['conv1.weight']:size())
function pt.load(name, options)
  options = check.options('torch.pt.load', options, { 'strict', 'constants' })
  for _, option in ipairs { 'strict', 'constants' } do check.flag('torch.pt.load', option, options[option]) end
  return pt._read('torch.pt.load', name, options.strict, options.constants)
end

--- Writes a file that PyTorch reads with `torch.load(name, weights_only=True)`; it is replaced atomically.
-- @string name file
-- @param state a tensor, number, string, boolean or table of these, nested at will. A table with the keys 1 to n becomes a list, others
--   dictionaries, sorted by key, of which the empty one is one; a table from `load` keeps its order and whether it is a list, a tuple, a
--   torch.Size or an OrderedDict. Whole numbers become int, others float; strings that are not UTF-8 become bytes. A storage that tensors
--   share is written once, completely; tensors of a GPU are written as those of the CPU
-- @raise for other values, with their place: `torch.pt.save: state.net: nn.Linear, expected ...`
-- @usage torch.pt.save('model.pt', { weight = torch.ones(2, 3), epoch = 7 })
function pt.save(name, state)
  local members = require('torch.file.pt_writer').members(state)
  require('torch.file.atomic').write('torch.pt.save', name, function(channel) require('torch.file.zip').write(channel, members) end)
end

--- Returns the keys of a table in the order of the file it was read from. Keys that a program added, and those of other tables, come last
-- and are sorted: numbers, then strings. Keys with the value None are included, although the table has nil.
-- @tparam table t
-- @treturn table list
-- @usage for _, key in ipairs(torch.pt.keys(state)) do print(key) end
function pt.keys(t) return objects.keys(check.table('torch.pt.keys', 't', t)) end

--- Returns the name of the Python class that a table of a file stands for: 'dict', 'list', 'tuple', 'collections.OrderedDict', ...
-- @tparam table t
-- @treturn ?string nil if the table was not read from a file
function pt.className(t)
  local note = objects.note(check.table('torch.pt.className', 't', t))
  return note and note.class
end

return pt
