//! A world with one client that does what a provider does.

use std::time::Duration;

use banlieue_backend::{BackendError, ErrorKind};
use banlieue_core::inventory::Survey;
use banlieue_core::machine::{Leaving, Next, Observed, Step, Teardown, Trouble, plan, teardown};
use banlieue_sim::world::call::{Answer, Call, Reply};
use banlieue_sim::world::spec::Latency;
use banlieue_sim::{World, WorldSpec};

use super::events::{Event, desired, identity};

/// Looks until something has to be at rest. A step takes a second at most.
pub const LOOKS: usize = 200;

/// A world with its client.
pub struct Bench {
    pub world: World,
    now: Duration,
    session: Option<u64>,
}

impl Bench {
    pub fn new(seed: u64, at_once: bool) -> Self {
        let latency = if at_once {
            Latency::NONE
        } else {
            Latency::default()
        };
        Self {
            world: World::new(WorldSpec {
                seed,
                latency,
                ..WorldSpec::default()
            }),
            now: Duration::ZERO,
            session: None,
        }
    }

    /// A call; a lost session is begun anew, as a provider does. None when no answer came.
    pub fn call(&mut self, call: &Call) -> Option<Result<Answer, BackendError>> {
        if self.session.is_none() {
            let connect = Call::Connect { password: None };
            if let Reply::Answer {
                result: Ok(Answer::Session(session)),
                ..
            } = self.world.call(self.now, None, &connect)
            {
                self.session = Some(session);
            }
        }
        match self.world.call(self.now, self.session, call) {
            Reply::Never => None,
            Reply::Answer { result, .. } => {
                if matches!(&result, Err(error) if error.kind() == ErrorKind::Auth) {
                    self.session = None;
                }
                Some(result)
            }
        }
    }

    pub fn happen(&mut self, event: Event) {
        match event {
            Event::Ask(index, step) => drop(self.call(&Call::Execute(identity(index), step))),
            Event::Look(index) => drop(self.call(&Call::Observe(identity(index)))),
            Event::Strike(rule) => self.world.script().add(rule),
            Event::Pass(millis) => self.pass(millis),
            Event::FinishTasks => drop(self.world.finish_tasks()),
            Event::Remove(index, leave) => {
                self.world.remove_by_hand(&identity(index), leave);
            }
            Event::Attach(index) => {
                self.world.attach_by_hand(&identity(index), "usb");
            }
            Event::Switch(index, to) => {
                self.world.switch_by_hand(&identity(index), to);
            }
        }
    }

    pub fn pass(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.world.settle(self.now);
    }

    pub fn observe(&mut self, index: usize) -> Option<Observed> {
        for _ in 0..2 {
            match self.call(&Call::Observe(identity(index))).unwrap() {
                Ok(Answer::Observed(seen)) => return seen.map(|seen| *seen),
                Ok(other) => panic!("{other:?}"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Auth),
            }
        }
        panic!("no session");
    }

    pub fn execute(&mut self, index: usize, step: Step) -> Result<(), ErrorKind> {
        let answer = self.call(&Call::Execute(identity(index), step)).unwrap();
        answer.map(|_| ()).map_err(|error| error.kind())
    }

    /// Nothing goes wrong any more, and whoever hangs is brought to an end.
    pub fn calm(&mut self) {
        self.world.script().clear();
        self.world.finish_tasks();
    }

    /// Does what is planned. False when a stranger is in the way.
    pub fn rest(&mut self, index: usize) -> bool {
        let can = self.world.capabilities();
        for _ in 0..LOOKS {
            let seen = self.observe(index);
            match plan(&desired(index), seen.as_ref(), false, &can).next {
                Next::Do(step) => match self.execute(index, step) {
                    Err(ErrorKind::Refused) => return false,
                    result => result.unwrap(),
                },
                Next::Wait(_) => self.pass(100),
                Next::Nothing => return true,
                Next::Stop(trouble) => {
                    assert_eq!(trouble, Trouble::Foreign);
                    return false;
                }
            }
        }
        panic!("no rest");
    }

    pub fn tear_down(&mut self, index: usize) {
        for _ in 0..LOOKS {
            let seen = self.observe(index);
            match teardown(seen.as_ref(), Leaving::Graceful) {
                Teardown::Do(step) => self.execute(index, step).unwrap(),
                Teardown::Wait(_) => self.pass(100),
                Teardown::Gone => return,
            }
        }
        panic!("no end");
    }

    pub fn survey(&mut self) -> Survey {
        match self.call(&Call::Survey).unwrap() {
            Ok(Answer::Survey(survey)) => survey,
            other => panic!("{other:?}"),
        }
    }

    /// Names of the machines that are not ours.
    pub fn strangers(&self) -> Vec<String> {
        let machines = self.world.state().machines;
        let strangers = machines.into_iter().filter(|it| it.uid.is_none());
        strangers.map(|machine| machine.name).collect()
    }

    pub fn ours(&self, index: usize) -> usize {
        self.world.state().of(&identity(index)).count()
    }
}
