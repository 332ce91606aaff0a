"""Generation between processes: GenerationService over gRPC, both ends of it."""
