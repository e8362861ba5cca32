//! What happened to objects, in the order in which the API server stored it, so
//! that a test can assert on the steps of a flow and not only on its end.

mod entry;
mod order;
mod recorder;
mod sequence;

pub use entry::{Entry, Event, Manager};
pub use order::{Step, check_order, step};
pub use recorder::{History, kind};
pub use sequence::Sequence;
