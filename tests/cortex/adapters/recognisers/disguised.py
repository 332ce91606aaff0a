"""The same three kinds in every dress that documents give them, and what only looks so. Numbers are of nobody.

`⟦kind|text⟧` marks what must be found, as in `labelled.py`.
"""

from collections.abc import Iterator

MAIL = "ann.lee@acme.example"
IBAN = "DE89370400440532013000"
CARD = "4111111111111111"

_NO_BREAK, _THIN, _NARROW, _FIGURE, _WIDE = "\u00a0", "\u2009", "\u202f", "\u2007", "\u3000"
_ZERO, _JOINER, _MARK, _SOFT = "\u200b", "\u2060", "\ufeff", "\u00ad"

VALUES = {"email": MAIL, "iban": IBAN, "credit_card": CARD}

AROUND = {
    "en": [
        "{}", "{} is where to write or pay.", "Write or pay to {}", "Please use {}.", "Is it {}? Yes!",
        "{}, and no other", '"{}"', "'{}'", "“{}”", "‘{}’", "`{}`", "*{}*", "**{}**", "_{}_", "~~{}~~", "<{}>",
        "({})", "[{}]", "{{{}}}", "<b>{}</b>", "<td>{}</td><td>x</td>", '<a href="{}">here</a>', "[here]({})",
        "| {} | paid |", "a;{};b", "a\t{}\tb", "to={}", "to={}&then=1", "?a=1&b={}", "to:{}", "to: {}",
        "this/{}", "{}/that", "x|{}|y", "(to:{})", "#{}", "…{}…", "first line\n{}\nlast line", "\r\n{}\r\n",
        "- {}\n- more", "> {}", "to—{}—at once", "a,{},b", "!{}!", "\\{}\\", "\u200b{}\u200b", "{}²",
        "{}\u00a0was used", "\ufeff{}", "to: «{}»", "$({})",
    ],
    "de": [
        "„{}“", "‚{}‘", "»{}«", "Bitte an {} senden.", "Angaben ({}) prüfen", "Über {} läuft es", "Daten: {};",
        "Konto/{}", "Für {}: bitte prüfen", "Größe={}", "– {} –",
    ],
    "zh": [
        "请用{}。", "资料：{}，谢谢", "“{}”", "「{}」", "《{}》", "（{}）", "【{}】",
        "资料＝{}；", "使用{}即可", "资料、{}、其他", "\u3000{}\u3000",
    ],
}  # fmt: skip

SPELLED = {
    "en": [
        "Write to ⟦email|ann.lee＠acme.example⟧ or ⟦email|ann﹫acme．example⟧.",
        "mailto:⟦email|ann@acme.example⟧?subject=x and mailto://⟦email|bob@acme.example⟧",
        "<a href='mailto:⟦email|ann@acme.example⟧'>⟦email|ann@acme.example⟧</a>",
        "[⟦email|ann@acme.example⟧](mailto:⟦email|ann@acme.example⟧)",
        "Ann Lee <⟦email|ann@acme.example⟧>, Bob <⟦email|bob@acme.example⟧>",
        "⟦email|ann@acme.example⟧,⟦email|bob@acme.example⟧;⟦email|cy@acme.example⟧/⟦email|di@acme.example⟧",
        "⟦email|ann@acme.example⟧:hello and ⟦email|ann@acme.example⟧: hello",
        "⟦email|o'brien@acme.example⟧ and ⟦email|first.last+tag@sub.acme.example⟧ and .⟦email|ann@acme.example⟧",
        f"⟦email|ann{_ZERO}@acme.{_ZERO}example⟧ and ⟦email|an{_SOFT}n@ac{_JOINER}me.ex{_MARK}ample⟧",
        "https://shop.example/login?mail=⟦email|ann%40acme.example⟧&x=1",
        "https://shop.example?mail=⟦email|ann@acme.example⟧",
        "ⓘ ⟦email|ﬁnance@acme.example⟧ (from a PDF), ⟦email|𝗮𝗻𝗻@acme.example⟧ (in bold)",
        "⟦email|ann@xn--mller-kva.example⟧ and ⟦email|ann@example.xn--p1ai⟧ and ⟦email|ANN@ACME.EXAMPLE⟧",
        "⟦iban|GB29 NWBK 6016 1331 9268 19⟧ and ⟦iban|gb29nwbk60161331926819⟧ and ⟦iban|gb29-NWBK-6016-1331-9268-19⟧",
        f"⟦iban|NL91{_NO_BREAK}ABNA{_NO_BREAK}0417{_NO_BREAK}1643{_NO_BREAK}00⟧ or so",
        f"⟦iban|NL91{_THIN}ABNA{_THIN}0417{_THIN}1643{_THIN}00⟧ EUR",
        "AT is ⟦iban|AT61 1904 3002 3457 3201⟧ then what, and ⟦iban|AT61 1904 3002 3457 3201⟧ EUR",
        "⟦iban|DE89370400440532013000⟧ ⟦iban|GB29NWBK60161331926819⟧ ⟦iban|NL91ABNA0417164300⟧",
        "GB00 NWBK ⟦iban|GB29 NWBK 6016 1331 9268 19⟧ after what is none",
        "⟦credit_card|4111 1111 1111 1111⟧ 123 and ⟦credit_card|4111-1111-1111-1111⟧ 12/27",
        f"⟦credit_card|4111{_NO_BREAK}1111{_NARROW}1111{_FIGURE}1111⟧",
        f"⟦credit_card|4111{_THIN}1111{_THIN}1111{_THIN}1111⟧ too",
        "⟦credit_card|4111‑1111‑1111‑1111⟧ and ⟦credit_card|4111–1111–1111–1111⟧ and ⟦credit_card|4111−1111−1111−1111⟧",
        f"⟦credit_card|4111{_ZERO}1111{_ZERO}1111{_ZERO}1111⟧ and ⟦credit_card|4{_MARK}111111111111111⟧",
        "⟦credit_card|3782 822463 10005⟧, ⟦credit_card|5555555555554444⟧; 4242 ⟦credit_card|4111 1111 1111 1111⟧",
        f"account{_ZERO}⟦iban|{IBAN}⟧{_ZERO}and{_ZERO}⟦credit_card|{CARD}⟧{_ZERO}was used",
        "id,card,code\n17,⟦credit_card|4111111111111111⟧,123\n",
    ],
    "de": [
        "IBAN:⟦iban|DE89 3704 0044 0532 0130 00⟧, IBAN=⟦iban|de89 3704 0044 0532 0130 00⟧",
        f"IBAN{_NO_BREAK}⟦iban|DE89{_NARROW}3704{_NARROW}0044{_NARROW}0532{_NARROW}0130{_NARROW}00⟧ der Kasse",
        "(⟦iban|DE89–3704–0044–0532–0130–00⟧) und IBAN-⟦iban|DE89370400440532013000⟧",
        "Konto „⟦iban|ＤＥ８９３７０４００４４０５３２０１３０００⟧“",
        "E-Mail:⟦email|jürgen@werk.example⟧, ⟦email|jürgen@werk.example⟧ und ⟦email|info@müller.example⟧",
        "Karte Nr.⟦credit_card|5555 5555 5555 4444⟧ gültig bis 12/27",
    ],
    "zh": [
        "邮箱⟦email|ｚｈａｎｇ＠ｈｅｎｇｄａ．ｅｘａｍｐｌｅ⟧，或⟦email|10086@163.com⟧。",
        f"账户：⟦iban|DE89{_WIDE}3704{_WIDE}0044{_WIDE}0532{_WIDE}0130{_WIDE}00⟧。",
        "卡号⟦credit_card|４１１１１１１１１１１１１１１１⟧和⟦credit_card|４１１１　１１１１　１１１１　１１１１⟧。",
        "银联卡⟦credit_card|6200000000000000000⟧，另一张⟦credit_card|6200 0000 0000 0000 000⟧。",
        "邮箱⟦email|zhang@hengda.example⟧；卡⟦credit_card|4111 1111 1111 1111⟧，谢谢",
    ],
}

