//! Whatever is asked in whatever order, and whatever goes wrong: the plan comes to rest with one
//! machine for each identity, the teardown with none, and strangers keep theirs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bench;
mod events;

use banlieue_core::machine::{Next, plan};
use banlieue_sim::world::call::{Answer, Call, CallKind};
use banlieue_sim::world::fault::{Fault, Rule};
use proptest::prelude::*;

use self::bench::{Bench, LOOKS};
use self::events::{MACHINES, any_event, desired, identity};

proptest! {
    #[test]
    fn all_comes_to_one_machine_each_and_then_to_none(
        events in prop::collection::vec(any_event(), 0..40),
        seed: u64,
        at_once: bool,
    ) {
        let mut bench = Bench::new(seed, at_once);
        for event in events {
            bench.happen(event);
        }
        bench.calm();
        let strangers = bench.strangers();
        for index in 0..MACHINES {
            let made = bench.rest(index);
            // A stranger may have taken the name of a machine of which only disks were left.
            let ours = bench.ours(index);
            prop_assert!(ours == 1 || (ours == 0 && !made), "there are {}", ours);
            let in_the_way = [desired(index).name, "by-uuid".to_owned()];
            prop_assert!(made || strangers.iter().any(|name| in_the_way.contains(name)));
        }
        for index in 0..MACHINES {
            bench.tear_down(index);
            prop_assert_eq!(bench.ours(index), 0);
        }
        prop_assert_eq!(&bench.strangers(), &strangers);
        prop_assert!(bench.world.state().tasks.is_empty());
        let count = u64::try_from(strangers.len()).unwrap();
        let free = bench.survey().zones.swap_remove(0).free.unwrap().storage_gib;
        prop_assert_eq!(free["default"], 65_536 - count, "strangers have a disk of 1 GiB each");
    }
}

/// What a test does that lets each call of a flow fail once.
#[test]
fn every_call_of_a_flow_can_be_counted_and_struck() {
    let flow = |strike: Option<u64>| {
        let mut bench = Bench::new(1, true);
        if let Some(k) = strike {
            bench
                .world
                .script()
                .add(Rule::new(Fault::LostAnswer).nth(k));
        }
        for _ in 0..LOOKS {
            let call = Call::Observe(identity(0));
            let seen = match bench.call(&call) {
                Some(Ok(Answer::Observed(seen))) => seen.map(|seen| *seen),
                _ => continue,
            };
            let can = bench.world.capabilities();
            match plan(&desired(0), seen.as_ref(), false, &can).next {
                Next::Do(step) => drop(bench.execute(0, step)),
                Next::Nothing => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(bench.ours(0), 1);
        bench
    };
    let calls = flow(None).world.log().total();
    for k in 1..=calls {
        let mut bench = flow(Some(k));
        assert_eq!(bench.world.script().rules()[0].fired, 1, "call {k}");
        let creates = bench.world.log().counts()[&CallKind::Create];
        assert!(creates <= 2, "call {k}");
    }
}
