//! From a machine, or what is left of one, to nothing.

use banlieue_core::machine::{Step, StepKind};

use super::creating::half_made;
use crate::conformance::bench::{expect, same};
use crate::conformance::{Act, Bench, Failure, Fixture};
use crate::{Machines, Progress};

pub(super) async fn deleting_twice_leaves_nothing<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let nothing = bench.execute(&Step::Delete).await?;
    same("deleting nothing", &nothing, &Progress::Done)?;
    bench.make().await?;
    bench.execute(&Step::Delete).await?;
    bench.execute(&Step::Delete).await?;
    same("the machine", &bench.quiet().await?, &None)?;
    let again = bench.execute(&Step::Delete).await?;
    same("deleting again", &again, &Progress::Done)?;
    let count = bench.fixture.count(&bench.identity).await?;
    same("number of machines", &count, &0)
}

pub(super) async fn a_half_made_machine_is_removed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    half_made(bench).await?;
    bench.tear_down().await
}

pub(super) async fn a_half_removed_machine_is_removed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make().await?;
    bench.act(Act::BreakOff(StepKind::Delete)).await?;
    // It may break off at once or later.
    let _: Result<_, _> = bench.backend.execute(&bench.identity, &Step::Delete).await;
    let seen = bench.quiet().await?;
    expect(seen.is_some(), "what is left is seen")?;
    bench.tear_down().await
}

pub(super) async fn remains_are_removed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make_running().await?;
    let identity = bench.identity.clone();
    bench.act(Act::RemoveButDisks(identity)).await?;
    let seen = bench.there().await?;
    expect(!seen.defined, "the machine is gone, its disks are not")?;
    bench.tear_down().await
}

pub(super) async fn a_machine_removed_by_hand_is_gone<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make_running().await?;
    bench.act(Act::Remove(bench.identity.clone())).await?;
    same("the machine", &bench.look().await?, &None)
}

pub(super) async fn a_disk_of_a_person_survives<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make().await?;
    bench.act(Act::AttachDisk(bench.identity.clone())).await?;
    let seen = bench.there().await?;
    expect(seen.strangers_attached, "the disk is seen")?;
    let refused = bench.backend.execute(&bench.identity, &Step::Delete).await;
    expect(refused.is_err(), "the machine is not removed with the disk")?;
    bench.finish(&Step::Detach).await?;
    let seen = bench.there().await?;
    expect(!seen.strangers_attached, "the disk is detached")
}
