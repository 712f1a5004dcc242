"""Several templates in one kernel: pipelines of a subject, quantities, and how two kernels are joined."""
