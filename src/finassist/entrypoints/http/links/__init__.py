"""The app configuration over HTTP: system and social links."""
