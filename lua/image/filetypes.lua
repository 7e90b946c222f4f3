--- Formats by the endings of file names.
-- @module image.filetypes
local check = require 'torch.check'
local image = require 'image'

local filetypes = {}

local names = {
  png = 'PNG', jpg = 'JPG', jpeg = 'JPG', ppm = 'PPM', pgm = 'PGM', pbm = 'PPM', pnm = 'PPM', gif = 'GIF', bmp = 'BMP', tif = 'TIFF',
  tiff = 'TIFF', webp = 'WEBP',
}

--- Endings (in lower and in upper case) with their functions: `{ loader =, saver = }`. GIF files can only be read.
filetypes.supported_filetypes = {}
for ending, format in pairs(names) do
  local entry = { loader = image['load' .. (format == 'PGM' and 'PPM' or format)], saver = image['save' .. format] }
  filetypes.supported_filetypes[ending], filetypes.supported_filetypes[ending:upper()] = entry, entry
end

--- The error text for an unknown ending.
-- @string ending
-- @treturn string
-- @local
function filetypes.unknown(ending)
  local known = {}
  for each in pairs(names) do known[#known + 1] = each end
  table.sort(known)
  return ('unknown image type: %s, expected %s'):format(ending, table.concat(known, ', '))
end

--- Whether files of an ending can be read.
-- @string ending such as 'png'
-- @treturn bool
function filetypes.is_supported(ending)
  return filetypes.supported_filetypes[check.text('image.is_supported', 'ending', ending)] ~= nil
end

return filetypes
