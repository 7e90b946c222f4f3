-- The style of one picture on the content of another: modules that keep losses in a net of convolutions, an image that L-BFGS changes, with
-- pictures saved on the way.
require 'torch'
require 'nn'
require 'image'
require 'optim'

local cmd = torch.CmdLine()
cmd:option('-style_image', '', 'Style target image')
cmd:option('-content_image', '', 'Content target image')
cmd:option('-style_blend_weights', 'nil')
cmd:option('-image_size', 24, 'Maximum height / width of generated image')
cmd:option('-gpu', -1, 'Zero-indexed ID of the GPU to use; for CPU mode set -gpu = -1')
cmd:option('-content_weight', 5)
cmd:option('-style_weight', 1e2)
cmd:option('-tv_weight', 1e-3)
cmd:option('-num_iterations', 30)
cmd:option('-normalize_gradients', false)
cmd:option('-init', 'random', 'random|image')
cmd:option('-optimizer', 'lbfgs', 'lbfgs|adam')
cmd:option('-learning_rate', 1e1)
cmd:option('-print_iter', 10)
cmd:option('-save_iter', 10)
cmd:option('-output_image', 'out.png')
cmd:option('-style_scale', 1.0)
cmd:option('-pooling', 'max', 'max|avg')
cmd:option('-seed', 5)
cmd:option('-content_layers', 'relu2', 'layers for content')
cmd:option('-style_layers', 'relu1,relu2', 'layers for style')

local folder = paths.tmpname()
paths.mkdir(folder)

function preprocess(img)
  local mean_pixel = torch.DoubleTensor({ 103.939, 116.779, 123.68 })
  local perm = torch.LongTensor { 3, 2, 1 }
  img = img:index(1, perm):mul(256.0)
  mean_pixel = mean_pixel:view(3, 1, 1):expandAs(img)
  img:add(-1, mean_pixel)
  return img
end

function deprocess(img)
  local mean_pixel = torch.DoubleTensor({ 103.939, 116.779, 123.68 })
  mean_pixel = mean_pixel:view(3, 1, 1):expandAs(img)
  img = img + mean_pixel
  local perm = torch.LongTensor { 3, 2, 1 }
  img = img:index(1, perm):div(256.0)
  return img
end

-- Computes a content loss in-place
local ContentLoss, parent = torch.class('nn.ContentLoss', 'nn.Module')
function ContentLoss:__init(strength, target, normalize)
  parent.__init(self)
  self.strength = strength
  self.target = target
  self.normalize = normalize or false
  self.loss = 0
  self.crit = nn.MSECriterion()
end
function ContentLoss:updateOutput(input)
  if input:nElement() == self.target:nElement() then
    self.loss = self.crit:forward(input, self.target) * self.strength
  else
    print('WARNING: Skipping content loss')
  end
  self.output = input
  return self.output
end
function ContentLoss:updateGradInput(input, gradOutput)
  if input:nElement() == self.target:nElement() then self.gradInput = self.crit:backward(input, self.target) end
  if self.normalize then self.gradInput:div(torch.norm(self.gradInput, 1) + 1e-8) end
  self.gradInput:mul(self.strength)
  self.gradInput:add(gradOutput)
  return self.gradInput
end

function GramMatrix()
  local net = nn.Sequential()
  net:add(nn.View(-1):setNumInputDims(2))
  local concat = nn.ConcatTable()
  concat:add(nn.Identity())
  concat:add(nn.Identity())
  net:add(concat)
  net:add(nn.MM(false, true))
  return net
end

local StyleLoss, parent = torch.class('nn.StyleLoss', 'nn.Module')
function StyleLoss:__init(strength, target, normalize)
  parent.__init(self)
  self.normalize = normalize or false
  self.strength = strength
  self.target = target
  self.loss = 0
  self.gram = GramMatrix()
  self.G = nil
  self.crit = nn.MSECriterion()
end
function StyleLoss:updateOutput(input)
  self.G = self.gram:forward(input)
  self.G:div(input:nElement())
  self.loss = self.crit:forward(self.G, self.target)
  self.loss = self.loss * self.strength
  self.output = input
  return self.output
end
function StyleLoss:updateGradInput(input, gradOutput)
  local dG = self.crit:backward(self.G, self.target)
  dG:div(input:nElement())
  self.gradInput = self.gram:backward(input, dG)
  if self.normalize then self.gradInput:div(torch.norm(self.gradInput, 1) + 1e-8) end
  self.gradInput:mul(self.strength)
  self.gradInput:add(gradOutput)
  return self.gradInput
