//! Where a flow can be disturbed: its calls, as faultless runs of it show them.

use std::collections::BTreeMap;

use super::gate::{Call, Kind, Point};

/// The calls of a flow.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// Those that have to be met: the first call of each kind that any run had, and further ones
    /// that every run had.
    pub certain: Vec<Point>,
    /// Those that a run may lack, since one pass may see what others see in two.
    pub uncertain: Vec<Point>,
}

impl Points {
    /// The calls that runs of the same flow had.
    pub fn of(runs: &[Vec<Call>]) -> Self {
        let counts: Vec<_> = runs.iter().map(|calls| count(calls)).collect();
        let mut most = BTreeMap::<&Kind, usize>::new();
        for (kind, count) in counts.iter().flatten() {
            let most = most.entry(kind).or_default();
            *most = (*most).max(*count);
        }
        let mut points = Self::default();
        for (kind, most) in most {
            let had = |run: &BTreeMap<Kind, usize>| run.get(kind).copied().unwrap_or_default();
            let least = counts.iter().map(had).min().unwrap_or_default();
            for nth in 1..=most {
                let kind = kind.clone();
                let is_certain = nth == 1 || nth <= least;
                let group = if is_certain {
                    &mut points.certain
                } else {
                    &mut points.uncertain
                };
                group.push(Point { kind, nth });
            }
        }
        points
    }

    /// All of them, each with whether it has to be met.
    pub fn all(&self) -> impl Iterator<Item = (Point, bool)> {
        let certain = self.certain.iter().map(|point| (point.clone(), true));
        let uncertain = self.uncertain.iter().map(|point| (point.clone(), false));
        certain.chain(uncertain)
    }
}

fn count(calls: &[Call]) -> BTreeMap<Kind, usize> {
    let mut counts = BTreeMap::new();
    for call in calls {
        *counts.entry(call.kind()).or_default() += 1;
    }
    counts
}
