"""The whole platform on real servers, seen from outside: through its routes and its commands."""
