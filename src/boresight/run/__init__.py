"""One audit: spec, plan, execution with resume, and the run directory."""
