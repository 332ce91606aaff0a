"""Somebody whose requests are written down, to see what a test has asked."""

import httpx

from tests.e2e.company import Company, Someone


class Watched(Someone):
    def __init__(self, company: Company, name: str) -> None:
        email = f"{name}@acme.example"
        super().__init__(company.platform.url, company.token(email), email)
        self.asked: list[httpx.Request] = []
        self._client.event_hooks = {"request": [self.asked.append]}
