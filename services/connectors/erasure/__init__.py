"""The right to be forgotten: what holds something of a subject is emptied, looked into again, and certified."""
