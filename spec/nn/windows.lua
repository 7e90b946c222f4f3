-- Modules with windows over pictures, volumes and time, as declared.lua has the others; windows_figures.py computes what should come out.
return {
  { 'SpatialBatchNormalization(2)', { 3, 2, 2, 3 } }, { 'SpatialBatchNormalization(2, 1e-2, nil, false)', { 3, 2, 2, 3 } },
  { 'VolumetricBatchNormalization(2)', { 3, 2, 2, 1, 3 } },
}
