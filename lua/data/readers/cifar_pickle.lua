--- CIFAR-10's and CIFAR-100's batches in their version for Python: pickles of a dictionary, read without running code.
-- Format: the data's page (A. Krizhevsky); Python 2 wrote the files. CIFAR-10 has `data` and `labels`, CIFAR-100 `data`, `fine_labels` and
-- `coarse_labels`; `data` is an array of NumPy, (n, 3072) bytes, and labels are lists.
-- @module data.readers.cifar_pickle
local ffi = require 'ffi'
local torch = require 'torch'
local damage = require 'torch.file.damage'
local objects = require 'torch.file.python_tables'
local outside = require 'torch.file.outside'
local pickle = require 'torch.file.pickle'
local ptClasses, ptTensors = require 'torch.file.pt_classes', require 'torch.file.pt_tensors'

local cifarPickle = {}

local pixels = 3 * 32 * 32

-- Names of a format's fields: in the file, in the result; and the number of classes.
local fields = {
  [10] = { { 'labels', 'label', 10 } },
  [100] = { { 'coarse_labels', 'coarse', 20 }, { 'fine_labels', 'label', 100 } },
}

--- Returns whether a file is a pickle, of protocol 2 or later; records of the binary version begin with a label below 20.
-- @tparam table channel at its start, where it stays
-- @treturn bool
function cifarPickle.isNext(channel)
  if channel:size() == 0 then return false end
  local isPickle = outside.text(channel, 1, 'a byte') == '\128'
  channel:seek(0)
  return isPickle
end

local function labelsOf(batch, name, n, classes)
  local list = batch[name]
  local note = type(list) == 'table' and objects.note(list)
  if not note or note.class ~= 'list' or #list ~= n then
    damage.raise(1, ("'%s', a list of %d labels"):format(name, n), note and ('a %s of %d'):format(note.class, #list) or torch.type(list))
  end
  for i, label in ipairs(list) do
    if type(label) ~= 'number' or label < 0 or label >= classes or label % 1 ~= 0 then
      damage.raise(1, ("labels from 0 to %d in '%s'"):format(classes - 1, name), ('%s at %d'):format(tostring(label), i))
    end
  end
  return torch.ByteTensor(list)
end

--- Reads a batch.
-- @tparam table channel
-- @tparam[opt] int wanted 10 or 100
-- @treturn table `data`, `label`, for CIFAR-100 `coarse`, as `data.cifar.load` returns them
function cifarPickle.read(channel, wanted)
  local text = outside.text(channel, channel:size(), 'a pickle')
  local find = ptClasses.finder(ptTensors.new(), {}, true)
  local batch = pickle.read(ffi.cast('const uint8_t *', text), #text, 0, { find = find })
  local note = type(batch) == 'table' and objects.note(batch)
  if not note or note.class ~= 'dict' then damage.raise(1, 'a dictionary', note and 'a ' .. note.class or torch.type(batch)) end
  local format = batch.fine_labels ~= nil and 100 or 10
  if wanted and wanted ~= format then damage.raise(1, ('labels of CIFAR-%d'):format(wanted), ('those of CIFAR-%d'):format(format)) end
  local data = batch.data
  if torch.type(data) ~= 'torch.ByteTensor' or data:dim() ~= 2 or data:size(2) ~= pixels then
    local read = torch.isTensor(data) and ('%s of [%s]'):format(data:type(), table.concat(data:size():totable(), ', ')) or torch.type(data)
    damage.raise(1, ("'data', bytes of [n, %d]"):format(pixels), read)
  end
  local n = data:size(1)
  local found = { data = data:contiguous():view(n, 3, 32, 32) }
  for _, field in ipairs(fields[format]) do found[field[2]] = labelsOf(batch, field[1], n, field[3]) end
  return found
end

return cifarPickle
