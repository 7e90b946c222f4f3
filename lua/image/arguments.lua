--- Arguments of the functions on pictures: most have a form with the destination first.
-- @module image.arguments
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local arguments = {}

--- Splits a destination from arguments that begin with `count` tensors.
-- @int count of tensors that every form has
-- @param ... the arguments
-- @treturn ?torch.Tensor the destination, if there is one more tensor
-- @return the other arguments
function arguments.split(count, ...)
  for i = 1, count + 1 do
    if not torch.isTensor((select(i, ...))) then return nil, ... end
  end
  return ...
end

--- Checks a picture: channels x height x width or height x width, or more dimensions before them, up to `most`.
-- @string where prefix of error messages
-- @param src
-- @int[opt=3] most dimensions
-- @treturn torch.Tensor src
function arguments.picture(where, src, most)
  if not torch.isTensor(src) or src:dim() < 2 or src:dim() > (most or 3) then
    check.raise(('%s: src: %s, expected a picture (channels x height x width or height x width)'):format(where, messages.value(src)))
  end
  return src
end

--- Checks a picture with elements.
function arguments.filled(where, src, most)
  if arguments.picture(where, src, most):nElement() == 0 then
    check.raise(('%s: src: %s, expected a picture with elements'):format(where, messages.value(src)))
  end
  return src
end

--- Checks a picture with `count` channels.
-- @string where
-- @param src
-- @int count
-- @int[opt=3] most dimensions
function arguments.channels(where, src, count, most)
  local dims = torch.isTensor(src) and src:dim() or 0
  if dims < 3 or dims > (most or 3) or src:size(dims - 2) ~= count then
    check.raise(('%s: src: %s, expected a picture of %d channels (%d x height x width)'):format(where, messages.value(src), count, count))
  end
  return src
end

--- Checks that a value is one of several words.
-- @string where
-- @string name of the argument
-- @param value nil selects the first word
-- @tparam {string,...} words
-- @treturn string
function arguments.word(where, name, value, words)
  if value == nil then return words[1] end
  for _, word in ipairs(words) do
    if value == word then return word end
  end
  check.raise(("%s: %s: %s, expected '%s'"):format(where, name, messages.value(value),
    table.concat(words, "', '")))
end

--- Returns a result, or copies it into the destination.
-- @tparam ?torch.Tensor dst is resized and filled; its type is unchanged
-- @tparam torch.Tensor result
-- @treturn torch.Tensor dst or the result
function arguments.give(dst, result)
  if not dst then return result end
  return dst:resize(result:size()):copy(result)
end

return arguments
