//! Machines that are not ours.

use banlieue_core::machine::{Leaving, Next, Stamp, Step, Teardown, Trouble, plan, teardown};
use banlieue_schemas::common::PowerState;

use super::changing::configure;
use crate::conformance::bench::{expect, same};
use crate::conformance::{Act, Bench, Failure, Fixture};
use crate::{ErrorKind, Machines};

pub(super) async fn a_stranger_with_our_uuid_is_not_touched<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let name = format!("{}-twin", bench.desired.name);
    let twin = Act::PlaceTwin(name.clone(), bench.identity.clone());
    bench.act(twin).await?;
    let seen = bench.there().await?;
    same("the stamp", &seen.stamp, &Stamp::Foreign)?;
    let next = plan(&bench.desired, Some(&seen), false, &bench.can()).next;
    same("the plan", &next, &Next::Stop(Trouble::Foreign))?;
    let leaving = teardown(Some(&seen), Leaving::Overdue);
    same("the teardown", &leaving, &Teardown::Gone)?;
    // Whoever asks nevertheless, in a race for example, is refused.
    let steps = [
        Step::Create(Box::new(bench.desired.clone())),
        configure(&bench.desired),
        Step::Power {
            to: PowerState::PoweredOff,
            hard: true,
        },
        Step::Detach,
        Step::Delete,
    ];
    for step in steps {
        bench.refused(&step, ErrorKind::Refused).await?;
    }
    let well = bench.fixture.stranger_is_well(&name).await?;
    expect(well, "the stranger's machine is as it was")
}

pub(super) async fn a_stranger_with_our_name_is_not_touched<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let name = bench.desired.name.clone();
    bench.act(Act::PlaceStranger(name.clone())).await?;
    same("our machine", &bench.look().await?, &None)?;
    let create = Step::Create(Box::new(bench.desired.clone()));
    match bench.backend.execute(&bench.identity, &create).await {
        // Names need not be unique everywhere.
        Ok(_) => {
            bench.quiet().await?;
        }
        Err(error) => {
            same("kind of error", &error.kind(), &ErrorKind::Refused)?;
            same("our machine", &bench.look().await?, &None)?;
        }
    }
    bench.tear_down().await?;
    let well = bench.fixture.stranger_is_well(&name).await?;
    expect(well, "the stranger's machine is as it was")
}
