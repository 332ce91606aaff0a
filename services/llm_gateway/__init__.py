"""Generation behind one port: today the built-in extractive composer, which needs no model.

`extractive` answers with whole sentences of the passages, each quoted exactly, or says that it found nothing. Its
modules are pure: `question` reads what is asked for, `units` cuts passages into sentences, `scoring` weighs them,
`selection` chooses, `evidence` decides whether that is enough, and `compose` joins these. `generator` puts it behind
the port.
"""
