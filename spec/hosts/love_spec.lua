-- examples/hosts/love: torch in LÖVE's Lua state (apt-get install love xvfb): a network learns, and LÖVE shows what it paints. Without
-- LÖVE, without a display and Xvfb, or under a sanitizer, nothing is tested.
local torch, image = require 'torch', require 'image'
local shell = require 'spec.support.shell'

local preset = os.getenv 'MT_PRESET' or 'release'

describe('examples/hosts/love', function()
  if preset ~= 'release' then return pending 'a sanitizer is not in LÖVE' end
  if select(2, shell 'love --version') ~= 0 then return pending 'LÖVE is not installed' end
  if select(2, shell 'xvfb-run --help') ~= 0 then return pending 'xvfb-run is not installed' end

  it('learns to paint the picture', function()
    local picture = os.tmpname()
    os.remove(picture)
    picture = picture .. '.png'
    local command = 'FRAMES=80 PICTURE=%s timeout 120 xvfb-run -a -s "-screen 0 800x600x24" love examples/hosts/love 2>/dev/null'
    local output, status = shell(command:format(picture))
    assert.equal(0, status, output)
    assert.matches('require: %d+ ms; memory: %d+ KiB before, %d+ KiB now, of Lua %d+\n80 frames, learning and painting: p50 ', output)
    local first, last = output:match 'loss ([%d.]+), then ([%d.]+)\n'
    assert.is_true(tonumber(first) > 0.03 and tonumber(last) < tonumber(first) / 5, output)
    local painted, target = image.load(picture, 3, 'float'), image.resample(image.lena():float(), 96, 96, 'bicubic'):clamp(0, 1)
    os.remove(picture)
    local missed, plain = torch.pow(painted - target, 2):mean(), torch.var(target)
    assert.is_true(missed < plain / 5, ('%g of %g'):format(missed, plain))      -- plain: a picture of the mean colour
  end)
end)
