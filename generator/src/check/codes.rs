//! The codes of checking.

crate::codes! {}
