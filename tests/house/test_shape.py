"""How large things may be, and what every function and module carries."""

import ast
from collections.abc import Iterator

from tests.house.source_tree import Module, modules, product

FUNCTION_LINES_MAX = 70
FUNCTION_LINES_LONG = 60
LONG_FUNCTIONS_SHARE_MAX = 0.015
FILE_LINES_MAX = 400
BROAD_EXCEPTS_PER_1000_LINES_MAX = 0.5

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(module: Module) -> Iterator[Function]:
    return (node for node in ast.walk(module.tree) if isinstance(node, Function))


def _lines(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _arguments(function: Function) -> Iterator[ast.arg]:
    every = function.args
    yield from (*every.posonlyargs, *every.args, *every.kwonlyargs)
    yield from filter(None, (every.vararg, every.kwarg))


def _is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        kind is None or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"}) for kind in kinds
    )


def test_a_function_fits_on_a_screen() -> None:
    assert [
        f"{module.at(function)} {function.name}: {_lines(function)} lines"
        for module in modules()
        for function in _functions(module)
        if _lines(function) > FUNCTION_LINES_MAX
    ] == []


def test_few_functions_are_long() -> None:
    lengths = [_lines(function) for module in modules() for function in _functions(module)]
    assert sum(length > FUNCTION_LINES_LONG for length in lengths) <= LONG_FUNCTIONS_SHARE_MAX * len(lengths)


def test_a_file_has_one_reason_to_be_opened() -> None:
    long = {str(module.path): module.text.count("\n") for module in modules()}
    assert {path: lines for path, lines in long.items() if lines > FILE_LINES_MAX} == {}


def test_exceptions_are_caught_by_name() -> None:
    broad = [
        module.at(node)
        for module in product()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler) and _is_broad(node)
    ]
    lines = sum(module.text.count("\n") for module in product())
    assert len(broad) <= BROAD_EXCEPTS_PER_1000_LINES_MAX * lines / 1000, broad


def test_every_argument_has_a_type() -> None:
    assert [
        f"{module.at(function)} {function.name}({argument.arg})"
        for module in product()
        for function in _functions(module)
        for argument in _arguments(function)
        if argument.annotation is None and argument.arg not in {"self", "cls"}
    ] == []


def test_every_module_says_what_it_is() -> None:
    """What a module of tests is, its place and the names of its tests say."""
    silent = [module for module in modules() if module.text and ast.get_docstring(module.tree) is None]
    assert [str(module.path) for module in silent if not module.path.name.startswith("test_")] == []


def test_no_untyped_dictionary_crosses_a_module() -> None:
    """One whose values may be anything tells its reader nothing; an adapter may have to take one from its SDK."""
    loose = [module for module in product() if not module.is_under("cortex/adapters")]
    assert [
        module.at(node)
        for module in loose
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Subscript)
        and ast.unparse(node.value).lower().endswith("dict")
        and ast.unparse(node.slice).endswith("Any)")
    ] == []
