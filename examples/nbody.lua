-- Planets and asteroids: `th examples/nbody.lua`, and --help for more. The Sun, Jupiter, Saturn, Uranus and Neptune attract each other, and
-- a belt of asteroids without mass; a symplectic step changes velocities by forces, then places by velocities. Plain loops over the
-- elements of tensors, which LuaJIT compiles. The last line says in how many digits the energy stays. Units: astronomical units, years,
-- and masses for which the constant of gravity is 1. Source of the planets: JPL's ephemeris, as in "The Computer Language Benchmarks Game:
-- n-body".
local torch = require 'torch'

local command = torch.CmdLine()
command:text 'Moves planets and asteroids: th examples/nbody.lua'
command:option('--steps', 20000, 'number of steps')
command:option('--step', 0.01, 'years per step')
command:option('--asteroids', 300, 'how many')

local solarMass, daysPerYear = 4 * math.pi ^ 2, 365.24
-- Places in astronomical units, velocities in those per day, masses in that of the Sun.
local bodies = torch.DoubleTensor {
  { 0, 0, 0, 0, 0, 0, 1 },
  { 4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
    1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05, 9.54791938424326609e-04 },
  { 8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
    -2.76742510726411899e-03, 4.99852801234917238e-03, 2.30417297573763929e-05, 2.85885980666130812e-04 },
  { 1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
    2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05, 4.36624404335156298e-05 },
  { 1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
    2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05, 5.15138902046611451e-05 },
}

local function energy(x, v, m)
  local e, n = 0, m:size(1)
  for i = 1, n do
    e = e + 0.5 * m[i] * (v[{ i, 1 }] ^ 2 + v[{ i, 2 }] ^ 2 + v[{ i, 3 }] ^ 2)
    for j = i + 1, n do
      local dx, dy, dz = x[{ i, 1 }] - x[{ j, 1 }], x[{ i, 2 }] - x[{ j, 2 }], x[{ i, 3 }] - x[{ j, 3 }]
      e = e - m[i] * m[j] / math.sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return e
end

-- The first bodies, as many as there are masses, attract all others.
local function advance(x, v, m, step)
  local heavy, n = m:size(1), x:size(1)
  for i = 1, heavy do
    local xi, yi, zi, mi = x[{ i, 1 }], x[{ i, 2 }], x[{ i, 3 }], m[i]
    local vx, vy, vz = v[{ i, 1 }], v[{ i, 2 }], v[{ i, 3 }]
    for j = i + 1, n do
      local dx, dy, dz = xi - x[{ j, 1 }], yi - x[{ j, 2 }], zi - x[{ j, 3 }]
      local square = dx * dx + dy * dy + dz * dz
      local pull = step / (square * math.sqrt(square))
      if j <= heavy then
        local mj = m[j]
        vx, vy, vz = vx - dx * mj * pull, vy - dy * mj * pull, vz - dz * mj * pull
      end
      v[{ j, 1 }] = v[{ j, 1 }] + dx * mi * pull
      v[{ j, 2 }] = v[{ j, 2 }] + dy * mi * pull
      v[{ j, 3 }] = v[{ j, 3 }] + dz * mi * pull
    end
    v[{ i, 1 }], v[{ i, 2 }], v[{ i, 3 }] = vx, vy, vz
  end
  for i = 1, n do
    for k = 1, 3 do x[{ i, k }] = x[{ i, k }] + step * v[{ i, k }] end
  end
end

-- Asteroids on circles around the Sun, at 2 to 3.5 astronomical units: places and velocities (n, 3).
local function belt(n)
  local places, velocities = torch.zeros(n, 3), torch.zeros(n, 3)
  for i = 1, n do
    local radius, angle = 2 + 1.5 * (i - 0.5) / n, 2.4 * i
    local speed = math.sqrt(solarMass / radius)
    places[{ i, 1 }], places[{ i, 2 }] = radius * math.cos(angle), radius * math.sin(angle)
    velocities[{ i, 1 }], velocities[{ i, 2 }] = -speed * math.sin(angle), speed * math.cos(angle)
  end
  return places, velocities
end

local options = command:parse(arg or {})
if options.steps < 1 or options.asteroids < 1 then
  io.stderr:write 'nbody: --steps and --asteroids: expected 1 or more\n'
  os.exit(2, true)
end
local m = bodies:select(2, 7) * solarMass
local v = bodies:narrow(2, 4, 3) * daysPerYear
v[1] = -torch.mv(v:t(), m) / solarMass      -- the Sun, so that the sum of momenta is zero
local places, velocities = belt(options.asteroids)
local x = torch.cat(bodies:narrow(2, 1, 3), places, 1)
v = torch.cat(v, velocities, 1)
local before = energy(x, v, m)
io.write(('energy before: %.9f\n'):format(before))
local timer = torch.Timer()
for _ = 1, options.steps do advance(x, v, m, options.step) end
local time, after, pairs = timer:time().real, energy(x, v, m), m:size(1) * options.asteroids
local each = time / options.steps / pairs * 1e9
io.write(('energy after %d steps: %.9f, %.2f ns per planet and asteroid\n'):format(options.steps, after, each))
io.write(('the energy stays in %.1f digits\n'):format(-math.log10(math.abs(after / before - 1))))
