"""What acl.yaml says, and what it hides when it is wrong."""

from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.acl import AclOf, GroupRef, Inherit, Public, UserRef, ViewersRef
from services.connectors.sources.files.acl_yaml import HIDDEN, FolderAcl, read_acl

ANN = UserRef("ann@acme.example")


def read(text: str, *files: str) -> FolderAcl:
    return read_acl(text.encode(), files=files)


def test_the_whole_algebra_can_be_said() -> None:
    acl = read(
        """
        allow: [user:Ann@acme.example, "group:eng", group:wiki/authors, viewers:chat/general]
        deny: [group:contractors]
        all_of: [[group:eng], [group:cleared, user:ann@acme.example]]
        public: link
        complete: true
        inherit: extend
        """
    )
    assert acl.problems == ()
    assert acl.own == AclOf(
        allow=frozenset([ANN, GroupRef(None, "eng"), GroupRef("wiki", "authors"), ViewersRef("chat", "general")]),
        deny=frozenset([GroupRef(None, "contractors")]),
        all_of=frozenset([frozenset([GroupRef(None, "eng")]), frozenset([GroupRef(None, "cleared"), ANN])]),
        public=Public.LINK,
        inherit=Inherit.EXTEND,
    )


def test_files_alone_leave_the_folder_with_nothing_of_its_own() -> None:
    acl = read("files: {a.md: {allow: [user:ann@acme.example], inherit: none}}", "a.md", "b.md")
    assert acl.own is None
    assert acl.of_file("a.md") == AclOf(allow=frozenset([ANN]), inherit=Inherit.NONE)
    assert acl.of_file("b.md") is None


def test_an_empty_mapping_says_nothing_and_an_empty_file_hides() -> None:
    assert read("{}") == FolderAcl()
    assert read("").own is HIDDEN
    assert read("# allow: [group:eng]\n").own is HIDDEN


def problem(text: str, *files: str) -> tuple[int, str]:
    [found] = read(text, *files).problems
    return found.line, found.message


def test_mistakes_of_the_folder_hide_it_and_name_their_line() -> None:
    for text, line, words in [
        ("public: tenant\nalow: [group:eng]\n", 2, "unknown key 'alow'"),
        ("allow:\n  - group:eng\n  - ann@acme.example\n", 3, "use user:EMAIL"),
        ("allow: group:eng\n", 1, "expected a list"),
        ("allow:\n", 1, "expected a list"),
        ("public: everyone\n", 1, "not one of none, link, tenant"),
        ("complete: no\n", 1, "expected true or false"),
        ("deny: [viewers:chat/x]\n", 1, "viewers: may stand in allow only"),
        ("allow: [group:eng]\nallow: [group:all]\n", 2, "given twice"),
        ("allow: [group:eng\npublic: none\n", 2, "not valid YAML"),
        ("- allow\n", 1, "expected keys and values"),
        ("files: [a.md]\n", 1, "expected file names"),
        ("allow: [!!python/object/apply:os.system [id]]\n", 1, "expected a list"),
    ]:
        assert read(text).own is HIDDEN, text
        found = problem(text)
        assert found[0] == line, (text, found)
        assert words in found[1] or text.startswith("allow: [!!"), (text, found)


def test_a_mistake_in_a_files_entry_hides_that_file_alone() -> None:
    text = "public: tenant\nfiles:\n  a.md:\n    allow: [bob]\n  b.md: {public: none}\n"
    acl = read(text, "a.md", "b.md", "c.md")
    assert acl.own == AclOf(public=Public.TENANT)
    assert (acl.of_file("a.md"), acl.of_file("b.md"), acl.of_file("c.md")) == (HIDDEN, AclOf(), None)
    assert problem(text, "a.md", "b.md") == (4, acl.problems[0].message)
    assert "'a.md'" in acl.problems[0].message


def test_an_entry_for_an_unknown_file_hides_the_files_without_an_entry() -> None:
    acl = read("public: tenant\nfiles:\n  salery.csv: {allow: [group:hr]}\n  b.md: {}\n", "salary.csv", "b.md")
    assert acl.own == AclOf(public=Public.TENANT)
    assert (acl.of_file("salary.csv"), acl.of_file("b.md")) == (HIDDEN, AclOf())
    assert acl.problems[0].line == 3
    assert "salery.csv" in acl.problems[0].message


def test_what_could_grow_or_recurse_is_refused() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(9)
    )
    assert "aliases" in problem(bomb)[1]
    assert "nested deeper" in problem("allow: " + "[" * 2000)[1]
    assert "at most" in problem("# " + "x" * 70_000)[1]
    assert read_acl(b"allow: [\xff\xfe]", files=[]).own is HIDDEN
    assert read_acl(b"allow: [\x00]", files=[]).own is HIDDEN


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    read_acl(data, files=["a.md"])


_TEXT = st.text(alphabet="alow:deny[]{}files -\n'\"&*!|>?%@#,.1é", max_size=80)


@given(_TEXT)
def test_no_text_raises_and_doubt_never_gives_more(text: str) -> None:
    acl = read(text, "a.md")
    assert not acl.problems or HIDDEN in (acl.own, acl.rest, *acl.files.values())
