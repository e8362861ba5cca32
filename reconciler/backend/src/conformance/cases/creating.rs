//! From nothing to a machine.

use banlieue_core::machine::{Desired, Next, Stamp, Step, StepKind, plan};
use banlieue_schemas::common::StringMap;

use crate::ErrorKind;
use crate::conformance::bench::{expect, same};
use crate::conformance::{Act, Bench, Failure, Fixture};

fn create(desired: &Desired) -> Step {
    Step::Create(Box::new(desired.clone()))
}

/// That there is exactly one, as far as the fixture sees, and that it is complete.
async fn one<F: Fixture>(bench: &Bench<'_, F>) -> Result<(), Failure> {
    let seen = bench.there().await?;
    same("the stamp", &seen.stamp, &Stamp::Ours)?;
    expect(seen.defined, "the machine is complete")?;
    same("where it is", &seen.place, &bench.desired.place)?;
    let count = bench.fixture.count(&bench.identity).await?;
    same("number of machines", &count, &1)
}

pub(super) async fn creating_twice_makes_one_machine<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let create = create(&bench.desired);
    bench.execute(&create).await?;
    bench.execute(&create).await?;
    bench.quiet().await?;
    bench.finish(&create).await?;
    one(bench).await
}

pub(super) async fn a_lost_answer_is_found_again<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let create = create(&bench.desired);
    bench.act(Act::LoseAnswer(StepKind::Create)).await?;
    bench.refused(&create, ErrorKind::Retry).await?;
    bench.there().await?;
    bench.finish(&create).await?;
    one(bench).await
}

pub(super) async fn a_restart_finds_the_work<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.execute(&create(&bench.desired)).await?;
    bench.close().await;
    bench.restart().await?;
    let seen = bench.there().await?;
    let at_work = seen.in_flight.map(|work| work.step) == Some(StepKind::Create);
    expect(at_work || seen.defined, "the work is seen, or its result")?;
    bench.make().await?;
    one(bench).await
}

pub(super) async fn a_half_made_machine_is_completed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    half_made(bench).await?;
    bench.make().await?;
    one(bench).await
}

/// Leaves a machine that is not complete, and on which nothing works.
pub(super) async fn half_made<F: Fixture>(bench: &Bench<'_, F>) -> Result<(), Failure> {
    use crate::Machines;
    bench.act(Act::BreakOff(StepKind::Create)).await?;
    // It may break off at once or later.
    let step = create(&bench.desired);
    let _: Result<_, _> = bench.backend.execute(&bench.identity, &step).await;
    let seen = bench.quiet().await?;
    expect(
        seen.is_none_or(|seen| !seen.defined),
        "the machine is not complete",
    )
}

/// That a machine cannot be made because something is missing, and that nothing of it is left.
async fn missing<F: Fixture>(bench: &Bench<'_, F>, wanted: &Desired) -> Result<(), Failure> {
    bench.refused(&create(wanted), ErrorKind::NotFound).await?;
    same("the machine", &bench.look().await?, &None)
}

/// A target or place that is nowhere.
fn nowhere(like: &StringMap) -> StringMap {
    like.keys()
        .map(|key| (key.clone(), "nowhere".to_owned()))
        .collect()
}

pub(super) async fn a_missing_image_leaves_nothing<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let mut wanted = bench.desired.clone();
    wanted.image = format!("no-{}", wanted.image);
    missing(bench, &wanted).await
}

pub(super) async fn a_missing_zone_leaves_nothing<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let mut wanted = bench.desired.clone();
    wanted.place = nowhere(&wanted.place);
    missing(bench, &wanted).await
}

pub(super) async fn a_missing_network_leaves_nothing<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let mut wanted = bench.desired.clone();
    for nic in &mut wanted.nics {
        nic.target = nowhere(&nic.target);
    }
    missing(bench, &wanted).await
}

pub(super) async fn a_missing_storage_leaves_nothing<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let mut wanted = bench.desired.clone();
    for disk in &mut wanted.disks {
        disk.target = nowhere(&disk.target);
    }
    missing(bench, &wanted).await
}

pub(super) async fn a_plan_carried_out_makes_the_machine<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let seen = bench.rest(&bench.desired).await?;
    let wanted = &bench.desired;
    same("power", &seen.power, &wanted.power)?;
    same("hardware", &seen.hardware, &wanted.hardware)?;
    expect(seen.seeded, "the seed is written")?;
    for (have, want) in seen.disks.iter().zip(&wanted.disks) {
        same(
            "a disk",
            &(&have.name, have.size_gib),
            &(&want.name, want.size_gib),
        )?;
    }
    same("number of disks", &seen.disks.len(), &wanted.disks.len())?;
    let names = |nics: &mut dyn Iterator<Item = &String>| nics.cloned().collect::<Vec<_>>();
    same(
        "interfaces",
        &names(&mut seen.nics.iter().map(|nic| &nic.name)),
        &names(&mut wanted.nics.iter().map(|nic| &nic.name)),
    )?;
    let again = plan(wanted, Some(&seen), true, &bench.can());
    same("the plan", &again.next, &Next::Nothing)?;
    same("what is pending", &again.pending, &Vec::new())?;
    one(bench).await
}
