"""A small labelled set in three languages: `⟦kind|text⟧` marks what must be found. Numbers are examples of nobody."""

import re

from cortex.domain.privacy import Kind

MARKED = {
    "en": """
Write to ⟦email|ann.lee@northwind.example⟧ or ⟦email|help+desk@support.northwind.example⟧,
or call ⟦phone|+1 416 555 0142⟧.
The reception in Berlin is ⟦phone|+49 30 901820⟧; ours is ⟦phone|+44 (20) 7946 0958⟧.
Pay into ⟦iban|GB29 NWBK 6016 1331 9268 19⟧ or ⟦iban|NL91ABNA0417164300⟧.
The test card is ⟦credit_card|4111 1111 1111 1111⟧, the other ⟦credit_card|378282246310005⟧.
export AWS_ACCESS_KEY_ID=⟦api_key|AKIAIOSFODNN7EXAMPLE⟧
aws_secret_access_key = ⟦api_key|wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧
git remote add ci https://bot:⟦api_key|s3cr3tPush99⟧@git.northwind.example/tools
GITHUB_TOKEN: ⟦api_key|ghp_16C7e42F292c6912E7710c838347Ae178B4a⟧
The webhook is ⟦api_key|https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX⟧ and the bot's
⟦api_key|xoxb-123456789012-abcdefGHIJKL⟧; payments use ⟦api_key|sk_live_4eC39HqLyjWDarjtT1zdp7dc⟧.
Bearer ⟦jwt|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXNpZ25hdHVyZQ⟧
⟦private_key|-----BEGIN RSA PRIVATE KEY-----
MIIEowIBAAKCAQEAtestonlytestonlytestonlytestonly
-----END RSA PRIVATE KEY-----⟧
""",
    "de": """
Fragen an ⟦email|jürgen-team@werk.example⟧? Nein: an ⟦email|einkauf@werk.example⟧, Telefon ⟦phone|+49 171 5550123⟧.
Bitte überweisen auf ⟦iban|DE89 3704 0044 0532 0130 00⟧ oder ⟦iban|AT611904300234573201⟧.
Passwort: ⟦api_key|Zug-um-3Uhr-fährt⟧
Kreditkarte ⟦credit_card|5555-5555-5555-4444⟧.
Der Zugang zur Datenbank: postgresql://dienst:⟦api_key|winter2026⟧@db-01.werk.example/lager
""",
    "zh": """
联系人邮箱⟦email|zhang.wei@hengda.example⟧，手机⟦phone|13812345678⟧或⟦phone|139 1234 5678⟧。
身份证号码⟦resident_id|11010519491231002X⟧，国际电话⟦phone|+86 755 5550 1234⟧。
信用卡号：⟦credit_card|6222021234567890⟧，密码：⟦api_key|Tr0ub4dor&3xyz!9⟧
""",
}
"""By language. Some of it is hard on purpose, and not found: see the figures that the test prints."""

CLEAN = """
Part MX-1099-B replaces MX-1099-A; batches 2026-11-0042 and SZ-7/114. Error E_CONN_42 on db-01.plant.example:5432.
Version 2.3.1 (build 20261129.4), commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432, sha256 of the file:
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855. Order 4500012345678901, invoice 1234567890123.
Opening hours 08:00-17:30, room 3.114, 12 x 400 g, 1,234,567.89 EUR, 192.168.1.14, 2001:db8::1, UTC+08:00, +15 %.
Clone git@git.northwind.example:team/tools or http://localhost:8080/path. The token: it expires after eight hours.
password: at least twelve characters. secret = "<your-secret-here>" api_key: ${API_KEY} token=null
BEGIN PRIVATE KEY is how such a file starts: -----BEGIN PRIVATE KEY----- is its first line.
编号 2026111900123，料号 MX-1099-B，班次 3，温度 +180 度，时间 2026年11月29日。Tel. 030 901820.
110105194912310021 is no such number, 4111 1111 1111 1112 no card, GB00 NWBK 6016 1331 9268 19 no account.
"""
"""Nothing of this is personal or secret, and some of it looks so."""

_MARK = re.compile(r"⟦(\w+)\|(.*?)⟧", re.DOTALL)


def plain(marked: str) -> tuple[str, set[tuple[int, int, Kind]]]:
    """The text without its marks, and where they were."""
    text, labels, at = "", set(), 0
    for match in _MARK.finditer(marked):
        text += marked[at : match.start()]
        labels.add((len(text), len(text) + len(match[2]), Kind(match[1])))
        text += match[2]
        at = match.end()
    return text + marked[at:], labels
