"""Questions drafted from what a platform holds, for a person to confirm before they count.

`pages` reads as that person, `wording` makes questions of sentences, `engine` has a language model word them,
`near_miss` makes some of them unanswerable, `drafts` checks and keeps them, `confirming` walks a person through.
"""
