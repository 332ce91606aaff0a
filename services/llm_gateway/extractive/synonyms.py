"""Common words that colleagues use for one another, so that a question need not repeat the page's own word."""

from collections.abc import Mapping

from cortex.domain.words import stem

SYNONYM = 0.8
"""What a word counts for that only means about the same."""

_GROUPS = """
start begin launch founded establish
stop end cancel abandon discontinue
buy purchase order acquire
sell offer
cost price fee charge rate
pay reimburse
salary pay wage compensation
employ hire staff headcount
holiday vacation leave
fix repair solve resolve mend solution
fail break crash outage
error fault failure defect
allow permit may
forbid prohibit ban
need require must
change move switch replace
increase raise grow
decrease reduce lower cut
approve sign accept
reject refuse decline
own responsible owner maintain
lead head manage manager
meet meeting call
customer client
supplier vendor
phone telephone
boss manager lead
delete remove erase discard throw purge destroy
keep store retain retention
send ship deliver
finish complete done close
""".strip()


def _build() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _GROUPS.splitlines():
        group = frozenset(stem(word, "en") for word in line.split())
        for key in group:
            found[key] = found.get(key, frozenset()) | group - {key}
    return found


SYNONYMS = _build()
