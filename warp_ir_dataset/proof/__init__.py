"""Tests a kernel by execution: inputs, runs of all its texts, comparisons, gradients, thread orders."""
