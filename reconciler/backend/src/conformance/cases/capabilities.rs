//! What a backend claims it does, and what it does not claim it refuses.

use banlieue_core::machine::{Desired, Observed, Seed, Step};
use banlieue_schemas::common::{Firmware, PowerState};

use super::changing::{configure, with_another_disk, with_another_nic};
use super::power::switched;
use crate::ErrorKind;
use crate::conformance::bench::{expect, same};
use crate::conformance::{Bench, Failure, Fixture};

/// Does a step that a capability covers. Without the capability it has to be refused, and `None` is
/// the answer.
async fn as_claimed<F: Fixture>(
    bench: &Bench<'_, F>,
    claimed: bool,
    step: Step,
) -> Result<Option<Observed>, Failure> {
    if claimed {
        bench.finish(&step).await?;
        return bench.there().await.map(Some);
    }
    let before = bench.look().await?;
    bench.refused(&step, ErrorKind::Unsupported).await?;
    let shape = |seen: Option<Observed>| {
        seen.map(|seen| {
            (
                seen.power,
                seen.hardware,
                seen.disks,
                seen.nics,
                seen.seeded,
            )
        })
    };
    same("the machine", &shape(bench.look().await?), &shape(before))?;
    Ok(None)
}

pub(super) async fn machines_are_suspended_as_claimed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make_running().await?;
    let step = Step::Power {
        to: PowerState::Suspended,
        hard: false,
    };
    let claimed = bench.can().suspend;
    let Some(seen) = as_claimed(bench, claimed, step).await? else {
        return Ok(());
    };
    same("power", &seen.power, &PowerState::Suspended)?;
    switched(bench, PowerState::PoweredOn, false).await
}

pub(super) async fn secure_boot_is_had_as_claimed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let mut wanted = bench.desired.clone();
    wanted.hardware.firmware = Firmware::EfiSecure;
    let claimed = bench.can().secure_boot;
    let seen = as_claimed(bench, claimed, Step::Create(Box::new(wanted))).await?;
    let firmware = seen.map(|seen| seen.hardware.firmware);
    same(
        "firmware",
        &firmware,
        &claimed.then_some(Firmware::EfiSecure),
    )
}

pub(super) async fn tpms_are_had_as_claimed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let mut wanted = bench.desired.clone();
    wanted.hardware.tpm = true;
    let claimed = bench.can().tpm;
    let seen = as_claimed(bench, claimed, Step::Create(Box::new(wanted))).await?;
    same(
        "TPM",
        &seen.map(|seen| seen.hardware.tpm),
        &claimed.then_some(true),
    )
}

async fn running_with<F: Fixture>(
    bench: &Bench<'_, F>,
    claimed: bool,
    change: impl FnOnce(&mut Desired),
) -> Result<(), Failure> {
    bench.make_running().await?;
    let mut wanted = bench.desired.clone();
    change(&mut wanted);
    match as_claimed(bench, claimed, configure(&wanted)).await? {
        None => Ok(()),
        Some(seen) => {
            same("power", &seen.power, &PowerState::PoweredOn)?;
            same("hardware", &seen.hardware, &wanted.hardware)?;
            same("interfaces", &seen.nics.len(), &wanted.nics.len())
        }
    }
}

pub(super) async fn cpus_are_added_as_claimed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let claimed = bench.can().hot_add_cpus;
    running_with(bench, claimed, |wanted| wanted.hardware.cpus += 1).await
}

pub(super) async fn memory_is_added_as_claimed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let claimed = bench.can().hot_add_memory;
    running_with(bench, claimed, |wanted| wanted.hardware.memory_mib *= 2).await
}

pub(super) async fn interfaces_are_changed_as_claimed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let claimed = bench.can().hot_nics;
    running_with(bench, claimed, |wanted| *wanted = with_another_nic(wanted)).await
}

pub(super) async fn disks_are_changed_as_claimed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make_running().await?;
    let wanted = with_another_disk(&bench.desired).disks;
    let claimed = bench.can().hot_disks;
    let seen = as_claimed(bench, claimed, Step::Disks(wanted.clone())).await?;
    let count = seen.map(|seen| seen.disks.len());
    same("disks", &count, &claimed.then_some(wanted.len()))
}

pub(super) async fn user_data_is_as_large_as_claimed<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let most = bench.can().max_user_data;
    let write = |bytes| Step::Seed {
        seed: Seed {
            hostname: bench.desired.name.clone(),
            user_data: Some("x".repeat(bytes)),
        },
        nics: bench.desired.nics.clone(),
    };
    let create = Step::Create(Box::new(bench.desired.clone()));
    bench.finish(&create).await?;
    as_claimed(bench, false, write(most + 1)).await?;
    let seen = as_claimed(bench, true, write(most)).await?;
    expect(seen.is_some_and(|seen| seen.seeded), "the seed is written")
}
