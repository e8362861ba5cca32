//! The suite that every backend passes.
