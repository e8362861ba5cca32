//! The one way to touch the API server.
