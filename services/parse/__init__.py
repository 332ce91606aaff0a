"""Parse: a file's bytes become numbered blocks of text.

`sniff` decides what the bytes are and refuses lies; `formats/` has one pure module a format; `dispatch` joins the two.
Files come from strangers, so none of it runs in this process: `pool` keeps child processes (`child`) that are limited
in time, processor and memory, and replaces one that hangs, dies or exceeds. `wire` is what passes between the two.

Text is stored cleaned (`text.clean`): offsets of every later stage count code points of what this service hands out.
"""
