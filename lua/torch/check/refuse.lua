--- Errors with a kind, which C and C++ get as the status of a call: MT_ERR_SHAPE, MT_ERR_DTYPE, ... The kind is associated with the
-- sentence: C knows it even if other code adds text before or after the sentence. In Lua such errors are like all others.
-- @module torch.check.refuse
local noteError = require('libmoontorch').noteError

local refuse = {}

--- Records the kind of an error that is about to be raised.
-- @string kind `shape`, `dtype`, `range`, `invalid`, `unsupported` or `file`; nil: that of the message `before`, else `invalid`
-- @string sentence
-- @string[opt] before the message from which the sentence was formed; default: the sentence
function refuse.note(kind, sentence, before) noteError(kind, sentence, before) end

local function raises(kind)
  return function(sentence, level)
    noteError(kind, sentence)
    error(sentence, level and level > 0 and level + 1 or 0)
  end
end

--- Raises an error about sizes, strides or a number of dimensions that don't match.
-- @function shape
-- @string sentence
-- @int[opt=0] level as for `error`, relative to the caller; 0 adds no position
refuse.shape = raises 'shape'

--- Raises an error about an unsupported dtype.
-- @function dtype
-- @string sentence
-- @int[opt=0] level
refuse.dtype = raises 'dtype'

--- Raises an error about a number, index or dimension out of range.
-- @function range
-- @string sentence
-- @int[opt=0] level
refuse.range = raises 'range'

--- Raises an error about any other unsupported argument.
-- @function invalid
-- @string sentence
-- @int[opt=0] level
refuse.invalid = raises 'invalid'

return refuse
