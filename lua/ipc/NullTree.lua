--- The tree of a single node: `require 'ipc.NullTree'()`, for programs that also run alone.
-- @module ipc.NullTree
return require('ipc.nodes').single
