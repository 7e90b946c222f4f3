--- A picture of a training run: its curves on the left, pictures that the network made on the right.
-- @module digits.sheet
local torch, image, plot = require 'torch', require 'image', require 'plot'

--- Writes the picture.
-- @string name of its file; '' writes none
-- @tparam table curves `title`; `along`, the label of the axis of x; `x`, a list of positions; `lines`, a list of { label, values }
-- @string title of the pictures
-- @tparam torch.Tensor pictures N x height x width, ink 1 and paper 0; ten in a row
return function(name, curves, title, pictures)
  if name == '' then return end
  local figure = plot.figure { width = 800, height = 360 }
  local left = figure:subplot(1, 2, 1):title(curves.title):xlabel(curves.along):grid()
  for _, line in ipairs(curves.lines) do left:plot(curves.x, line[2], { label = line[1] }) end
  left:legend()
  local sheet = image.toDisplayTensor { input = torch.add(torch.mul(pictures, -1), 1), nrow = 10, padding = 2, min = 0, max = 1 }
  figure:subplot(1, 2, 2):imshow(sheet, { cmap = 'gray' }):xticks({}):yticks({}):title(title)
  figure:save(name)
end
