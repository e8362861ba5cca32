//! The simulated hypervisor itself: data and time in, data out. No clock, no lock, no network.
//!
//! A step begins a task, which ends at a time that its seed decides, or when it is told to. Until
//! then the machine is as before, and shows the work as in flight.
//!
//! | module | what |
//! |---|---|
//! | [`spec`] | what a world is made of |
//! | [`call`] | what can be asked of it |
//! | [`fault`] | what goes wrong |
//! | [`log`] | what was asked |
//! | [`outside`] | what persons do to it |
//! | [`state`] | all of it, to look at |

pub mod call;
mod check;
mod dice;
mod effect;
pub mod fault;
mod feed;
mod guest;
pub mod log;
mod machine;
pub mod outside;
mod serve;
pub mod spec;
pub mod state;
mod task;
mod zones;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use banlieue_backend::Hint;
use banlieue_core::machine::{Capabilities, Identity, Observed, Step};
use uuid::Uuid;

use self::dice::Dice;
use self::fault::Script;
use self::feed::Feed;
use self::log::CallLog;
use self::machine::Machine;
use self::spec::WorldSpec;
use self::task::{Purpose, Task, TaskKey};

/// A simulated hypervisor. Times are durations since it began.
pub struct World {
    spec: WorldSpec,
    dice: Dice,
    now: Duration,
    machines: BTreeMap<Uuid, Machine>,
    /// How each machine looked before its last change.
    before: BTreeMap<Uuid, Option<Observed>>,
    tasks: BTreeMap<TaskKey, Task>,
    last_task: u64,
    sessions: BTreeSet<u64>,
    last_session: u64,
    script: Script,
    log: CallLog,
    feed: Feed,
}

impl World {
    /// A world in which nothing happened yet.
    pub fn new(spec: WorldSpec) -> Self {
        Self {
            dice: Dice::new(spec.seed),
            spec,
            now: Duration::ZERO,
            machines: BTreeMap::new(),
            before: BTreeMap::new(),
            tasks: BTreeMap::new(),
            last_task: 0,
            sessions: BTreeSet::new(),
            last_session: 0,
            script: Script::default(),
            log: CallLog::default(),
            feed: Feed::default(),
        }
    }

    /// What it can do.
    pub fn capabilities(&self) -> Capabilities {
        self.spec.abilities.into()
    }

    /// The same as it is written down.
    pub fn abilities(&self) -> spec::Abilities {
        self.spec.abilities
    }

    /// The faults.
    pub fn script(&mut self) -> &mut Script {
        &mut self.script
    }

    /// The calls.
    pub fn log(&self) -> &CallLog {
        &self.log
    }

    /// Forgets the calls and begins to count anew.
    pub fn clear_log(&mut self) {
        self.log = CallLog::default();
    }

    /// Lets time pass: ends what ends until `now`, in order. Time never goes back.
    pub fn settle(&mut self, now: Duration) {
        while let Some((at, key)) = self.next_end().filter(|(at, _)| *at <= now) {
            self.now = self.now.max(at);
            self.finish(key, at);
        }
        self.now = self.now.max(now);
    }

    /// When something next happens by itself.
    pub fn next_event(&self) -> Option<Duration> {
        self.next_end().map(|(at, _)| at)
    }

    /// Cursor of one who wants to hear of what changes from now on.
    pub fn hint_cursor(&self) -> u64 {
        self.feed.end()
    }

    /// What changed since the cursor.
    pub fn hints_since(&self, cursor: u64) -> Vec<Hint> {
        self.feed.since(cursor)
    }

    /// Whether work ends by hand from now on.
    pub fn set_single_step(&mut self, single_step: bool) {
        self.spec.single_step = single_step;
    }

    /// Ends the task of that number, whatever its time. False when there is none.
    pub fn finish_task(&mut self, id: u64) -> bool {
        let found = self.tasks.iter().find(|(_, task)| task.id == id);
        let Some(key) = found.map(|(key, _)| *key) else {
            return false;
        };
        self.finish(key, self.now);
        true
    }

    /// Ends every task that is there now, in the order in which they began, and says how many.
    pub fn finish_tasks(&mut self) -> usize {
        let mut ids: Vec<u64> = self.tasks.values().map(|task| task.id).collect();
        ids.sort_unstable();
        ids.into_iter().filter(|id| self.finish_task(*id)).count()
    }

    /// Begins work of one machine, and says whether it takes any time.
    fn begin(
        &mut self,
        uuid: Uuid,
        step: Option<(Step, Vec<(String, u64)>)>,
        latency: [u64; 2],
        at: Duration,
    ) -> bool {
        let Some(machine) = self.machines.get_mut(&uuid) else {
            return false;
        };
        machine.works += 1;
        let takes = self
            .dice
            .duration(&format!("{uuid} {}", machine.works), latency);
        self.last_task += 1;
        let purpose = match step {
            Some(_) => Purpose::Step,
            None => Purpose::Boot,
        };
        let (step, reserved) = step.unzip();
        self.tasks.insert(
            (uuid, purpose),
            Task {
                id: self.last_task,
                step,
                ends: Some(at + takes),
                half: false,
                reserved: reserved.unwrap_or_default(),
            },
        );
        let at_once = takes.is_zero() && !self.spec.single_step;
        if at_once && purpose == Purpose::Boot {
            self.finish((uuid, purpose), at);
        }
        !at_once
    }

    /// Keeps how a machine looks before it changes, and tells that it does.
    fn remember(&mut self, identity: &Identity) {
        self.before.insert(identity.uuid(), self.look(identity));
        self.feed.add(identity.uid());
    }

    /// Removes a machine and what the world was doing with it.
    fn forget(&mut self, uuid: Uuid) {
        self.machines.remove(&uuid);
        for purpose in [Purpose::Step, Purpose::Boot] {
            self.tasks.remove(&(uuid, purpose));
        }
    }

    /// How the one who asks for `identity` sees its machine.
    fn look(&self, identity: &Identity) -> Option<Observed> {
        let uuid = identity.uuid();
        let machine = self.machines.get(&uuid)?;
        let task = self.tasks.get(&(uuid, Purpose::Step));
        let zone = self.spec.zones.get(machine.zone);
        let place = zone.map(spec::ZoneSpec::place).unwrap_or_default();
        Some(machine.observed(identity, place, task.and_then(Task::in_flight)))
    }

    fn tasks_of(&self, uuid: Uuid) -> impl Iterator<Item = &Task> {
        let keys = (uuid, Purpose::Step)..=(uuid, Purpose::Boot);
        self.tasks.range(keys).map(|(_, task)| task)
    }

    fn next_end(&self) -> Option<(Duration, TaskKey)> {
        if self.spec.single_step {
            return None;
        }
        let ends = self
            .tasks
            .iter()
            .filter_map(|(key, task)| Some((task.ends?, task.id, *key)));
        ends.min().map(|(at, _, key)| (at, key))
    }
}
