//! What a backend has, and what of it a Provider shows as failure domains.

mod domains;
mod survey;

pub use domains::{Domains, failure_domains, target_in};
pub use survey::{Capacity, Survey, Zone};

#[cfg(test)]
mod tests;
