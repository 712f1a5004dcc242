from warp_ir.taskset import WarpIRTaskset

__all__ = ["WarpIRTaskset"]
