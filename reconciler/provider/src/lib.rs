//! One provider process for any backend.

mod config;
mod errors;
mod problem;
mod session;
