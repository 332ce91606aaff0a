"""What the services need from the outside world, one Protocol a file."""
