"""Trees by libxml2, and what its failures mean."""

from lxml import etree

from cortex.domain.errors import Exhausted, Invalid


def read_tree(data: bytes, parser: etree.XMLParser | etree.HTMLParser, *, what: str) -> etree._Element:
    """Raises Invalid or Exhausted, whose message begins with `what`, or MemoryError."""
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        _check(parser, what)
        raise Invalid(f"{what} is not well-formed ({error.msg}); send the file again") from error
    except ValueError as error:
        raise Invalid(f"{what} cannot be read; send the file again") from error
    _check(parser, what)
    if root is None:
        raise Invalid(f"{what} holds nothing that can be read")
    return root


def _check(parser: etree.XMLParser | etree.HTMLParser, what: str) -> None:
    """libxml2 reports these as errors of syntax; a parser that recovers gives a tree without what came after."""
    kinds = {entry.type for entry in parser.error_log}
    if etree.ErrorTypes.ERR_NO_MEMORY in kinds:
        raise MemoryError
    if etree.ErrorTypes.ERR_RESOURCE_LIMIT in kinds:
        raise Exhausted(f"{what} is nested too deep (more than 256 elements in each other), or one text is too long")
