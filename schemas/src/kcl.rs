//! KCL schemas.

/// The fleet.
pub fn fleet() -> String {
    String::new()
}
