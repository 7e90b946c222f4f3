--- Errors with a kind, which C and C++ get as the status of a call: MT_ERR_SHAPE, MT_ERR_DTYPE, ... The kind belongs to the sentence: it is
-- known in C whatever is put before or behind the sentence on its way there. In Lua nothing tells such an error from another.
-- @module torch.check.refuse
local noteError = require('libmoontorch').noteError

local refuse = {}

--- Notes the kind of an error that is about to be raised.
-- @string kind `shape`, `dtype`, `range`, `invalid`, `unsupported` or `file`; nil: that of the message `before`, else `invalid`
-- @string sentence
-- @string[opt] before the message that the sentence is made of; the sentence itself unless given
function refuse.note(kind, sentence, before) noteError(kind, sentence, before) end

local function raises(kind)
  return function(sentence, level)
    noteError(kind, sentence)
    error(sentence, level and level > 0 and level + 1 or 0)
  end
end

--- Raises an error of sizes, strides or a number of dimensions that don't fit.
-- @function shape
-- @string sentence
-- @int[opt=0] level as `error` has it, of the caller; 0 adds no place
refuse.shape = raises 'shape'

--- Raises an error of an element type that doesn't fit.
-- @function dtype
-- @string sentence
-- @int[opt=0] level
refuse.dtype = raises 'dtype'

--- Raises an error of a number, index or dimension out of range.
-- @function range
-- @string sentence
-- @int[opt=0] level
refuse.range = raises 'range'

--- Raises an error of any other argument that can't be used.
-- @function invalid
-- @string sentence
-- @int[opt=0] level
refuse.invalid = raises 'invalid'

return refuse
