"""Shows a run; computes no statistic."""
