//! Which requests of ServiceAccounts the API server let pass, and by which rights.
//!
//! | module | what |
//! |---|---|
//! | [`log`] | the requests, as the API server recorded them |
//! | [`rights`] | what RBAC grants and is asked for, one verb at a time |
//! | [`roles`] | who has which rights, and which requests need them |
//! | [`stand_in`] | somebody with all rights of a process but one |

pub mod log;
pub mod rights;
pub mod roles;
pub mod stand_in;

pub use log::Request;
pub use rights::{Ask, Right, RoleName};
pub use roles::{Roles, Use, uses};
pub use stand_in::StandIns;
