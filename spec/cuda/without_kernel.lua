--- Ops that have no kernel for GPUs, with the reasons, which docs/gpu.md also has.
return {}
