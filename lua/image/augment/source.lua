--- Sources of transforms: pictures, or files that are decoded as far as necessary.
-- @module image.augment.source
local check = require 'torch.check'
local C = require 'libmoontorch'
local messages = require 'torch.check.message'
local PictureFile = require 'image.picture_file'

local isTensor, dtypeOf = C.isTensor, C.dtypeOf

local source = {}

--- Converts the argument of a transform to a picture or an opened file.
-- @string where
-- @param x a picture, a file's name, an opened file, or a ByteTensor of a file's bytes
-- @return a tensor of 3 or 4 dimensions, or an opened file
function source.open(where, x)
  if isTensor(x) then
    local dim = x:dim()
    if dim == 3 or dim == 4 then return x end
    if dim == 2 then return x:unsqueeze(1) end
    if dim == 1 and dtypeOf(x) == 'Byte' then
      local file, problem = PictureFile.borrow(where, x)
      if not file then check.raise(('%s: bytes: %s'):format(where, problem)) end
      return file
    end
  elseif type(x) == 'string' then
    return (PictureFile.open(where, x))
  elseif PictureFile.is(x) then
    return x
  end
  check.raise(('%s: picture: %s, expected channels x height x width or a file'):format(where, messages.value(x)))
end

--- Converts the argument of a transform to a picture.
-- @string where
-- @param x as for `open`
-- @treturn torch.Tensor of 3 or 4 dimensions
function source.picture(where, x)
  x = source.open(where, x)
  return isTensor(x) and x or x:decode(3, 'byte')
end

--- Height and width.
-- @param x result of `open`
function source.size(x)
  if isTensor(x) then return x:size(-2), x:size(-1) end
  return x.height, x.width
end

--- A part of a picture; only this part of a file is decoded.
-- @param x result of `open`
-- @int left columns before it
-- @int top rows before it
-- @int width
-- @int height
-- @tparam ?{int,int} least sufficient height and width: a JPEG file may be decoded at a smaller size
-- @treturn torch.Tensor
function source.part(x, left, top, width, height, least)
  if not isTensor(x) then return x:decode(3, 'byte', { part = { left, top, width, height }, atLeast = least }) end
  return x:narrow(-1, left + 1, width):narrow(-2, top + 1, height)
end

return source
