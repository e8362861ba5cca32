//! How each case ended.

use std::error::Error;
use std::fmt;

use super::fixture::Unable;
use crate::BackendError;

/// Why a case did not pass.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something is not as it should be.
    #[error("{0}")]
    Expectation(String),
    /// A call failed that should not.
    #[error("{call} failed ({kind})", kind = source.kind())]
    Call {
        /// What was called.
        call: &'static str,
        /// How it failed.
        source: BackendError,
    },
    /// The case cannot be tried here.
    #[error(transparent)]
    Unable(#[from] Unable),
}

/// How every case ended.
#[derive(Debug, Default)]
pub struct Report {
    cases: Vec<(&'static str, Result<(), Failure>)>,
}

impl Report {
    pub(super) fn add(&mut self, name: &'static str, result: Result<(), Failure>) {
        self.cases.push((name, result));
    }

    /// Every case, in the order in which they ran.
    pub fn cases(&self) -> &[(&'static str, Result<(), Failure>)] {
        &self.cases
    }

    /// Names of the cases that were tried and failed.
    pub fn failed(&self) -> Vec<&'static str> {
        self.named(|result| matches!(result, Err(failure) if !unable(failure)))
    }

    /// Names of the cases that could not be tried.
    pub fn untried(&self) -> Vec<&'static str> {
        self.named(|result| matches!(result, Err(failure) if unable(failure)))
    }

    fn named(&self, which: impl Fn(&Result<(), Failure>) -> bool) -> Vec<&'static str> {
        let found = self.cases.iter().filter(|(_, result)| which(result));
        found.map(|(name, _)| *name).collect()
    }
}

/// One line for each case, with every cause.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, result) in &self.cases {
            match result {
                Ok(()) => writeln!(f, "passed   {name}")?,
                Err(failure) => {
                    let word = if unable(failure) {
                        "untried"
                    } else {
                        "FAILED "
                    };
                    write!(f, "{word}  {name}: {failure}")?;
                    let mut cause = failure.source();
                    while let Some(error) = cause {
                        write!(f, ": {error}")?;
                        cause = error.source();
                    }
                    writeln!(f)?;
                }
            }
        }
        Ok(())
    }
}

fn unable(failure: &Failure) -> bool {
    matches!(failure, Failure::Unable(_))
}
