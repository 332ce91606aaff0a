"""The documents of the demo company read well, open with their libraries and name nobody real."""

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime
from email.utils import getaddresses

import lxml.html

from tests.demo.corpus import chat_lines, front_matter, language_of, mail, word_count, words_of
from tests.demo.oracle import Oracle

FIRST_DAY = date(2024, 1, 1)
LAST_DAY = date(2026, 11, 29)
DISTRIBUTION_LISTS = {"everyone", "hamburg", "sales", "finance"}
SHINGLE_WORDS = 5
OVERLAP_MAX = 0.15

ADDRESS = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)*)")
HOST = re.compile(r"https?://([^/\s\"')>]+)")
DIALLED = re.compile(r"\+\d[\d ()./-]{6,}\d|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-\d{3}-\d{4}\b")
FICTIONAL_NUMBER = re.compile(r"555[ -]?01\d\d$")
# Case matters: `slack` in a rope and an `oracle` are words.
REAL_NAMES = re.compile(
    r"\b(Google|Amazon|AWS|Microsoft|Azure|Apple|Slack|GitHub|GitLab|Atlassian|Jira|Confluence|Notion|Salesforce|Oracle|SAP|"
    r"IBM|Intel|Nvidia|Samsung|Huawei|Tencent|WeChat|Alibaba|DHL|FedEx|UPS|Maersk|Hapag|Lufthansa|Siemens|Bosch|Testo|"
    r"Sensitech|Emerson|Vaisala|Pfizer|Moderna|BioNTech|Bayer|Merck|Roche|Novartis|Zoom|Dropbox|OpenAI|Anthropic|"
    r"Cloudflare|Datadog|PagerDuty|Twilio|Stripe|PayPal|Deutsche|Telekom|Vodafone|Bluetooth|LoRa|Foxconn|Panasonic|"
    r"Saft|Tadiran|Nestlé|Unilever|Walmart|Shopify|Teams|Outlook|Excel|Word|Facebook|Meta|Tesla)\b"
)


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.lower() for word in words_of(text)]
    return frozenset(tuple(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1))


def of_kind(oracle: Oracle, suffix: str) -> list[str]:
    return [path for path in oracle.documents if path.endswith(suffix)]


def test_there_are_enough_of_every_kind(oracle: Oracle) -> None:
    kinds = Counter(path.rpartition(".")[2] for path in oracle.documents)
    assert len(oracle.documents) >= 160
    assert kinds["docx"] >= 3
    assert kinds["pdf"] >= 3
    assert kinds["csv"] >= 3
    assert kinds["html"] >= 3
    assert min(kinds["md"], kinds["txt"], kinds["eml"]) >= 20


def test_shenzhen_writes_chinese_and_hamburg_german(texts: Mapping[str, str]) -> None:
    languages = Counter(language_of(text) for text in texts.values())
    assert languages["zh"] >= 6
    assert languages["de"] >= 6


def test_each_document_is_a_page_long(texts: Mapping[str, str]) -> None:
    wrong = {path: count for path, text in texts.items() if not 80 <= (count := word_count(text)) <= 600}
    assert wrong == {}


def test_no_document_repeats_another(texts: Mapping[str, str]) -> None:
    cut = {path: shingles(text) for path, text in texts.items()}
    alike = [
        (one, other)
        for one, other in itertools.combinations(cut, 2)
        if cut[one] and len(cut[one] & cut[other]) > OVERLAP_MAX * min(len(cut[one]), len(cut[other]))
    ]
    assert alike == []


def test_markdown_names_a_known_author_and_dates_in_order(oracle: Oracle) -> None:
    for path in of_kind(oracle, ".md"):
        front = front_matter(oracle.documents[path])
        assert front.author in oracle.people, path
        assert FIRST_DAY <= front.created <= front.updated <= LAST_DAY, path
        assert f"\n# {front.title}\n" in oracle.documents[path].read_text(encoding="utf-8"), path


def test_html_names_a_known_author_and_dates_in_order(oracle: Oracle) -> None:
    for path in of_kind(oracle, ".html"):
        page = lxml.html.document_fromstring(oracle.documents[path].read_text(encoding="utf-8"))
        meta = {tag.get("name"): tag.get("content") for tag in page.iter("meta")}
        created, updated = date.fromisoformat(str(meta["created"])), date.fromisoformat(str(meta["updated"]))
        assert meta["author"] in oracle.people, path
        assert FIRST_DAY <= created <= updated <= LAST_DAY, path


def test_chat_goes_forward_and_only_people_who_see_the_channel_speak(oracle: Oracle) -> None:
    by_name = {person.name: person.email for person in oracle.people.values()}
    for path in of_kind(oracle, ".txt"):
        lines = list(chat_lines(oracle.documents[path]))
        times = [line.at for line in lines]
        assert times == sorted(times), path
        assert FIRST_DAY <= times[0].date() <= times[-1].date() <= LAST_DAY, path
        for speaker in {line.speaker for line in lines}:
            assert oracle.visible(by_name[speaker], path), f"{speaker} speaks in {path}"


def test_mail_has_proper_headers_and_its_people_may_read_it(oracle: Oracle) -> None:
    for path in of_kind(oracle, ".eml"):
        message = mail(oracle.documents[path])
        assert not message.defects, path
        assert {"From", "To", "Subject", "Date", "Message-ID", "MIME-Version"} <= set(message.keys()), path
        correspondents = {address for _, address in getaddresses([message["From"], message["To"]])}
        lists = {address for address in correspondents if address.partition("@")[0] in DISTRIBUTION_LISTS}
        for email in correspondents - lists:
            assert oracle.visible(email, path), f"{email} wrote or received {path}"


def test_a_reply_comes_after_what_it_answers(oracle: Oracle) -> None:
    messages = [mail(oracle.documents[path]) for path in of_kind(oracle, ".eml")]
    sent: dict[str, datetime] = {str(message["Message-ID"]): message["Date"].datetime for message in messages}
    assert len(sent) == len(messages)
    assert all(FIRST_DAY <= at.astimezone(UTC).date() <= LAST_DAY for at in sent.values())
    replies = [message for message in messages if message["In-Reply-To"]]
    assert replies
    for reply in replies:
        assert sent[str(reply["In-Reply-To"])] < sent[str(reply["Message-ID"])]


def test_addresses_and_hosts_are_reserved_for_examples(oracle: Oracle, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        whole = oracle.documents[path].read_bytes().decode("utf-8", "replace") if path.endswith(".eml") else text
        for domain in ADDRESS.findall(whole) + HOST.findall(whole):
            assert domain.rstrip(".").endswith(".example"), f"{domain} in {path}"


def test_telephone_numbers_are_fictional(texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        for number in DIALLED.findall(text):
            assert FICTIONAL_NUMBER.search(number), f"{number} in {path}"


def test_no_real_company_is_named(texts: Mapping[str, str]) -> None:
    assert {path: found for path, text in texts.items() if (found := REAL_NAMES.findall(text))} == {}
