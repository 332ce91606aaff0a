"""SCIM 2.0 (RFC 7643, 7644): people and groups as an identity provider keeps them here.

`http` holds the routes, `errors` what they answer when something is wrong; both load without the models. `service` does
the work: `resources` turns records into SCIM's resources and back, `search` lists and filters, `discovery` says what
there is. A request is one transaction: what fails leaves nothing half done.
"""