end

local TVLoss, parent = torch.class('nn.TVLoss', 'nn.Module')
function TVLoss:__init(strength)
  parent.__init(self)
  self.strength = strength
  self.x_diff = torch.Tensor()
  self.y_diff = torch.Tensor()
end
function TVLoss:updateOutput(input)
  self.output = input
  return self.output
end
function TVLoss:updateGradInput(input, gradOutput)
  self.gradInput:resizeAs(input):zero()
  local C, H, W = input:size(1), input:size(2), input:size(3)
  self.x_diff:resize(3, H - 1, W - 1)
  self.y_diff:resize(3, H - 1, W - 1)
  self.x_diff:copy(input[{ {}, { 1, -2 }, { 1, -2 } }])
  self.x_diff:add(-1, input[{ {}, { 1, -2 }, { 2, -1 } }])
  self.y_diff:copy(input[{ {}, { 1, -2 }, { 1, -2 } }])
  self.y_diff:add(-1, input[{ {}, { 2, -1 }, { 1, -2 } }])
  self.gradInput[{ {}, { 1, -2 }, { 1, -2 } }]:add(self.x_diff):add(self.y_diff)
  self.gradInput[{ {}, { 1, -2 }, { 2, -1 } }]:add(-1, self.x_diff)
  self.gradInput[{ {}, { 2, -1 }, { 1, -2 } }]:add(-1, self.y_diff)
  self.gradInput:mul(self.strength)
  self.gradInput:add(gradOutput)
  assert(C == 3)
  return self.gradInput
end

------------------------------------------------------------------------ pictures, and a small net in the place of a large one
local function make_pictures(params)
  local content, style = torch.zeros(3, 40, 56), torch.Tensor(3, 32, 32)
  content = image.drawRect(content:add(0.2), 15, 10, 40, 30, { lineWidth = 3, color = { 1, 1, 0 }, inplace = false })
  for y = 1, 32 do
    for x = 1, 32 do style[1][y][x], style[2][y][x], style[3][y][x] = (x + y) % 6 / 6, x % 4 / 4, 0.5 end
  end
  params.content_image, params.style_image = paths.concat(folder, 'content.jpg'), paths.concat(folder, 'style.png')
  image.save(params.content_image, content)
  image.save(params.style_image, style)
end

local function load_net()
  local cnn = nn.Sequential()
  local sizes, name = { 3, 6, 8 }, nil
  for i = 1, 2 do
    local conv = nn.SpatialConvolution(sizes[i], sizes[i + 1], 3, 3, 1, 1, 1, 1)
    conv.name = 'conv' .. i
    conv.weight:div(5)
    cnn:add(conv)
    local relu = nn.ReLU(true)
    relu.name = 'relu' .. i
    cnn:add(relu)
    local pool = nn.SpatialMaxPooling(2, 2, 2, 2)
    pool.name = 'pool' .. i
    cnn:add(pool)
    name = pool.name
  end
  assert(name == 'pool2')
  return cnn
end

