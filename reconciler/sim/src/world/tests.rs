#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use banlieue_backend::{BackendError, ErrorKind, Progress};
use banlieue_core::machine::{
    Desired, Disk, Hardware, Identity, Next, Nic, Observed, Seed, Stamp, Step, StepKind, plan,
};
use banlieue_schemas::common::PowerState;

use super::World;
use super::call::{Answer, Call, CallKind, Reply};
use super::fault::{Fault, Rule};
use super::log::Outcome;
use super::spec::{Latency, WorldSpec, ZoneSpec};

const SECOND: Duration = Duration::from_secs(1);

/// A world with one client, which looks at everything as fast as it wants.
struct Bench {
    world: World,
    now: Duration,
    session: Option<u64>,
}

impl Bench {
    fn new(spec: WorldSpec) -> Self {
        let mut bench = Self {
            world: World::new(spec),
            now: Duration::ZERO,
            session: None,
        };
        bench.connect();
        bench
    }

    /// A world in which everything is done at once.
    fn swift() -> Self {
        Self::new(WorldSpec {
            latency: Latency::NONE,
            ..WorldSpec::default()
        })
    }

    fn connect(&mut self) {
        let call = Call::Connect { password: None };
        let Ok(Answer::Session(session)) = self.call(&call) else {
            panic!("no session");
        };
        self.session = Some(session);
    }

    fn call(&mut self, call: &Call) -> Result<Answer, BackendError> {
        match self.world.call(self.now, self.session, call) {
            Reply::Answer { result, .. } => result,
            Reply::Never => panic!("no answer"),
        }
    }

    fn execute(&mut self, step: Step) -> Result<Progress, ErrorKind> {
        match self.call(&Call::Execute(identity(), step)) {
            Ok(Answer::Progress(progress)) => Ok(progress),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.kind()),
        }
    }

    fn observe(&mut self) -> Result<Option<Observed>, ErrorKind> {
        match self.call(&Call::Observe(identity())) {
            Ok(Answer::Observed(seen)) => Ok(seen.map(|seen| *seen)),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.kind()),
        }
    }

    fn strike(&mut self, rule: Rule) {
        self.world.script().add(rule);
    }

    /// Does what is planned until the machine is as wanted.
    fn rest(&mut self, desired: &Desired) -> Observed {
        let can = self.world.capabilities();
        for _ in 0..100 {
            let seen = self.observe().unwrap();
            match plan(desired, seen.as_ref(), false, &can).next {
                Next::Do(step) => {
                    self.execute(step).unwrap();
                }
                Next::Wait(_) => self.now += SECOND,
                Next::Nothing => return seen.unwrap(),
                Next::Stop(trouble) => panic!("{trouble:?}"),
            }
        }
        panic!("no rest");
    }
}

fn identity() -> Identity {
    Identity::of("a")
}

fn desired() -> Desired {
    let zone = ZoneSpec::default();
    Desired {
        name: "web-1".into(),
        zone: "z".into(),
        place: zone.place(),
        image: zone.reference("debian-13"),
        hardware: Hardware {
            cpus: 2,
            memory_mib: 1024,
            ..Hardware::default()
        },
        disks: vec![Disk {
            name: "os".into(),
            size_gib: 10,
            ..Disk::default()
        }],
        nics: vec![Nic {
            name: "eth0".into(),
            ..Nic::default()
        }],
        seed: Seed {
            hostname: "web-1".into(),
            user_data: Some("#cloud-config".into()),
        },
        power: PowerState::PoweredOn,
    }
}

fn create() -> Step {
    Step::Create(Box::new(desired()))
}

fn switch(to: PowerState, hard: bool) -> Step {
    Step::Power { to, hard }
}

#[test]
fn work_takes_the_time_that_its_seed_decides() {
    let took = |seed| {
        let mut bench = Bench::new(WorldSpec {
            seed,
            ..WorldSpec::default()
        });
        let Ok(Progress::InFlight { look_again, .. }) = bench.execute(create()) else {
            panic!("nothing in flight");
        };
        let seen = bench.observe().unwrap().unwrap();
        assert!(!seen.defined);
        assert_eq!(seen.in_flight.unwrap().step, StepKind::Create);
        bench.now = look_again;
        let seen = bench.observe().unwrap().unwrap();
        assert!(seen.defined && seen.in_flight.is_none());
        look_again
    };
    assert_eq!(took(1), took(1));
    assert_ne!(took(1), took(2));
}

#[test]
fn every_step_is_needed_and_the_guest_shows_its_addresses_later() {
    let mut bench = Bench::new(WorldSpec {
        latency: Latency {
            boot: [5000, 5000],
            ..Latency::default()
        },
        ..WorldSpec::default()
    });
    let seen = bench.rest(&desired());
    assert!(
        seen.addresses.is_empty(),
        "it has only just been switched on"
    );
    bench.now += 5 * SECOND;
    let seen = bench.observe().unwrap().unwrap();
    assert_eq!(seen.addresses.len(), 2);
    assert_eq!(seen.guest_up, Some(true));
    let counts = bench.world.log().counts();
    for kind in [
        CallKind::Create,
        CallKind::Configure,
        CallKind::Disks,
        CallKind::Seed,
        CallKind::Power,
    ] {
        assert_eq!(counts.get(&kind), Some(&1), "{kind:?}");
    }
}

#[test]
fn in_single_step_mode_only_the_test_ends_work() {
    let mut bench = Bench::new(WorldSpec {
        single_step: true,
        ..WorldSpec::default()
    });
    bench.execute(create()).unwrap();
    bench.now += 1000 * SECOND;
    assert!(!bench.observe().unwrap().unwrap().defined);
    let id = bench.world.state().tasks[0].id;
    assert!(bench.world.finish_task(id));
    assert!(!bench.world.finish_task(id));
    assert!(bench.observe().unwrap().unwrap().defined);
}

