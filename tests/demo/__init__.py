"""The demo company is believable, consistent and safe to publish."""
