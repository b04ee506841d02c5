"""Files on disk: atomic writes, Parquet tables, value parts, locks."""
