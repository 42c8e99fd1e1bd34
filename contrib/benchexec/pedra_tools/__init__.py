"""Tool-info modules of Pedra for BenchExec: `pedra_tools.hwmcc` and `pedra_tools.svcomp`."""
