--- The representation of a picture in a notebook.
-- @module notebook.picture
local ffi = require 'ffi'
local torch, check = require 'torch', require 'torch.check'

--- The texts of a picture, by MIME types.
-- @tparam torch.Tensor picture
-- @treturn {[string]=string} a PNG file, and a line of text
local function bundle(picture)
  check.that(torch.isTensor(picture), ('notebook.image: picture: %s, expected a tensor'):format(type(picture)))
  local bytes = check.call(function() return require 'image'.compressPNG(picture) end)
  local sizes = table.concat(picture:size():totable(), 'x')
  return { ['image/png'] = ffi.string(bytes:data(), bytes:nElement()), ['text/plain'] = ('[a picture of size %s]'):format(sizes) }
end

return bundle
