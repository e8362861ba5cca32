//! Which backends this program was built with.

use banlieue_schemas::platform::Backend;

/// The backends whose features are on.
pub const COMPILED: &[Backend] = &[
    #[cfg(feature = "sim")]
    Backend::Sim,
];
