"""A pool's child that does what a file's name says: what broken libraries and hostile files make of a parser."""

import os
import signal
import sys
from pathlib import Path

from cortex.domain.document import Block, BlockKind, ParsedDocument
from services.parse.child import main
from services.parse.settings import ParseLimits


def parse(data: bytes, *, name: str, mime: str | None, limits: ParseLimits) -> ParsedDocument:
    match name:
        case "hangs":
            signal.pause()
        case "burns":
            while True:
                pass
        case "grows":
            bytearray(8 * 1024**3)
        case "recurses":
            return parse(data, name=name, mime=mime, limits=limits)
        case "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "leaves":
            os._exit(3)
        case "fails":
            raise ZeroDivisionError("content of the file")
        case "prints":
            print("noise", flush=True)
            sys.stdout.buffer.write(b"\0" * 1000)
        case "waits":
            # Tells that it is at work through one pipe, and goes on when there is a word in the other.
            folder = Path(data.decode())
            (folder / "started").write_text(str(os.getpid()))
            (folder / "go").read_text()
    texts = (str(os.getpid()), data.decode(), " ".join(sorted(os.environ)))
    return ParsedDocument(tuple(Block(number, BlockKind.PARAGRAPH, text) for number, text in enumerate(texts)))


if __name__ == "__main__":
    main(sys.argv[1:], parse)
