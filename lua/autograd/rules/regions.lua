-- Derivatives of regions of images, by the images: boxes are constants, as in torchvision.
local torch = require 'torch'
local rules, onDeviceOf = require 'autograd.rules', require 'autograd.on_device_of'

rules.nmsMask = rules.none 'whether a box survives is a choice'

rules.roiAlign = { 'roiAlign_grad(g, size(x), boxes, index, scale, samples, aligned)' }
rules.roiAlign_grad = { rules.saving('size(g), boxes, index, scale, samples, aligned', function(h, size, boxes, index, ...)
  return torch.roiAlign(h, boxes, index, size[3], size[4], ...)
end) }

rules.roiMax = { rules.saving('size(x), index, result[2]', function(g, size, index, places)
  if not g[1] then return nil end
  local planes, area = size[1] * size[2], size[3] * size[4]
  local found = torch.cmul(g[1], torch.gt(places, 0):typeAs(g[1]))
  local count = found:nElement()
  if count == 0 or area == 0 then return torch.mul(torch.expand(torch.sum(found), planes * area), 0):view(size) end
  local channels = onDeviceOf(torch.range(0, size[2] - 1):type(torch.type(index)), index):view(1, -1, 1, 1)
  local plane = torch.add(torch.mul(torch.csub(index, 1), size[2]):view(-1, 1, 1, 1), channels)
  local flat = torch.add(torch.mul(plane, area), torch.cmax(places, 1))
  return torch.reshape(torch.gather_grad(torch.reshape(found, count), { planes * area }, 1, torch.reshape(flat, count)), size)
end) }
