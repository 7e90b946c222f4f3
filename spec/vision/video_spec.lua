-- Frames of videos that ffmpeg writes and reads: grey levels that say the frame's number.
require 'torch'
local vision = require 'vision'

local function found(program) return os.execute(('command -v %s >/dev/null 2>&1'):format(program)) == 0 end
local hasProgram = found 'ffmpeg' and found 'ffprobe'

describe('vision.Video', function()
  if not hasProgram then
    it('names the package that it needs', function()
      assert.error_matches(function() vision.Video 'x.mp4' end, 'were not found %(Debian and Ubuntu: apt%-get install ffmpeg%)')
    end)
    pending 'ffmpeg is not installed: no frames'
    return
  end

  -- 12 frames at 6 a second, lossless; frame k has the level 20 k.
  local folder = os.tmpname()
  os.remove(folder)
  local name = folder .. "/it's $(touch owned) `x`; -y \"a\".mkv"
  setup(function()
    assert(os.execute(('mkdir -p "%s"'):format(folder)) == 0)
    local file = assert(io.open(folder .. '/raw', 'wb'))
    for k = 1, 12 do file:write(string.char(20 * k):rep(16 * 12 * 3)) end
    file:close()
    local command = 'cd "%s" && ffmpeg -v error -nostdin -f rawvideo -pix_fmt rgb24 -s 16x12 -r 6 -i raw -c:v ffv1 -pix_fmt bgr0 out.mkv'
    assert(os.execute(command:format(folder)) == 0)
    assert(os.rename(folder .. '/out.mkv', name))
  end)

  it('has sizes and a rate', function()
    local video = vision.Video(name)
    assert.same({ 12, 16, 6 }, { video.height, video.width, video.rate })
    assert.near(2, video.duration, 1e-3)
  end)

  it('has frames', function()
    local count = 0
    for number, frame, time in vision.Video(name):frames() do
      count = count + 1
      assert.equal(count, number)
      assert.same({ 3, 12, 16 }, frame:size():totable())
      assert.same({ 20 * number, 20 * number }, { frame:min(), frame:max() })
      assert.near((number - 1) / 6, time, 1e-9)
    end
    assert.equal(12, count)
  end)

  it('seeks, scales and counts', function()
    local levels = {}
    for _, frame, time in vision.Video(name):frames { from = 1, count = 3, size = { 6, 4 } } do
      assert.same({ 3, 6, 4 }, frame:size():totable())
      levels[#levels + 1] = frame[1][3][2]
      assert.near(1 + (#levels - 1) / 6, time, 1e-9)
    end
    assert.same({ 140, 160, 180 }, levels)
    local count = 0
    for _ in vision.Video(name):frames { rate = 3 } do count = count + 1 end
    assert.equal(6, count)
  end)

  it('gives no name to the shell', function()
    assert.is_nil(io.open(folder .. '/owned'))
    assert.is_nil(io.open 'owned')
  end)

  it('names files that are no videos', function()
    local other = folder .. '/text.mp4'
    local file = assert(io.open(other, 'w'))
    file:write(('no video '):rep(1000))
    file:close()
    assert.error_matches(function() vision.Video(other) end, 'vision.Video: .*text%.mp4: no video, expected a file with one')
    assert.error_matches(function() vision.Video(folder .. '/none.mp4') end, 'none%.mp4')
    assert.has_error(function() vision.Video 'http://127.0.0.1/x.mp4' end)
    assert.has_error(function() vision.Video 'a\0b' end)
    assert.has_error(function() vision.Video(name):frames { count = 0 } end)
    assert.has_error(function() vision.Video(name):frames { size = 'large' } end)
  end)

  it('can be left early', function()
    for _ = 1, 3 do
      local _, frame = vision.Video(name):frames()()
      assert.equal(20, frame[1][1][1])
    end
    collectgarbage()
  end)
end)
