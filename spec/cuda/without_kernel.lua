--- Ops that have no kernel for GPUs, and why: docs/gpu.md says it, too.
return {}
