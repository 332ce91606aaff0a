"""BM25 as sparse vectors: language-aware terms (words, stems, unspaced), then weights and indices (encoder)."""
