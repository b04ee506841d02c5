"""What labels say about the retriever, and what the answer says about the labels."""
