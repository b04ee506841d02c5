"""Parts of the benchmark of Tok-RAG's criterion."""
