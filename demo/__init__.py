"""The demo company: its people, its documents, and the questions that are asked of them."""
