--- Iterates over a count, a list, a set or a loader with a progress bar: `for i, sample in data.progress(set)`; see `xlua.bar`.
-- @module data.progress
return require('xlua.bar').bar
