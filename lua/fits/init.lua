--- FITS files, astronomy's format: images as tensors, tables as columns, headers of ordered cards.
-- @module fits
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local check = require 'torch.check'

local fits = {}
package.loaded.fits = fits

--- Opens a file: finds its parts (header and data units) without reading their data.
-- @string name file
-- @treturn {table,...} the parts in order, each with `kind` ('image', 'table', 'text table' or another extension's name), `name` (EXTNAME,
-- or nil), `sizes` (of an image's tensor, or the number of rows), `header` (`get(key)`, `set(key, value, comment)`, and `cards`: a list of
-- tables with `key`, `value` and `comment`) and the method `read(options)`, which returns what `fits.load` does
-- @raise if the file is damaged: `fits.open: <name>: at byte N: expected ..., read ...`
-- @usage for i, part in ipairs(fits.open 'm31.fits') do print(i, part.kind, part.name, part.header:get 'DATE-OBS') end
function fits.open(name) return require('fits.reader').open('fits.open', name) end

--- Reads the data of a part.
-- An image has the sizes of the file in the other order: `x[row][column]`. Integers of other sign (BZERO of half the range) become tensors
-- of that type; other values of BSCALE and BZERO are applied, which gives floats or (from 32 bits on) doubles, with NaN for BLANK. A table
-- becomes columns by name: tensors (rows, or rows x n), lists of strings, or lists of tensors for variable lengths.
-- @string name file
-- @tparam[opt] int|string part its number, from 1, or EXTNAME; default: the first one with data
-- @tparam[opt] table options `scale = false`: elements as they are stored; `frame = true`: a table as a `data.Frame`
-- @return a tensor or a table of columns; nil if the part has no data
-- @treturn table the header
-- @raise if the file is damaged, or has no such part
-- @usage local x, header = fits.load 'm31.fits'
function fits.load(name, part, options) return require('fits.reader').load('fits.load', name, part, options) end

--- Writes a file, which is replaced atomically.
-- @string name file
-- @param parts a tensor; columns by name (tensors with a row for each, of one or two dimensions, or lists of strings) or a `data.Frame`;
-- or a part, or a list of parts: tables with `data` (one of these, or nothing), `header` (a header, a list of cards
-- `{ key, value, comment }`, or values by key) and `name` (EXTNAME). A table that comes first follows an empty part. Booleans become bytes
-- in images, half floats floats
-- @tparam[opt] table header of the only part
-- @raise for values that the format can't represent; nothing is written then
-- @usage fits.save('x.fits', torch.randn(100, 200):float(), { OBJECT = 'noise', EXPTIME = 30 })
-- fits.save('y.fits', { { data = picture }, { data = { x = torch.ones(3), id = { 'a', 'b', 'c' } }, name = 'stars' } })
function fits.save(name, parts, header)
  local where = 'fits.save'
  check.name(where, 'name', name)
  check.call(require('fits.write').save, where, name, parts, header)
end

--- Makes a header.
-- @tparam[opt] table cards a list of cards `{ key, value, comment }`, or values by key
-- @treturn table with the methods `get(key)` and `set(key, value, comment)`, and `cards`
-- @usage local header = fits.header { { 'EXPTIME', 30, 'seconds' }, { 'COMMENT', 'first light' } }
function fits.header(cards) return require('fits.header').of('fits.header', cards or {}) end

return fits
