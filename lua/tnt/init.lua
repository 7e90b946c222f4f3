--- torchnet by the name that its classes have: a worker thread that meets a tnt.ListDataset asks for the package `tnt`.
-- @module tnt
return require 'torchnet.env'
