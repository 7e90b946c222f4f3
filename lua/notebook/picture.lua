--- A picture as a notebook shows it.
-- @module notebook.picture
local ffi = require 'ffi'
local torch, check = require 'torch', require 'torch.check'

--- The texts of a picture, by MIME types.
-- @tparam torch.Tensor picture
-- @treturn {[string]=string} PNG in base64, and a line of text
local function bundle(picture)
  check.that(torch.isTensor(picture), ('notebook.image: picture: %s came, a tensor was expected'):format(type(picture)))
  local base64 = require 'image.terminal'.base64
  local bytes = check.call(function() return require 'image'.compressPNG(picture) end)
  local sizes = table.concat(picture:size():totable(), 'x')
  return { ['image/png'] = base64(ffi.string(bytes:data(), bytes:nElement())), ['text/plain'] = ('[a picture of size %s]'):format(sizes) }
end

return bundle
