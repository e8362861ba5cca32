//! What is found, and the report of a run.

use std::collections::BTreeMap;

use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    load::{Origins, node::Path},
    plan::Problem,
};

/// Something wrong at a place in a rendered object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault it is.
    pub code: &'static Code,
    /// Whether the object can be applied in spite of it.
    pub severity: Severity,
    /// Keys and indices from the top of the object; empty for the object as a whole.
    pub path: Vec<String>,
    /// What is wrong, as the end of a sentence that starts with the place.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Fault {
    /// An error at a place.
    pub fn new(
        code: &'static Code,
        path: &Path<'_>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Error,
            path: path.steps(),
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// Something wrong, at the place in the fleet that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Code, place in the fleet, message and hint.
    pub problem: Problem,
    /// Whether the objects can be applied in spite of it.
    pub severity: Severity,
    /// The rendered object that shows it, where one does.
    pub object: Option<String>,
}

impl From<Problem> for Finding {
    fn from(problem: Problem) -> Self {
        Self {
            problem,
            severity: Severity::Error,
            object: None,
        }
    }
}

/// Code, place in the fleet, and message: what makes two findings one.
type Key = (&'static str, Vec<String>, String);

/// Everything that a run found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Objects that were checked.
    pub objects: usize,
    findings: BTreeMap<Key, (Finding, usize)>,
}

impl Report {
    /// Adds a finding. The same fault of another object is only counted: a wrong label of a set
    /// of 10,000 machines is one finding.
    pub fn add(&mut self, finding: Finding) {
        let problem = &finding.problem;
        let key = (
            problem.code.id,
            problem.path.clone(),
            problem.message.clone(),
        );
        self.findings.entry(key).or_insert((finding, 0)).1 += 1;
    }

    /// The findings at their places in the user's files, in the order of their places.
    pub fn locate(self, origins: &Origins) -> Vec<Diagnostic> {
        let findings = self.findings.into_values();
        let mut found: Vec<Diagnostic> = findings
            .map(|(finding, times)| locate(finding, times, origins))
            .collect();
        found.sort_by(|a, b| (&a.at, a.code, &a.message).cmp(&(&b.at, b.code, &b.message)));
        found
    }
}

fn locate(finding: Finding, times: usize, origins: &Origins) -> Diagnostic {
    let mut diagnostic = finding.problem.locate(origins);
    diagnostic.severity = finding.severity;
    if let Some(object) = finding.object {
        let others = match times {
            1 => String::new(),
            2 => " (and one more object)".to_owned(),
            more => format!(" (and {} more objects)", more - 1),
        };
        diagnostic.message = format!("{object}: {}{others}", diagnostic.message);
    }
    diagnostic
}
