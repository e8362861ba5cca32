//! Renders a typed fleet description into a GitOps tree.
//!
//! Pure in the middle, effects at two edges: [`load`] reads files, [`tree`] writes them, and what
//! is between ([`plan`], [`render`], [`check`]) takes data and returns data. [`commands`] joins
//! them, [`cli`] is what the user types, [`printer`] is what the user sees.

pub mod check;
pub mod cli;
pub mod commands;
pub mod diagnostic;
pub mod load;
pub mod plan;
pub mod printer;
pub mod render;
pub mod tree;
