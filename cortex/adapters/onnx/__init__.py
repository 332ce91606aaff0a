"""The local encoder: a BERT graph in int8 on onnxruntime, built from published weights, and its tokenizer."""
