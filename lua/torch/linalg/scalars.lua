--- Functions of numbers that may be complex, for methods that work with both.
-- @module torch.linalg.scalars
local scalars = {}

--- Returns the conjugate.
function scalars.conj(z) return type(z) == 'number' and z or z:conj() end

--- Returns the real part.
function scalars.real(z) return type(z) == 'number' and z or z.re end

--- Returns the magnitude.
function scalars.abs(z) return type(z) == 'number' and math.abs(z) or z:abs() end

return scalars
