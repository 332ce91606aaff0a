"""The verbs that sentences are turned round at, each with its forms: enough for plain questions, and no grammar."""

_REGULAR = """
    accept add allow answer approve ask belong block book call change charge check close collect confirm contain cost
    cover decide deliver demand enter expect expire file fill finish follow handle happen include inspect install issue
    join keep last launch lead leave list listen lose maintain manage measure move need open order own pass pay plan
    print produce publish receive release reimburse remain remove renew repair replace report require reset review ship
    sign start stay stop store supply support test train transfer use visit wait want watch weigh work write
"""
_IRREGULAR = """
    begin:began bring:brought build:built buy:bought choose:chose cost:cost draw:drew find:found get:got give:gave
    go:went grow:grew have:had hold:held keep:kept know:knew lead:led leave:left let:let lose:lost make:made meet:met
    pay:paid reach:reached read:read run:ran say:said see:saw sell:sold send:sent speak:spoke spend:spent take:took
    teach:taught tell:told win:won write:wrote
"""
_PAST = dict(pair.split(":") for pair in _IRREGULAR.split())
_THIRD = {"have": "has", "go": "goes"}


def _s(base: str) -> str:
    if base in _THIRD:
        return _THIRD[base]
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(("s", "sh", "ch", "x", "z")) else f"{base}s"


def _ed(base: str) -> str:
    if base in _PAST:
        return _PAST[base]
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ied"
    doubled = {"stop": "stopped", "plan": "planned", "ship": "shipped", "transfer": "transferred"}
    return doubled.get(base, f"{base}ed")


_BASES = sorted({*_REGULAR.split(), *_PAST})
_FORMS = (
    {_ed(base): (base, "did") for base in _BASES}
    | {_s(base): (base, "does") for base in _BASES}
    | {base: (base, "do") for base in _BASES}
)
FORM = "|".join(sorted(_FORMS, key=len, reverse=True))
"""Any of them, as a part of a pattern."""


def form(verb: str) -> tuple[str, str]:
    """What it is without an ending, and the `do`, `does` or `did` that asks with it; an auxiliary asks by itself."""
    return _FORMS.get(verb, (verb, ""))
