//! Changing a machine that is there, switched off.

use banlieue_core::machine::{Desired, Disk, Nic, ObservedDisk, Seed, Step};
use banlieue_schemas::common::PowerState;

use crate::conformance::bench::{expect, same};
use crate::conformance::{Bench, Failure, Fixture};
use crate::{ErrorKind, Progress};

pub(super) fn configure(desired: &Desired) -> Step {
    Step::Configure {
        hardware: desired.hardware,
        nics: desired.nics.clone(),
    }
}

fn seed(desired: &Desired) -> Step {
    Step::Seed {
        seed: desired.seed.clone(),
        nics: desired.nics.clone(),
    }
}

/// The same machine with one disk more.
pub(super) fn with_another_disk(desired: &Desired) -> Desired {
    let mut wanted = desired.clone();
    let target = wanted.disks.first().map(|disk| disk.target.clone());
    wanted.disks.push(Disk {
        name: "extra".to_owned(),
        size_gib: 1,
        target: target.unwrap_or_default(),
        ..Disk::default()
    });
    wanted
}

/// The same machine with one interface more.
pub(super) fn with_another_nic(desired: &Desired) -> Desired {
    let mut wanted = desired.clone();
    let target = wanted.nics.first().map(|nic| nic.target.clone());
    wanted.nics.push(Nic {
        name: "extra".to_owned(),
        target: target.unwrap_or_default(),
        ..Nic::default()
    });
    wanted
}

pub(super) async fn every_step_may_be_repeated<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let power = |to| Step::Power { to, hard: false };
    let steps = [
        Step::Create(Box::new(bench.desired.clone())),
        configure(&bench.desired),
        Step::Disks(bench.desired.disks.clone()),
        seed(&bench.desired),
        Step::Detach,
        power(PowerState::PoweredOn),
        Step::Power {
            to: PowerState::PoweredOff,
            hard: true,
        },
    ];
    for step in steps {
        bench.execute(&step).await?;
        bench.execute(&step).await?;
        let once = bench.quiet().await?;
        let again = bench.execute(&step).await?;
        same("a step that is done", &again, &Progress::Done)?;
        // A guest may come up meanwhile.
        let still = |seen: Option<banlieue_core::machine::Observed>| {
            seen.map(|seen| {
                (
                    seen.defined,
                    seen.power,
                    seen.hardware,
                    seen.disks,
                    seen.nics,
                )
            })
        };
        same("the machine", &still(bench.quiet().await?), &still(once))?;
    }
    Ok(())
}

pub(super) async fn a_step_on_nothing_asks_to_look_again<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let on = Step::Power {
        to: PowerState::PoweredOn,
        hard: false,
    };
    for step in [on, configure(&bench.desired), seed(&bench.desired)] {
        bench.refused(&step, ErrorKind::Retry).await?;
    }
    same("the machine", &bench.look().await?, &None)
}

pub(super) async fn hardware_and_interfaces_follow<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make().await?;
    let mut wanted = with_another_nic(&bench.desired);
    wanted.hardware.cpus += 1;
    wanted.hardware.memory_mib *= 2;
    for wanted in [&wanted, &bench.desired] {
        bench.finish(&configure(wanted)).await?;
        let seen = bench.there().await?;
        same("hardware", &seen.hardware, &wanted.hardware)?;
        same("interfaces", &seen.nics.len(), &wanted.nics.len())?;
    }
    Ok(())
}

pub(super) async fn disks_grow_and_are_added<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make().await?;
    let mut wanted = with_another_disk(&bench.desired);
    if let Some(first) = wanted.disks.first_mut() {
        first.size_gib += 1;
    }
    bench.finish(&Step::Disks(wanted.disks.clone())).await?;
    let disks: Vec<ObservedDisk> = wanted
        .disks
        .into_iter()
        .map(|disk| ObservedDisk {
            name: disk.name,
            size_gib: disk.size_gib,
        })
        .collect();
    same("disks", &bench.there().await?.disks, &disks)
}

pub(super) async fn disks_never_shrink<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let before = bench.make().await?.disks;
    bench.finish(&Step::Disks(Vec::new())).await?;
    same("disks", &bench.there().await?.disks, &before)?;
    // Together with one to add, so that there is something to do.
    let mut wanted = with_another_disk(&bench.desired).disks;
    if let Some(first) = wanted.first_mut() {
        first.size_gib -= 1;
    }
    bench.finish(&Step::Disks(wanted)).await?;
    let after = bench.there().await?.disks;
    same("the first disk", &after.first(), &before.first())?;
    same("number of disks", &after.len(), &(before.len() + 1))
}

pub(super) async fn a_seed_is_written_once<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let seen = bench.make().await?;
    expect(seen.seeded, "the seed is written")?;
    let other = Step::Seed {
        seed: Seed {
            hostname: "another".to_owned(),
            user_data: None,
        },
        nics: Vec::new(),
    };
    let progress = bench.execute(&other).await?;
    same("another seed", &progress, &Progress::Done)?;
    expect(bench.there().await?.seeded, "the seed is still there")
}
