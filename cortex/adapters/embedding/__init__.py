"""Embedders behind HTTP: OpenAI's interface (vLLM, SGLang, Ollama, hosted ones) and Text Embeddings Inference.

`shapes` says how each is asked and what it answers, `engine` asks.
"""
