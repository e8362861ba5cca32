//! One provider process for any backend.
