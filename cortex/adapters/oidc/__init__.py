"""OpenID Connect: discovery, keys, tokens and the code exchange, of the one issuer that an administrator configured.

`fetch` is the only module that talks to the network, `tokens` is pure.
"""
