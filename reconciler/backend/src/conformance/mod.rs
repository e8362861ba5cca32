//! The suite that every backend passes.
//!
//! A backend brings a [`Fixture`]; [`run_all`] runs every case against it and reports each. What a
//! fixture cannot do, for example because no session can be made to expire, is reported too: a case
//! that did not run is never a case that passed.
//!
//! | module | what |
//! |---|---|
//! | [`fixture`] | what a backend brings |
//! | [`bench`](mod@bench) | one machine under test |
//! | [`report`] | how each case ended |
//! | `cases` | the cases, by what they are about |

pub mod bench;
mod cases;
pub mod fixture;
pub mod report;

use futures::future::BoxFuture;

pub use self::bench::Bench;
pub use self::fixture::{Act, Fixture, Unable};
pub use self::report::{Failure, Report};

/// One case.
pub struct Case<F: Fixture> {
    /// What it shows.
    pub name: &'static str,
    run: for<'b, 'f> fn(&'b mut Bench<'f, F>) -> BoxFuture<'b, Result<(), Failure>>,
}

impl<F: Fixture> Case<F> {
    /// Runs the case with a machine of its own, and leaves nothing behind.
    ///
    /// # Errors
    /// What was not as it should be.
    pub async fn run(&self, fixture: &F) -> Result<(), Failure> {
        let mut bench = Bench::new(fixture, self.name).await?;
        (self.run)(&mut bench).await?;
        bench.tear_down().await
    }
}

/// Every case.
pub fn cases<F: Fixture>() -> Vec<Case<F>> {
    cases::all()
}

/// Runs every case, one after the other.
pub async fn run_all<F: Fixture>(fixture: &F) -> Report {
    let mut report = Report::default();
    for case in cases::<F>() {
        let result = case.run(fixture).await;
        report.add(case.name, result);
    }
    report
}
