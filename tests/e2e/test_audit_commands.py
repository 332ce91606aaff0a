"""The audit as administrators and auditors reach it."""

import itertools
import json

from typer.testing import CliRunner, Result

from cortex.cli import app
from cortex.domain.credential import Role
from tests.e2e.behind import Behind
from tests.e2e.company import Company, whole


def cortex(company: Company, *arguments: str) -> Result:
    at = ["--tenant", company.name, "--data", str(company.platform.data)]
    return CliRunner().invoke(app, ["audit", *arguments, *at])


def test_verify_says_that_all_is_well_or_names_the_first_bad_entry(company: Company, behind: Behind) -> None:
    for number in range(3):
        company.push(f"minutes-{number}", "text")
    well = cortex(company, "verify")
    assert (well.exit_code, "entries hold" in well.stdout) == (0, True)
    behind.change("UPDATE audit SET object = 'else' WHERE tenant_id = %s AND sequence = 3", company.tenant)
    bad = cortex(company, "verify")
    assert (bad.exit_code, "entry 3" in bad.stderr) == (1, True)


def test_an_export_can_be_checked_line_by_line_and_goes_on_where_it_ended(company: Company) -> None:
    for number in range(3):
        company.push(f"minutes-{number}", "text")
    lines = [json.loads(line) for line in cortex(company, "export").stdout.splitlines()]
    assert [line["sequence"] for line in lines] == list(range(1, len(lines) + 1))
    assert [line["action"] for line in lines].count("document.put") == 3
    assert [line["action"] for line in lines][-1] == "audit.export"
    assert all(later["previous_hash"] == earlier["hash"] for earlier, later in itertools.pairwise(lines))
    after = str(len(lines))
    rest = [json.loads(line) for line in cortex(company, "export", "--after", after).stdout.splitlines()]
    assert [line["sequence"] for line in rest] == [len(lines) + 1]


def test_it_is_auditors_and_administrators_to_read(company: Company) -> None:
    company.push("minutes", "text")
    for role, status in ((Role.AUDITOR, 200), (Role.ADMIN, 200), (Role.OWNER, 403), (Role.MEMBER, 403)):
        person = company.person("bob", role=role)
        assert person.get("/admin/v1/audit").status_code == status
        assert person.post("/admin/v1/audit/verify").status_code == status
    assert whole(company.admin.post("/admin/v1/audit/verify"))["broken_at"] is None
