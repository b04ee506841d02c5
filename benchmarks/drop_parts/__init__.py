"""Parts of the benchmarks that take passages away: attributions by every method, one line a trace."""
