"""Trees to Warp's Python and back, without executing the source; also the primer for prompts."""
