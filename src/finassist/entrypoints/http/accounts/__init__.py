"""The caller's own account over HTTP: `/api/v1/auth/me`."""
