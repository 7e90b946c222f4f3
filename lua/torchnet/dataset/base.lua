--- torchnet's data sets that `data` also has, with torchnet's arguments and names.
-- @module torchnet.dataset.base
local torch, argcheck, tnt = require 'torch', require 'argcheck', require 'torchnet.env'
local derive = require('torchnet.dataset').derive

local function initOf(class) return torch.getmetatable('data.' .. class).__init end

--- Samples that `load` returns for the entries of a list.
-- @function ListDataset
-- @tparam table|tds.Vec|tds.Hash|torch.LongTensor|string list or filename: entries by number, or a file with one entry per line
-- @tparam function load returns the sample for an entry
-- @int[opt] maxload maximum number of entries
-- @string[opt] path a folder before each entry
local listArguments = {
  { name = 'load', type = 'function', help = 'makes the sample of an entry' },
  { name = 'maxload', type = 'number', opt = true, help = 'maximum number of entries' },
  { name = 'path', type = 'string', opt = true, help = 'folder before each entry' },
}
local function makeList(self, list, load, maxload, path)
  initOf 'ListDataset'(self, list, load, { max = maxload and maxload > 0 and maxload or nil, folder = path })
end
local List = derive('ListDataset', 'ListDataset', {
  help = 'The results of a function for the entries of a list.',
  { name = 'list', check = function(value) return type(value) ~= 'string' end, help = 'entries by number' },
  listArguments[1], listArguments[2], listArguments[3], call = makeList,
})
List.__init = argcheck {
  help = 'The results of a function for the lines of a file.',
  { name = 'self', type = 'tnt.ListDataset' }, { name = 'filename', type = 'string', help = 'file with a line for each entry' },
  listArguments[1], listArguments[2], listArguments[3], call = makeList, overload = List.__init,
}

--- The entries of a table.
-- @function TableDataset
-- @tparam table data
derive('TableDataset', 'ListDataset', {
  help = 'The entries of a table.',
  { name = 'data', type = 'table', help = 'samples by number' },
  call = function(self, list) initOf 'ListDataset'(self, list) end,
})

local function onKeys(key) return type(key) == 'string' or type(key) == 'number' end

--- Samples transformed by functions.
-- @function TransformDataset
-- @tparam tnt.Dataset dataset
-- @tparam function|table transform or transforms: functions by field
-- @param[opt] key the field that the function changes
local Transform = derive('TransformDataset', 'TransformDataset', {
  help = 'Samples that a function changes.',
  { name = 'dataset', type = 'tnt.Dataset' }, { name = 'transform', type = 'function', help = 'of a sample, or of its field' },
  { name = 'key', check = onKeys, opt = true, help = 'the field that is changed' },
  call = function(self, dataset, transform, key) initOf 'TransformDataset'(self, dataset, transform, key) end,
})
Transform.__init = argcheck {
  help = 'Samples whose fields functions change.',
  { name = 'self', type = 'tnt.TransformDataset' }, { name = 'dataset', type = 'tnt.Dataset' },
  { name = 'transforms', type = 'table', help = 'functions by field' },
  call = function(self, dataset, transforms) initOf 'TransformDataset'(self, dataset, transforms) end,
  overload = Transform.__init,
}

--- Batches of consecutive samples.
-- @function BatchDataset
-- @tparam tnt.Dataset dataset
-- @int batchsize
-- @tparam[opt] function perm (idx, size) -> number of a sample
-- @tparam[opt] function merge builds a batch from a list of samples; default: for tables, stacks the tensors in each field if possible
-- @string[opt='include-last'] policy or 'skip-last', 'divisible-only'
-- @tparam[opt] function filter returns whether a batch includes a sample
derive('BatchDataset', 'BatchDataset', {
  help = 'Batches of consecutive samples.',
  { name = 'dataset', type = 'tnt.Dataset' }, { name = 'batchsize', type = 'number', help = 'samples a batch' },
  { name = 'perm', type = 'function', opt = true, help = '(idx, size) -> number of a sample' },
  { name = 'merge', type = 'function', opt = true, help = 'makes a batch of a list of samples' },
  { name = 'policy', type = 'string', default = 'include-last', help = "or 'skip-last', 'divisible-only'" },
  { name = 'filter', type = 'function', opt = true, help = 'says which samples a batch takes' },
  call = function(self, dataset, batchsize, perm, merge, policy, filter)
    initOf 'BatchDataset'(self, dataset, batchsize, { order = perm, collate = tnt.transform.makebatch(merge), policy = policy,
      filter = filter })
  end,
})

--- Samples of several sets, one set after the other.
-- @function ConcatDataset
-- @tparam {tnt.Dataset,...} datasets
derive('ConcatDataset', 'ConcatDataset', {
  help = 'Samples of several sets, one after the other.',
  { name = 'datasets', type = 'table', help = 'list of data sets' },
  call = function(self, datasets) initOf 'ConcatDataset'(self, datasets) end,
})

--- Samples by numbers that a function returns.
-- @function ResampleDataset
-- @tparam tnt.Dataset dataset
-- @tparam[opt] function sampler (dataset, idx) -> number of a sample; default: `idx`
-- @int[opt] size of the new set
derive('ResampleDataset', 'ResampleDataset', {
  help = 'Samples by numbers that a function gives.',
  { name = 'dataset', type = 'tnt.Dataset' },
  { name = 'sampler', type = 'function', default = function(_, index) return index end, help = '(dataset, idx) -> number of a sample' },
  { name = 'size', type = 'number', opt = true, help = 'samples of the new set' },
  call = function(self, dataset, sampler, size) initOf 'ResampleDataset'(self, dataset, sampler, size) end,
})

--- Samples in a random order; `resample()` draws another order.
-- @function ShuffleDataset
-- @tparam tnt.Dataset dataset
-- @int[opt] size of the new set
-- @bool[opt=false] replacement whether a sample may occur twice
derive('ShuffleDataset', 'ShuffleDataset', {
  help = 'Samples in an order that is drawn.',
  { name = 'dataset', type = 'tnt.Dataset' }, { name = 'size', type = 'number', opt = true, help = 'samples of the new set' },
  { name = 'replacement', type = 'boolean', default = false, help = 'whether a sample may come twice' },
  call = function(self, dataset, size, replacement)
    initOf 'ShuffleDataset'(self, dataset, { size = size, replacement = replacement })
  end,
})

--- Parts of a set; `select(name)` selects one.
-- @function SplitDataset
-- @tparam tnt.Dataset dataset
-- @tparam table partitions name -> share or size
-- @param[opt] initialpartition the selected part
derive('SplitDataset', 'SplitDataset', {
  help = 'Parts of a set, of which one is selected.',
  { name = 'dataset', type = 'tnt.Dataset' }, { name = 'partitions', type = 'table', help = 'name -> share of the samples, or size' },
  { name = 'initialpartition', check = onKeys, opt = true, help = 'the part that is selected' },
  call = function(self, dataset, partitions, initial) initOf 'SplitDataset'(self, dataset, partitions, initial) end,
})

return tnt
