--- HDF5 files through libhdf5, with the interface of torch-hdf5: tensors by path, full or partial reads, compression, appending.
-- Strings, numbers, booleans, attributes and lists of strings, which torch-hdf5 lacked, are written as h5py writes them.
-- @module hdf5
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch = require 'torch'

local hdf5 = rawget(_G, 'hdf5') or {}
package.loaded.hdf5 = hdf5
rawset(_G, 'hdf5', hdf5)

hdf5.DataSetOptions = require 'hdf5.options'
hdf5.HDF5DataSet = require 'hdf5.dataset'
hdf5.HDF5Group = require 'hdf5.group'
hdf5.HDF5File = require 'hdf5.file'
hdf5.open = hdf5.HDF5File.open

--- Torch7's switch for log lines; does nothing, as there are none.
function hdf5.debugMode() end

hdf5._version = torch.version_

return hdf5
