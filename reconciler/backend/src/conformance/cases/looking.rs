//! Looking at machines, and at what else there is.

use std::collections::BTreeSet;
use std::error::Error;
use std::pin::pin;
use std::time::Duration;

use banlieue_core::inventory::Survey;
use banlieue_core::machine::{Seed, Step};
use banlieue_schemas::common::StringMap;
use futures::StreamExt;
use futures::future::{Either, select};

use crate::conformance::bench::{expect, failed, same};
use crate::conformance::{Act, Bench, Failure, Fixture};
use crate::{BackendError, ErrorKind, Hint, ImageRequest, Images, Inventory, Machines};

/// How often time passes before a hint counts as lost.
const ROUNDS: usize = 600;

pub(super) async fn nothing_is_seen_of_a_machine_that_was_never_made<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    same("the machine", &bench.look().await?, &None)
}

pub(super) async fn the_survey_stays_as_it_is<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let survey = async || bench.backend.survey().await.map_err(failed("survey"));
    let (first, second) = (survey().await?, survey().await?);
    expect(!first.zones.is_empty(), "there is a zone")?;
    same("the second survey", &sorted(second), &sorted(first.clone()))?;
    let names = first
        .zones
        .iter()
        .map(|zone| (&zone.datacenter, &zone.cluster));
    let names: BTreeSet<_> = names.collect();
    same("number of names", &names.len(), &first.zones.len())?;
    let ours = |zone: &banlieue_core::inventory::Zone| zone.raw == bench.desired.place;
    expect(first.zones.iter().any(ours), "the machine's zone is there")
}

fn sorted(mut survey: Survey) -> Survey {
    for zone in &mut survey.zones {
        zone.storage.sort();
        zone.networks.sort();
        zone.features.sort();
        // Others may be at work on the same hypervisor.
        zone.free = None;
    }
    survey.zones.sort_by(|one, other| one.raw.cmp(&other.raw));
    survey
}

pub(super) async fn an_image_is_found_where_it_is<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    let request = bench.fixture.image();
    let found = bench.backend.find(&request).await.map_err(failed("find"))?;
    same("the image", &found.as_ref(), &Some(&bench.desired.image))?;
    let other = ImageRequest {
        reference: format!("no-{}", request.reference),
        ..request.clone()
    };
    let found = bench.backend.find(&other).await.map_err(failed("find"))?;
    same("an image that is not there", &found, &None)?;
    let nowhere = ImageRequest {
        place: StringMap::new(),
        ..request
    };
    let error = bench.backend.find(&nowhere).await.err();
    let kind = error.map(|error| error.kind());
    same(
        "the error of a zone that is not there",
        &kind,
        &Some(ErrorKind::NotFound),
    )
}

pub(super) async fn an_expired_session_is_not_an_absence<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make().await?;
    bench.act(Act::ExpireSession).await?;
    match bench.backend.observe(&bench.identity).await {
        Err(error) => same("kind of error", &error.kind(), &ErrorKind::Auth)?,
        // A backend may log in again by itself; then it sees what there is.
        Ok(seen) => expect(seen.is_some(), "the machine is seen")?,
    }
    bench.restart().await?;
    bench.there().await.map(|_| ())
}

pub(super) async fn a_change_is_told<F: Fixture>(bench: &mut Bench<'_, F>) -> Result<(), Failure> {
    let mut hints = bench.backend.changes();
    bench
        .execute(&Step::Create(Box::new(bench.desired.clone())))
        .await?;
    let ours = Hint::Machine(bench.identity.uid().to_owned());
    for _ in 0..ROUNDS {
        let time = pin!(bench.fixture.pass(Duration::from_secs(1)));
        match select(hints.next(), time).await {
            Either::Left((Some(hint), _)) if hint == ours || hint == Hint::Any => {
                return bench.quiet().await.map(|_| ());
            }
            Either::Left((None, _)) => break,
            _ => {}
        }
    }
    expect(false, "a hint comes")
}

pub(super) async fn addresses_appear_and_keep_their_order<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    bench.make_running().await?;
    let up = bench
        .until("the guest shows an address", |seen| {
            !seen.addresses.is_empty() && seen.guest_up != Some(false)
        })
        .await?;
    bench.restart().await?;
    same(
        "the addresses",
        &bench.there().await?.addresses,
        &up.addresses,
    )
}

pub(super) async fn user_data_is_never_told<F: Fixture>(
    bench: &mut Bench<'_, F>,
) -> Result<(), Failure> {
    const SECRET: &str = "correct-horse-battery";
    let secret = |bytes: usize| Seed {
        hostname: bench.desired.name.clone(),
        user_data: Some(SECRET.repeat(bytes / SECRET.len() + 1)),
    };
    let write = |seed| Step::Seed {
        seed,
        nics: bench.desired.nics.clone(),
    };
    let mut texts = vec![format!("{:?}", write(secret(1)))];
    // Refused for want of a machine, then for its size.
    texts.push(told(
        &bench.refused(&write(secret(1)), ErrorKind::Retry).await?,
    ));
    let mut unseeded = bench.desired.clone();
    unseeded.seed.user_data = None;
    bench.finish(&Step::Create(Box::new(unseeded))).await?;
    let large = write(secret(bench.can().max_user_data + 1));
    texts.push(told(&bench.refused(&large, ErrorKind::Unsupported).await?));
    texts.push(format!("{:?}", bench.finish(&write(secret(1))).await?));
    expect(
        !texts.iter().any(|text| text.contains(SECRET)),
        "no text holds user data",
    )
}

/// Everything that an error says.
fn told(error: &BackendError) -> String {
    let mut text = format!("{error:?} {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text} {error:?} {error}");
        cause = error.source();
    }
    text
}
