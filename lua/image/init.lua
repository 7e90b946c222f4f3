--- Pictures: files, transforms, colours, drawing and display, as in Torch7's package, and augmentations for data sets.
-- A picture is a tensor of channels x height x width (1 grey, 3 RGB, 4 with alpha) or height x width; floats are from 0 to 1, bytes from
-- 0 to 255.
-- @module image
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local image = {}
package.loaded.image = image
rawset(_G, 'image', image)

--- A file with more pixels in its header is rejected before memory is allocated.
image.maxPixels = 2 ^ 28

--- A longer file is rejected without reading it.
image.maxBytes = 2 ^ 30

require 'torch.start.lazy_loader'(image, [[
  image.load: open load loadPNG loadJPG loadPPM decompress decompressPNG decompressJPG decompressPPM
  image.load: loadGIF loadBMP loadTIFF loadWEBP frames
  image.load: getSize getPNGsize getJPGsize getPPMsize
  image.save: save savePNG saveJPG savePPM savePGM compressPNG compressJPG compressPPM
  image.save: saveFrames saveBMP saveTIFF saveWEBP compressBMP compressTIFF compressWEBP
  image.filetypes: supported_filetypes is_supported
  image.resampling: scale resample
  image.geometry: crop translate hflip vflip flip
  image.warping: warp rotate affinetransform homography perspective polar logpolar
  image.colour: rgb2y rgb2yuv yuv2rgb rgb2hsv hsv2rgb rgb2hsl hsl2rgb rgb2lab lab2rgb rgb2nrgb y2jet colormap jetColormap
  image.kernels: gaussian gaussian1D laplacian minmax
  image.filters: convolve lcn erode dilate gaussianpyramid
  image.shapes: connectedComponents minAreaRect
  image.drawing: drawCircle drawLine drawRect drawText
  image.grid: toDisplayTensor
  image.display: display window
  image.pictures: fabio lena
  image.histogram: autocontrast equalize histogram
  augment = image.augment
]])

return image