local function main(params)
  torch.manualSeed(params.seed)
  make_pictures(params)
  local content_image = image.load(params.content_image, 3)
  content_image = image.scale(content_image, params.image_size, 'bilinear')
  local content_image_caffe = preprocess(content_image):float()
  assert(math.max(content_image:size(2), content_image:size(3)) == params.image_size)
  local style_size = math.ceil(params.style_scale * params.image_size)
  local style_image_list = params.style_image:split(',')
  local style_images_caffe = {}
  for _, img_path in ipairs(style_image_list) do
    local img = image.load(img_path, 3)
    img = image.scale(img, style_size, 'bilinear')
    table.insert(style_images_caffe, preprocess(img):float())
  end

  local content_layers, style_layers = params.content_layers:split(','), params.style_layers:split(',')
  local cnn = load_net():float()
  local content_losses, style_losses = {}, {}
  local next_content_idx, next_style_idx = 1, 1
  local net = nn.Sequential()
  net:add(nn.TVLoss(params.tv_weight):float())
  for i = 1, #cnn do
    if next_content_idx <= #content_layers or next_style_idx <= #style_layers then
      local layer = cnn:get(i)
      local name = layer.name
      local is_pooling = torch.type(layer) == 'nn.SpatialMaxPooling'
      if is_pooling and params.pooling == 'avg' then
        assert(layer.padW == 0 and layer.padH == 0)
        net:add(nn.SpatialAveragePooling(layer.kW, layer.kH, layer.dW, layer.dH):float())
      else
        net:add(layer)
      end
      if name == content_layers[next_content_idx] then
        local target = net:forward(content_image_caffe):clone()
        local loss_module = nn.ContentLoss(params.content_weight, target, params.normalize_gradients):float()
        net:add(loss_module)
        table.insert(content_losses, loss_module)
        next_content_idx = next_content_idx + 1
      end
      if name == style_layers[next_style_idx] then
        local gram = GramMatrix():float()
        local target
        for j = 1, #style_images_caffe do
          local target_features = net:forward(style_images_caffe[j]):clone()
          local target_i = gram:forward(target_features):clone()
          target_i:div(target_features:nElement())
          target = target and target:add(target_i) or target_i
        end
        local loss_module = nn.StyleLoss(params.style_weight, target, params.normalize_gradients):float()
        net:add(loss_module)
        table.insert(style_losses, loss_module)
        next_style_idx = next_style_idx + 1
      end
    end
  end
  assert(#content_losses == 1 and #style_losses == 2)

  -- The base net is no longer needed, and its weights' gradients neither.
  cnn = nil
  for i = 1, #net.modules do
    local module = net.modules[i]
    if torch.type(module) == 'nn.SpatialConvolution' then
      module.gradWeight = nil
      module.gradBias = nil
    end
  end
  collectgarbage()

  local img
  if params.init == 'random' then
    img = torch.randn(content_image:size()):float():mul(0.001)
  elseif params.init == 'image' then
    img = content_image_caffe:clone():float()
  else
    error('Invalid init type')
  end

  local y = net:forward(img)
  local dy = img.new(#y):zero()
  local optim_state
  if params.optimizer == 'lbfgs' then
    optim_state = { maxIter = params.num_iterations, verbose = false, tolX = 0, tolFun = 0 }
  else
    optim_state = { learningRate = params.learning_rate }
  end

  local function maybe_print(t, loss)
    if params.print_iter > 0 and t % params.print_iter == 0 then
      print(string.format('Iteration %d / %d', t, params.num_iterations))
      for i, loss_module in ipairs(content_losses) do print(string.format('  Content %d loss: %f', i, loss_module.loss)) end
      for i, loss_module in ipairs(style_losses) do print(string.format('  Style %d loss: %f', i, loss_module.loss)) end
      print(string.format('  Total loss: %f', loss))
    end
  end
  local saved = {}
  local function maybe_save(t)
    local should_save = params.save_iter > 0 and t % params.save_iter == 0
    should_save = should_save or t == params.num_iterations
    if should_save then
      local disp = deprocess(img:double())
      disp = image.minmax { tensor = disp, min = 0, max = 1 }
      local ext = paths.extname(params.output_image)
      local basename = paths.basename(params.output_image, ext)
      local filename = paths.concat(folder, string.format('%s_%d.%s', basename, t, ext))
      image.save(filename, disp)
      table.insert(saved, filename)
    end
  end

  local num_calls, first, last = 0, nil, nil
  local function feval(x)
    num_calls = num_calls + 1
    net:forward(x)
    local grad = net:updateGradInput(x, dy)
    local loss = 0
    for _, mod in ipairs(content_losses) do loss = loss + mod.loss end
    for _, mod in ipairs(style_losses) do loss = loss + mod.loss end
    first, last = first or loss, loss
    maybe_print(num_calls, loss)
    maybe_save(num_calls)
    collectgarbage()
    return loss, grad:view(grad:nElement())
  end
  if params.optimizer == 'lbfgs' then
    local x, losses = optim.lbfgs(feval, img, optim_state)
    assert(x:isSameSizeAs(img) and #losses > 1)
  else
    for _ = 1, params.num_iterations do optim.adam(feval, img, optim_state) end
  end
  assert(last < 0.5 * first, ('the loss falls: %g became %g'):format(first, last))
  assert(#saved >= 2)
  local picture = image.load(saved[#saved], 3, 'byte')
  assert(picture:size(2) == img:size(2) and picture:size(3) == img:size(3) and picture:max() > picture:min())
  return last
end

main(cmd:parse {})
main(cmd:parse {
  '-optimizer', 'adam', '-learning_rate', '2', '-pooling', 'avg', '-init', 'image', '-style_weight', '1e3', '-content_weight', '0',
})
os.execute('rm -r ' .. folder)
print('ok')
