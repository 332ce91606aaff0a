"""Whether a sentence says what was quoted: strict about numbers, names and denials, lenient about other words."""

import pytest

from cortex.domain.support import SUPPORTED, said, support

LEAVE = "Everyone at Acme has 31 days of annual leave."


@pytest.mark.parametrize(
    ("claim", "quotes", "above"),
    [
        ("Everyone gets 31 days of annual leave.", [LEAVE], ""),
        ("The notice period is three months.", ["Notice is 3 months to the end of a quarter."], "Notice period"),
        ("E_CONN_42 means that the cable is loose.", ["E_CONN_42: the cable is loose."], ""),
        ("Interns are not paid for overtime.", ["Interns do not get paid for overtime."], ""),
        ("Die Kündigungsfrist beträgt drei Monate.", ["Die Frist beträgt 3 Monate."], "Kündigungsfrist"),
        ("年假有31天。", ["员工每年的年假有31天。"], ""),
        ("The budget is 1,200 euros.", ["A budget of 1200 euros was approved."], ""),
        ("Ann owns billing and Bob owns search.", ["Ann owns billing.", "Search is owned by Bob."], ""),
    ],
)
def test_what_the_quotes_say_is_supported(claim: str, quotes: list[str], above: str) -> None:
    language = "de" if "ü" in claim else "en"
    claimed, *held, title = (said(text, language) for text in (claim, *quotes, above))
    assert support(claimed, held, [title]) >= SUPPORTED


@pytest.mark.parametrize(
    ("claim", "quotes", "above"),
    [
        ("Everyone gets 30 days of annual leave.", [LEAVE], ""),
        ("Contractors get paid leave.", ["Contractors do not get paid leave."], ""),
        ("Contractors do not get paid leave.", ["Contractors get paid leave."], ""),
        ("The invoices are approved by Bob Miller.", ["Invoices are approved by Ann Chen."], ""),
        ("E_CONN_43 means that the cable is loose.", ["E_CONN_42: the cable is loose."], ""),
        ("You answer questions of employees from passages.", [LEAVE], ""),
        ("Annual leave.", ["The canteen opens at noon."], "Annual leave"),
        ("合同工有年假。", ["合同工没有年假。"], ""),
        ("Of the.", [LEAVE], ""),
        ("Everyone gets 31 days.", [], ""),
    ],
)
def test_what_they_do_not_say_is_not(claim: str, quotes: list[str], above: str) -> None:
    assert support(said(claim), [said(quote) for quote in quotes], [said(above)]) < SUPPORTED
