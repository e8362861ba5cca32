//! Switching machines on and off.

use banlieue_core::machine::{Leaving, Step, StepKind, Teardown, teardown};
use banlieue_schemas::common::PowerState;

use crate::conformance::bench::same;
use crate::conformance::{Act, Bench, Failure, Fixture};

pub(super) async fn switched<F: Fixture>(
    bench: &Bench<'_, F>,
    to: PowerState,
    hard: bool,
) -> Result<(), Failure> {
    bench.finish(&Step::Power { to, hard }).await?;
    same("power", &bench.there().await?.power, &to)
}

pub(super) async fn power_follows<F: Fixture>(bench: &mut Bench<'_, F>) -> Result<(), Failure> {
    bench.make().await?;
    switched(bench, PowerState::PoweredOn, false).await?;
    switched(bench, PowerState::PoweredOff, true).await?;
    switched(bench, PowerState::PoweredOn, false).await?;
    // A guest can only be asked once it is up.
    bench
        .until("the guest is up", |seen| seen.guest_up != Some(false))
        .await?;
    switched(bench, PowerState::PoweredOff, false).await
}

pub(super) async fn a_guest_that_does_not_shut_down_is_switched_off<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make_running().await?;
    bench.act(Act::HangShutdown).await?;
    let soft = Step::Power {
        to: PowerState::PoweredOff,
        hard: false,
    };
    bench.execute(&soft).await?;
    bench.restart().await?;
    let seen = bench.there().await?;
    same("power", &seen.power, &PowerState::PoweredOn)?;
    let step = match teardown(Some(&seen), Leaving::Overdue) {
        Teardown::Do(step) => step,
        other => return Err(Failure::Expectation(format!("the teardown is {other:?}"))),
    };
    same("the step", &step.kind(), &StepKind::Power)?;
    bench.finish(&step).await?;
    same(
        "power",
        &bench.there().await?.power,
        &PowerState::PoweredOff,
    )
}
