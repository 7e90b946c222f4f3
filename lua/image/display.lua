--- Shows pictures: in the terminal if it supports them, otherwise as a file.
-- @module image
local torch, check = require 'torch', require 'torch.check'
local C = require 'libmoontorch'
local image = require 'image'
local messages = require 'torch.check.message'

local showing = {}

local where = 'image.display'
local names = {
  'image', 'zoom', 'min', 'max', 'legend', 'win', 'x', 'y', 'scaleeach', 'gui', 'offscreen', 'padding', 'symmetric', 'nrow', 'saturate',
  'file',
}
-- Repeats each pixel; drops pixels if zoom is below 1.
local function zoomed(x, zoom)
  if zoom == 1 then return x end
  local height, width = math.max(1, math.floor(x:size(-2) * zoom + 0.5)), math.max(1, math.floor(x:size(-1) * zoom + 0.5))
  return image.scale(x, width, height, zoom > 1 and 'simple' or 'bilinear')
end

local showsNothing = { __mime = function() return {} end }      -- because the picture is already shown

-- Shows a picture in a notebook, in place of an earlier one with `win`.
local function inNotebook(shown)
  local notebook = require 'notebook'
  local picture = notebook.image(shown.image)
  shown.place = shown.place and shown.place:update(picture) or notebook.display(picture)
  return setmetatable(shown, showsNothing)
end

--- Shows a picture, or several on a grid: in a notebook; in a terminal that supports kitty's protocol, iTerm2's or sixels; otherwise as a
-- PNG file, whose name it prints. The environment variable MOONTORCH_DISPLAY (kitty, iterm, sixel or file) selects the method.
-- @tparam torch.Tensor|table options the picture, or a table: `image`; `zoom` (1); `legend`, printed with it; `min`, `max`, `scaleeach`,
-- `padding`, `symmetric`, `nrow` and `saturate` as for `toDisplayTensor`; `file`: the name of a file, which is always written; `win`:
-- the result of an earlier call, whose file is overwritten; `offscreen`: nothing is shown or written. `x`, `y` and `gui`, which place
-- windows, have no effect
-- @treturn table `image`, the picture as shown; `file`, the name of the file, if one was written
function showing.display(options)
  local isList = type(options) == 'table' and options.image == nil and options[1] ~= nil
  if torch.isTensor(options) or isList then options = { image = options } end
  options = check.options(where, options, names)
  check.that(options.image ~= nil, where .. ': image: nil, expected a picture or a list of them')
  local zoom = check.number(where, 'zoom', options.zoom or 1, { min = 1e-3, max = 1e3 })
  local picture = zoomed(image.toDisplayTensor {
    input = options.image, padding = options.padding, nrow = options.nrow, scaleeach = options.scaleeach, min = options.min,
    max = options.max, symmetric = options.symmetric, saturate = options.saturate,
  }, zoom)
  local shown = type(options.win) == 'table' and options.win or {}
  shown.image = picture
  if options.offscreen then return shown end
  if options.legend then io.write(messages.value(options.legend):gsub("^'(.*)'$", '%1'), '\n') end
  if require 'torch.modules'.loaded 'notebook.kernel' and not options.file then return inNotebook(shown) end
  local terminal = require 'image.terminal'
  local protocol = not options.file and terminal.protocol()
  if protocol then
    io.write(terminal[protocol](picture))
    io.flush()
    return shown
  end
  local isNew = not shown.file or options.file
  shown.file = options.file or shown.file or C.temporaryName('.png', true)
  image.save(shown.file, picture)
  if isNew then io.write('image.display: ', shown.file, '\n') end
  return shown
end

--- Windows need Qt, which Moontorch lacks: the error names the alternative.
-- @raise always
function showing.window()
  check.raise 'image.window: there are no windows here: image.display writes a file, or shows a picture in the terminal'
end

return showing
