"""Somebody else's identity provider, as a process of its own, and a browser for it."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urljoin

import httpx

from tests.e2e.waiting import eventually

TENANT = "acme-by-oidc"


@contextmanager
def identity_provider(port: int) -> Iterator[Mapping[str, str]]:
    """The CORTEX_* environment of a platform whose people sign in there. It signs anyone in as whoever they say."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CORTEX_")}
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "oidc_provider_mock",
        "--port",
        str(port),
        "--require-nonce",
        "true",
    ]
    address = f"http://127.0.0.1:{port}"
    with (
        tempfile.NamedTemporaryFile("w", prefix="cortex-secret-") as secret,
        subprocess.Popen(
            command,
            env=environment | {"AUTHLIB_INSECURE_TRANSPORT": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        secret.write("of the tests")
        secret.flush()
        try:
            eventually(lambda: _answers(address))
            yield {
                "CORTEX_OIDC_ISSUER": address,
                "CORTEX_OIDC_CLIENT_ID": "cortex",
                "CORTEX_OIDC_CLIENT_SECRET_FILE": secret.name,
                "CORTEX_OIDC_TENANT": TENANT,
            }
        finally:
            process.terminate()


def browser(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=60, trust_env=False)


def sign_in(client: httpx.Client, issuer: str, email: str) -> httpx.Response:
    """The answer of the platform's callback."""
    claims = {"sub": email, "email": email, "email_verified": True}
    with httpx.Client(trust_env=False) as elsewhere:
        elsewhere.put(
            urljoin(issuer, f"/users/{email}"), content=json.dumps(claims), headers={"Content-Type": "application/json"}
        )
        begun = client.get("/auth/sign-in", params={"return_to": "/"})
        assert begun.status_code == 303, begun.text
        agreed = elsewhere.post(begun.headers["location"], data={"sub": email})
    assert agreed.status_code == 302, agreed.text
    return client.get(agreed.headers["location"])


def _answers(address: str) -> None:
    try:
        httpx.get(f"{address}/.well-known/openid-configuration", trust_env=False).raise_for_status()
    except httpx.HTTPError as error:
        raise AssertionError(f"the identity provider does not answer: {error}") from None
