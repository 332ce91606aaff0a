"""Chunk: a revision's blocks become passages that are embedded, found and quoted.

`chunker` decides, purely: by heading and paragraph, within the embedder's window, every passage an exact join of spans
of stored text. `cut` divides the rare block that alone is too long.
"""
