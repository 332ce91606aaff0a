"""What the environment says of signing in; what would let anybody in, or nobody, does not start."""

from pathlib import Path

import pytest

from cortex.domain.credential import Role
from cortex.domain.errors import Invalid
from cortex.domain.sign_in import EmailTrust
from cortex.runtime.identity_settings import IdentitySettings, identity_settings

PROVIDER = {"CORTEX_OIDC_ISSUER": "https://id.acme.example", "CORTEX_OIDC_CLIENT_ID": "cortex"}
PUBLIC = {"CORTEX_AUTH_LOCAL": "false", "CORTEX_BIND": "0.0.0.0", "CORTEX_PUBLIC_URL": "https://cortex.acme.example"}


def test_nothing_set_is_local_sign_in_on_loopback() -> None:
    assert identity_settings({}) == IdentitySettings()


def test_everything_set(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n")
    settings = identity_settings(
        {
            **PUBLIC,
            **PROVIDER,
            "CORTEX_OIDC_CLIENT_SECRET_FILE": str(secret),
            "CORTEX_OIDC_TENANT": "acme",
            "CORTEX_OIDC_AUDIENCE": "api",
            "CORTEX_OIDC_EMAIL_POLICY": "trust-issuer",
            "CORTEX_OIDC_PROVISION": "false",
            "CORTEX_OIDC_ROLE_CLAIM": "groups",
            "CORTEX_OIDC_ROLES": "cortex-admins=admin, a=b=auditor",
            "CORTEX_OIDC_ADMINISTRATORS": "Ann@Acme.Example",
        }
    )
    assert settings.provider is not None
    assert settings.provider.client_secret == "s3cret"
    assert "s3cret" not in repr(settings)
    policy = settings.provider.policy
    assert policy.email_trust is EmailTrust.ISSUER
    assert policy.roles == {"cortex-admins": Role.ADMIN, "a=b": Role.AUDITOR}
    assert (policy.provision, policy.administrators) == (False, frozenset({"ann@acme.example"}))


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"CORTEX_AUTH_LOCAL": "false"}, "CORTEX_OIDC_ISSUER"),
        ({"CORTEX_BIND": "0.0.0.0"}, "CORTEX_AUTH_LOCAL"),
        ({**PROVIDER, "CORTEX_BIND": "0.0.0.0"}, "CORTEX_AUTH_LOCAL"),
        ({**PROVIDER, "CORTEX_AUTH_LOCAL": "false", "CORTEX_BIND": "0.0.0.0"}, "CORTEX_PUBLIC_URL"),
        ({**PROVIDER, **PUBLIC, "CORTEX_PUBLIC_URL": "http://cortex.acme.example"}, "CORTEX_PUBLIC_URL"),
        ({**PROVIDER, **PUBLIC, "CORTEX_PUBLIC_URL": "https://cortex.acme.example/path"}, "CORTEX_PUBLIC_URL"),
        ({"CORTEX_AUTH_LOCAL": "yes"}, "CORTEX_AUTH_LOCAL"),
        ({"CORTEX_OIDC_ISSUER": "https://id.acme.example"}, "CORTEX_OIDC_CLIENT_ID"),
        ({**PROVIDER, "CORTEX_OIDC_ROLES": "a=admin"}, "CORTEX_OIDC_ROLE_CLAIM"),
        ({**PROVIDER, "CORTEX_OIDC_ROLE_CLAIM": "groups"}, "CORTEX_OIDC_ROLES"),
        ({**PROVIDER, "CORTEX_OIDC_ROLE_CLAIM": "groups", "CORTEX_OIDC_ROLES": "a=king"}, "CORTEX_OIDC_ROLES"),
        ({**PROVIDER, "CORTEX_OIDC_EMAIL_POLICY": "any"}, "CORTEX_OIDC_EMAIL_POLICY"),
        ({**PROVIDER, "CORTEX_OIDC_CLIENT_SECRET_FILE": "/nowhere/at/all"}, "CORTEX_OIDC_CLIENT_SECRET_FILE"),
        ({**PROVIDER, "CORTEX_OIDC_LEEWAY_S": "-1"}, "CORTEX_OIDC_LEEWAY_S"),
        ({"CORTEX_SESSION_IDLE_S": "0"}, "CORTEX_SESSION_IDLE_S"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_named(environment: dict[str, str], named: str) -> None:
    with pytest.raises(Invalid, match=named):
        identity_settings(environment)
