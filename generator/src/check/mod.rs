//! To be filled.
pub mod codes;
