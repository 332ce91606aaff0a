"""What code here never does."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from tests.house.source_tree import Module, dotted, modules, product

UNSTRUCTURED = ("asyncio.create_task", "asyncio.ensure_future", "loop.create_task", "asyncio.get_event_loop")
READS_OF_ENVIRONMENT = ("os.environ", "os.getenv", "os.environb", "os.putenv")
PATCHING = tuple(f"{fixture}.{call}" for fixture, call in (("monkeypatch", "setattr"), ("mocker", "patch")))
BLOCKING = ("time.sleep", "subprocess.run", "subprocess.check_output", "subprocess.check_call", "os.system", "input")


def _tests() -> tuple[Module, ...]:
    return tuple(module for module in modules() if module.is_under("tests"))


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (found for found in ast.walk(node) if isinstance(found, ast.Call))


def _is_main(module: Module) -> bool:
    """A process starts here: a command, a `__main__`, or a script."""
    return module.is_under("cortex/cli") or module.path.name == "__main__.py" or '__name__ == "__main__"' in module.text


def test_the_environment_is_read_in_main_and_nowhere_else() -> None:
    assert [
        module.at(node)
        for module in modules()
        if not module.is_under("tests") and not _is_main(module)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and dotted(node) in READS_OF_ENVIRONMENT
    ] == []


def test_every_task_belongs_to_a_group() -> None:
    assert [
        module.at(call) for module in product() for call in _calls(module.tree) if dotted(call.func) in UNSTRUCTURED
    ] == []


def test_nothing_blocks_a_coroutine() -> None:
    assert [
        module.at(call)
        for module in product()
        for coroutine in ast.walk(module.tree)
        if isinstance(coroutine, ast.AsyncFunctionDef)
        for call in _calls(coroutine)
        if dotted(call.func) in BLOCKING
    ] == []


def test_no_module_keeps_state_that_functions_rebind() -> None:
    assert [
        module.at(node) for module in modules() for node in ast.walk(module.tree) if isinstance(node, ast.Global)
    ] == []


def test_tests_replace_nothing_inside_modules() -> None:
    """What a test must replace comes through a constructor."""
    patches = [
        module.at(node)
        for module in _tests()
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Call) and dotted(node.func) in PATCHING)
        or (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("unittest.mock"))
        or (
            isinstance(node, ast.ImportFrom | ast.Import)
            and any(name.name in ("mock", "unittest.mock") for name in node.names)
        )
    ]
    assert patches == []


def test_tests_wait_for_what_they_need_and_never_for_time() -> None:
    """`asyncio.sleep(0)` gives way to others and is no wait."""

    def waits(call: ast.Call) -> bool:
        gives_way = [ast.unparse(argument) for argument in call.args] == ["0"]
        return dotted(call.func) in ("time.sleep", "asyncio.sleep", "sleep") and not gives_way

    assert [module.at(call) for module in _tests() for call in _calls(module.tree) if waits(call)] == []


def test_every_folder_of_python_is_a_package() -> None:
    present = {module.path for module in modules()}
    folders = {module.path.parent for module in modules()} - {PurePosixPath("proto")}
    assert sorted(str(folder) for folder in folders if folder / "__init__.py" not in present) == []


def test_parameters_of_tests_are_the_same_in_every_process() -> None:
    """Workers that collect different tests run none of them."""
    assert [
        module.at(call)
        for module in _tests()
        for mark in _calls(module.tree)
        if dotted(mark.func) == "pytest.mark.parametrize"
        for call in _calls(mark)
        if dotted(call.func).startswith(("uuid.uuid", "random.", "secrets.", "time.", "datetime.now"))
    ] == []