NOT = {
    "en": [
        "Release 4.11.1111.1111.1111, 1.2.3-rc.4, v2.0.0+4111111111111111.5 and 2026.11.30",
        "550e8400-e29b-41d4-a716-446655440000, 41111111-1111-4111-1111-111111111111, 4111-1111-1111-1111-1111-1111",
        "Order 4500012345678901, invoice 1234567890123456, ORD-4111111111111111, SKU-4111-1111-1111-1111-B",
        "commit 4111111111111111a111111111111111111111aa, md5 d41d8cd98f00b204e9800998ecf8427e, 0x4111111111111111",
        "pi = 3.4111111111111111, 0.4111111111111111, 0,4111111111111111 and 4111111111111111.25",
        "4111 1111 1111 1112, 5555-5555-5555-4445, 0000 0000 0000 0000, 3782 822463 10006, 41111111111111111",
        "DE89 3704 0044 0532 0130 01, GB29 NWBK 6016 1331 9268 18, XX89370400440532013000, DE8937040044053201300",
        "At 20 degrees the board has me 10 times in doubt, be12 that will then pass from here, NO93 abcd efgh ijk",
        "npm i lodash@4.17.21 react@next @scope/pkg@1.0.0-rc.beta, icon@2x.png, systemctl start getty@tty1.service",
        "git clone ssh://git@git.acme.example/team, git@git.acme.example:team/tools, root@db-01.acme.example:5432",
        "docker pull acme/app@sha256:e3b0c44298fc1c14, HEAD@{1}, @ann, @app.route, user@localhost, a @ b.example",
    ],
    "de": [
        "Auftrag 4500098765432109, Lieferschein 2026/11/0042, Teil MX-1099-B, Charge SZ-7/114, Höhe 4.111,11 mm",
        "IBAN DE00 0000 0000 0000 0000 00, BIC COBADEFFXXX, USt-IdNr. DE123456789, Maße 411 x 111 x 111 x 1111",
    ],
    "zh": [
        "编号２０２６１１１９００１２３，料号 MX-1099-B，订单4500012345678901。",
        "版本４．１１．１１，比例４１１１：１１１１。",
        "卡号4111 1111 1111 1112不对，账户DE89370400440532013001不对，小数0.4111111111111111，＠张伟",
    ],
}


def positives() -> Iterator[tuple[str, str]]:
    """Language and marked text."""
    for language, templates in AROUND.items():
        for kind, value in VALUES.items():
            yield from ((language, template.format(f"⟦{kind}|{value}⟧")) for template in templates)
    for language, marked in SPELLED.items():
        yield from ((language, text) for text in marked)


def negatives() -> Iterator[tuple[str, str]]:
    for language, texts in NOT.items():
        yield from ((language, text) for text in texts)