#[test]
fn a_guest_that_hangs_is_switched_off_the_hard_way() {
    let mut bench = Bench::swift();
    bench.rest(&desired());
    bench.strike(Rule::new(Fault::Hanging).on(CallKind::Power));
    bench
        .execute(switch(PowerState::PoweredOff, false))
        .unwrap();
    bench.now += 1000 * SECOND;
    let seen = bench.observe().unwrap().unwrap();
    assert_eq!(seen.power, PowerState::PoweredOn);
    assert!(seen.in_flight.is_some());
    let busy = bench.execute(switch(PowerState::Suspended, false));
    assert_eq!(busy, Err(ErrorKind::Busy));
    let done = bench.execute(switch(PowerState::PoweredOff, true));
    assert_eq!(done, Ok(Progress::Done));
    let seen = bench.observe().unwrap().unwrap();
    assert_eq!((seen.power, seen.in_flight), (PowerState::PoweredOff, None));
}

#[test]
fn each_fault_does_what_it_says() {
    let outcome = |fault: &Fault| {
        let mut bench = Bench::swift();
        bench.strike(Rule::new(fault.clone()).on(CallKind::Create));
        let result = bench.execute(create()).err();
        if *fault == Fault::SessionExpired {
            assert_eq!(bench.observe(), Err(ErrorKind::Auth));
            bench.connect();
        }
        let seen = bench.observe().unwrap();
        (result, seen.map(|seen| (seen.stamp, seen.defined)))
    };
    let made = Some((Stamp::Ours, true));
    let cases = [
        (Fault::Error(ErrorKind::Busy), Some(ErrorKind::Busy), None),
        (Fault::LostAnswer, Some(ErrorKind::Retry), made),
        (Fault::Slow(5), None, made),
        (Fault::DuplicateName, Some(ErrorKind::Refused), None),
        (Fault::SessionExpired, Some(ErrorKind::Auth), None),
        (Fault::OutOfSpace, Some(ErrorKind::Refused), None),
        (Fault::StrangerByName, Some(ErrorKind::Refused), None),
        (
            Fault::StrangerByUuid,
            Some(ErrorKind::Refused),
            Some((Stamp::Foreign, true)),
        ),
        (
            Fault::HalfDone,
            Some(ErrorKind::Retry),
            Some((Stamp::Ours, false)),
        ),
        (Fault::Hanging, None, Some((Stamp::Ours, false))),
    ];
    for (fault, error, seen) in cases {
        assert_eq!(outcome(&fault), (error, seen), "{fault:?}");
    }
}

#[test]
fn a_stale_read_shows_the_machine_as_it_was() {
    let mut bench = Bench::swift();
    bench.rest(&desired());
    bench.execute(switch(PowerState::PoweredOff, true)).unwrap();
    bench.strike(Rule::new(Fault::StaleRead).on(CallKind::Observe));
    let power = |bench: &mut Bench| bench.observe().unwrap().unwrap().power;
    assert_eq!(power(&mut bench), PowerState::PoweredOn);
    assert_eq!(power(&mut bench), PowerState::PoweredOff);
    bench.execute(Step::Delete).unwrap();
    bench.strike(Rule::new(Fault::StaleRead).on(CallKind::Observe));
    assert!(bench.observe().unwrap().is_some());
    assert_eq!(bench.observe().unwrap(), None);
}

#[test]
fn what_is_removed_by_hand_is_gone_or_leaves_its_disks() {
    for leave_disks in [false, true] {
        let mut bench = Bench::swift();
        bench.rest(&desired());
        assert!(bench.world.remove_by_hand(&identity(), leave_disks));
        let seen = bench.observe().unwrap();
        assert_eq!(seen.is_some(), leave_disks);
        assert!(seen.is_none_or(|seen| !seen.defined && seen.disks.len() == 1));
    }
}

#[test]
fn space_is_given_once_and_comes_back() {
    let mut spec = WorldSpec {
        latency: Latency::NONE,
        ..WorldSpec::default()
    };
    spec.zones[0].storage[0].size_gib = 12;
    let mut bench = Bench::new(spec);
    bench.rest(&desired());
    let create = Call::Execute(
        Identity::of("b"),
        Step::Create(Box::new(Desired {
            name: "web-2".into(),
            ..desired()
        })),
    );
    assert_eq!(bench.call(&create).unwrap_err().kind(), ErrorKind::Refused);
    bench.execute(switch(PowerState::PoweredOff, true)).unwrap();
    bench.execute(Step::Delete).unwrap();
    assert!(bench.call(&create).is_ok());
}

#[test]
fn the_log_tells_every_call_and_how_it_ended() {
    let mut bench = Bench::swift();
    bench.world.clear_log();
    bench.strike(Rule::new(Fault::LostAnswer).nth(2));
    bench.observe().unwrap();
    bench.execute(create()).unwrap_err();
    bench
        .execute(switch(PowerState::Suspended, false))
        .unwrap_err();
    let log: Vec<(u64, CallKind, Outcome)> = bench
        .world
        .log()
        .calls()
        .map(|call| (call.number, call.kind, call.outcome))
        .collect();
    assert_eq!(
        log,
        [
            (1, CallKind::Observe, Outcome::Done),
            (2, CallKind::Create, Outcome::LostAnswer),
            (3, CallKind::Power, Outcome::Error(ErrorKind::Refused)),
        ]
    );
    assert_eq!(bench.world.log().total(), 3);
}
