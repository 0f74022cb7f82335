"""A registered user's own account: overview, changes, avatar, webhooks of the identity provider."""
