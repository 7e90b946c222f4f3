-- Rows of figures, { op, arguments..., value }, against the product.
local torch = require 'torch'
local assert = require 'luassert'

local rowsOfFigures = {}

local function call(kind, row)
  local arguments = {}
  for i = 2, #row - 1 do arguments[#arguments + 1] = torch[kind] { row[i] } end
  return torch[row[1]](unpack(arguments))[1]
end

--- A row in messages.
function rowsOfFigures.text(row) return ('%s(%s)'):format(row[1], table.concat(row, ', ', 2, #row - 1)) end

--- Asserts values within a relative tolerance, which differs for some ops.
function rowsOfFigures.agree(kind, rows, tolerances)
  local wrong = {}
  for _, row in ipairs(rows) do
    local wanted, got = row[#row], call(kind, row)
    local tolerance = tolerances[row[1]] or tolerances[1]
    local isNear = math.abs(got - wanted) <= tolerance * math.abs(wanted)      -- false for NaN
    if not isNear then
      wrong[#wrong + 1] = ('%s: %.17g, expected %.17g, relative error %.2g'):format(rowsOfFigures.text(row), got, wanted, got / wanted - 1)
    end
  end
  assert.same({}, wrong)
end

return rowsOfFigures
