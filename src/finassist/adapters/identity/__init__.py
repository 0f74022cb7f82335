"""Identity providers: the built-in one, Auth0, Keycloak, and any OpenID Connect provider."""
