//! Pure decisions: schedule, placement, machine steps, conditions, user data, workloads.
//!
//! Data and time in, data out. Nothing here knows a client, a runtime, a clock or a log, so equal
//! input gives equal output, and every decision can be tested by calling it.
//!
//! | module | decides |
//! |---|---|
//! | [`conditions`], [`selector`] | what the others share |

pub mod conditions;
pub mod selector;
