//! A backend that never answers costs the machines of other Providers nothing.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use anyhow::{Result, ensure};
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_tests::platform::{Case, Options, Platform};
use kube::ResourceExt as _;

/// The first is the one whose backend goes away.
const PROVIDERS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// Machines of each Provider.
const MACHINES: usize = 3;

/// What each process did about each machine, in order, looks left out: by process and machine.
type Deeds = BTreeMap<(String, String), Vec<String>>;

/// How often each process of the others looked at its machines. News that come close together are
/// one pass, so that this is not the same in every run.
type Passes = BTreeMap<String, u64>;

fn machines(provider: &str) -> impl Iterator<Item = String> {
    (0..MACHINES).map(move |number| format!("{provider}-{number}"))
}

/// Whether a call may follow another of its kind at once, by timing: the status of a machine that
/// goes is written once or twice, as its news come.
fn may_come_twice(call: &str) -> bool {
    call.ends_with("/status")
}

/// Makes machines on all Providers and removes them again, and tells what was done about those of
/// all but the first.
async fn run(platform: &Arc<Platform>, black_hole: bool) -> Result<(Deeds, Passes)> {
    let (broken, others) = (PROVIDERS[0], &PROVIDERS[1..]);
    let options = Options {
        providers: PROVIDERS.to_vec(),
        machines: PROVIDERS.len() * MACHINES,
        ..Options::default()
    };
    let case = Case::start(platform, options).await?;
    if black_hole {
        let every = Rule {
            call: None,
            machine: None,
            nth: 1,
            times: 0,
            fault: Fault::BlackHole,
        };
        case.simulators[0].with(|world| world.script().add(every));
    }
    case.gate.forget();
    for provider in PROVIDERS {
        for name in machines(provider) {
            case.create_machine(&name, provider).await?;
        }
    }
    for provider in others {
        for name in machines(provider) {
            case.machine_ready(&name, provider).await?;
        }
    }
    let objects = case.machine_objects().await?.into_iter();
    let names = objects.filter_map(|object| Some((object.uid()?, object.name_any())));
    let names: HashMap<String, String> = names.collect();
    for provider in others {
        for name in machines(provider) {
            case.delete_machine(&name).await?;
        }
    }
    for provider in others {
        for name in machines(provider) {
            case.machine_gone(&name).await?;
        }
    }
    if black_hole {
        ensure!(case.gate.is_busy(), "no call waits for the broken backend");
        let made = case.simulators[0].with(|world| world.state().machines);
        ensure!(made.is_empty(), "it answered: {made:?}");
    }
    case.never_wrong()?;
    let mut passes = case.passes_by_process("machine");
    passes.retain(|process, _| others.contains(&&**process));

    let mut deeds = Deeds::new();
    for call in case.gate.calls().iter().filter(|call| !call.is_look()) {
        let name = names.get(&call.object).unwrap_or(&call.object);
        let concerns_others = others.iter().any(|it| machines(it).any(|own| own == *name));
        if concerns_others || others.contains(&&*call.process) {
            let of = deeds.entry((call.process.clone(), name.clone()));
            of.or_default().push(call.to_string());
        }
    }
    ensure!(
        deeds.keys().all(|(process, _)| process != broken),
        "the process of {broken} worked on machines of others"
    );
    let is_twin = |call: &mut String, before: &mut String| call == before && may_come_twice(call);
    deeds.values_mut().for_each(|calls| calls.dedup_by(is_twin));
    Ok((deeds, passes))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_black_hole_of_ten_changes_no_call_for_the_machines_of_the_others() -> Result<()> {
    let platform = Platform::start().await?;
    let (healthy, passes) = run(&platform, false).await?;
    let (broken, passes_beside) = run(&platform, true).await?;
    println!("passes of a healthy run {passes:?}, beside a black hole {passes_beside:?}");
    let calls: usize = healthy.values().map(Vec::len).sum();
    println!(
        "{} machines of others, {calls} calls about them",
        9 * MACHINES
    );
    for (process, count) in &passes {
        let beside = passes_beside[process];
        ensure!(
            beside <= count * 2 && *count <= beside * 2,
            "{process} looked {count} times, and {beside} times beside a black hole"
        );
    }
    // Each machine has the deeds of the controller and of its own provider.
    ensure!(healthy.len() == 2 * 9 * MACHINES, "{:?}", healthy.keys());
    assert_eq!(broken, healthy);
    Ok(())
}
