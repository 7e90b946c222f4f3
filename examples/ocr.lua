-- Reads the text in a picture: `th examples/ocr.lua PICTURE`, a line of output for each line. `examples/ocr/fetch FOLDER` gets the models;
-- FOLDER is the environment variable MT_OCR, or the option --models.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local image, pipeline = require 'image', require 'ocr.pipeline'

local usage = [[
usage: th examples/ocr.lua [--models FOLDER] [--boxes FILE] PICTURE
  --models FOLDER   where examples/ocr/fetch put the networks (default: the environment variable MT_OCR)
  --boxes FILE      writes the picture with a frame around each line
  --scores          prints each line's mean probability of its letters, too]]

local function fail(...)
  io.stderr:write('ocr: ', (...):format(select(2, ...)), '\n')
  os.exit(2, true)
end

local function parse(words)
  local options, i = { models = os.getenv 'MT_OCR' }, 1
  while i <= #words do
    local word, value = words[i], words[i + 1]
    if word == '--scores' then
      options.scores = true
    elseif word == '--models' or word == '--boxes' then
      options[word:sub(3)] = value or fail('%s: nothing, expected a name\n\n%s', word, usage)
      i = i + 1
    elseif word:find '^%-' or options.picture then
      fail('%s: not expected\n\n%s', word, usage)
    else
      options.picture = word
    end
    i = i + 1
  end
  if not options.picture then fail('no picture\n\n%s', usage) end
  if not options.models then fail('no models: examples/ocr/fetch FOLDER gets them, --models FOLDER names them\n\n%s', usage) end
  return options
end

local function main(options)
  local read, picture = pcall(image.load, options.picture, 3, 'byte', { exif = true })
  if not read then fail('%s', picture) end
  local lines = pipeline.load(options.models):read(picture)
  for _, line in ipairs(lines) do
    io.write(options.scores and ('%.3f '):format(line.score) or '', line.text, '\n')
    for i, a in ipairs(line.corners) do
      local b = line.corners[i % 4 + 1]
      image.drawLine(picture, a[1] + 1, a[2] + 1, b[1] + 1, b[2] + 1, { color = { 255, 0, 0 }, lineWidth = 2, inplace = true })
    end
  end
  if options.boxes then image.save(options.boxes, picture) end
end

main(parse(arg))
