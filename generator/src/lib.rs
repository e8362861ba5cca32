//! Renders a typed fleet description into a GitOps tree.
//!
//! Pure in the middle, effects at two edges: [`load`] reads files, [`tree`] writes them, and what
//! is between ([`plan`], [`render`], [`check`]) takes data and returns data.

pub mod check;
pub mod diagnostic;
pub mod load;
pub mod plan;
pub mod render;
pub mod tree;
