"""Attacks on the permissions of a running platform, with an oracle that knows who could open what in the source."""
