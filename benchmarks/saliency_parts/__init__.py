"""Parts of the benchmark of saliency."""
