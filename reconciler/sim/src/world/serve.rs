//! From a call to its reply: faults, session, the call itself, the log.

use std::time::Duration;

use banlieue_backend::{BackendError, ErrorKind, ImageRequest, Progress};
use banlieue_core::machine::{Identity, Step};
use banlieue_schemas::common::PowerState;
use banlieue_schemas::platform::ImageSourceKind;

use super::World;
use super::call::{Answer, Call, CallKind, Reply};
use super::check::Verdict;
use super::fault::Fault;
use super::log::Outcome;
use super::task::{Purpose, Task};

/// When to look again at work whose end is not known.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl World {
    /// Answers a call that comes in at `now` with a session, as the faults have it.
    pub fn call(&mut self, now: Duration, session: Option<u64>, call: &Call) -> Reply {
        self.settle(now);
        let kind = call.kind();
        let uid = call.machine().map(Identity::uid);
        let fault = self.script.next(kind, uid);
        let (outcome, reply) = self.reply(session, call, fault.as_ref());
        self.log
            .add(self.now, kind, uid.map(str::to_owned), outcome);
        reply
    }

    /// Ends a session.
    pub fn close(&mut self, session: u64) {
        self.sessions.remove(&session);
    }

    fn reply(
        &mut self,
        session: Option<u64>,
        call: &Call,
        fault: Option<&Fault>,
    ) -> (Outcome, Reply) {
        if let Some(fault) = fault {
            self.before_call(session, call, fault);
        }
        let result = match fault {
            Some(Fault::BlackHole) => return (Outcome::NoAnswer, Reply::Never),
            Some(Fault::Error(kind)) => Err(BackendError::new(
                *kind,
                format!("the simulator was told to answer: {kind}"),
            )),
            Some(Fault::DuplicateName) => Err(BackendError::new(
                ErrorKind::Refused,
                "a machine of that name exists",
            )),
            Some(Fault::OutOfSpace) => Err(BackendError::new(
                ErrorKind::Refused,
                "there is no space left",
            )),
            _ => self.perform(session, call, fault),
        };
        let after = match fault {
            Some(Fault::Slow(ms)) => Duration::from_millis(*ms),
            _ => Duration::ZERO,
        };
        let (outcome, result) = match result {
            Err(error) => (Outcome::Error(error.kind()), Err(error)),
            Ok(_) if fault == Some(&Fault::LostAnswer) => {
                let lost = BackendError::new(ErrorKind::Retry, "the answer was lost");
                (Outcome::LostAnswer, Err(lost))
            }
            Ok(answer) => (Outcome::Done, Ok(answer)),
        };
        (outcome, Reply::Answer { after, result })
    }

    /// What a fault changes before the call gets through.
    fn before_call(&mut self, session: Option<u64>, call: &Call, fault: &Fault) {
        match (fault, call.machine()) {
            (Fault::SessionExpired, _) => {
                if let Some(session) = session {
                    self.close(session);
                }
            }
            (Fault::RemovedByHand, Some(identity)) => {
                self.remove_by_hand(identity, false);
            }
            (Fault::StrangerByUuid, Some(identity)) => {
                self.place_stranger("by-uuid", 0, Some(identity.uuid()));
            }
            (Fault::StrangerByName, Some(_)) => {
                if let Call::Execute(_, Step::Create(desired)) = call {
                    let zone = self.zone_at(&desired.place).unwrap_or_default();
                    self.place_stranger(&desired.name, zone, None);
                }
            }
            _ => {}
        }
    }

    fn perform(
        &mut self,
        session: Option<u64>,
        call: &Call,
        fault: Option<&Fault>,
    ) -> Result<Answer, BackendError> {
        if let Call::Connect { password } = call {
            return self.connect(password.as_deref()).map(Answer::Session);
        }
        if !session.is_some_and(|session| self.sessions.contains(&session)) {
            return Err(BackendError::new(
                ErrorKind::Auth,
                "the session has expired",
            ));
        }
        match call {
            Call::Connect { .. } | Call::Survey => Ok(Answer::Survey(self.survey())),
            Call::FindImage(request) => self.find_image(request).map(Answer::Image),
            Call::Observe(identity) => {
                let stale = (fault == Some(&Fault::StaleRead))
                    .then(|| self.before.get(&identity.uuid()).cloned())
                    .flatten();
                let seen = stale.unwrap_or_else(|| self.look(identity));
                Ok(Answer::Observed(seen.map(Box::new)))
            }
            Call::Execute(identity, step) => {
                self.execute(identity, step, fault).map(Answer::Progress)
            }
        }
    }

    fn connect(&mut self, password: Option<&[u8]>) -> Result<u64, BackendError> {
        let wanted = self.spec.password.as_ref().map(String::as_bytes);
        if wanted.is_some() && wanted != password {
            return Err(BackendError::new(
                ErrorKind::Auth,
                "the password is missing or wrong",
            ));
        }
        self.last_session += 1;
        self.sessions.insert(self.last_session);
        Ok(self.last_session)
    }

    fn find_image(&self, request: &ImageRequest) -> Result<Option<String>, BackendError> {
        if request.kind == ImageSourceKind::Url {
            return Err(BackendError::new(
                ErrorKind::Unsupported,
                "the simulator has no use for images of kind Url",
            ));
        }
        let zone = self.zone(self.zone_at(&request.place)?)?;
        let found = zone
            .images
            .iter()
            .find(|image| image.name == request.reference);
        Ok(found.map(|image| zone.reference(&image.name)))
    }

    fn execute(
        &mut self,
        identity: &Identity,
        step: &Step,
        fault: Option<&Fault>,
    ) -> Result<Progress, BackendError> {
        let key = (identity.uuid(), Purpose::Step);
        if let Some(task) = self.tasks.get(&key) {
            if task.step.as_ref() == Some(step) {
                return Ok(self.in_flight(task));
            }
            if !unplugs(task, step) {
                return Err(BackendError::new(
                    ErrorKind::Busy,
                    "the machine is being worked on",
                ));
            }
            self.tasks.remove(&key);
        }
        let Verdict::Begin(reserved) = self.check(identity, step)? else {
            return Ok(Progress::Done);
        };
        self.remember(identity);
        if let Step::Create(desired) = step {
            self.conceive(identity, desired)?;
        }
        let latency = self.latency(step);
        let lasts = self.begin(key.0, Some((step.clone(), reserved)), latency, self.now);
        if let Some(task) = self.tasks.get_mut(&key) {
            task.half = fault == Some(&Fault::HalfDone);
            if fault == Some(&Fault::Hanging) {
                task.ends = None;
                return Ok(self.in_flight_of(identity));
            }
        }
        if lasts {
            return Ok(self.in_flight_of(identity));
        }
        self.finish(key, self.now);
        if fault == Some(&Fault::HalfDone) {
            return Err(BackendError::new(ErrorKind::Retry, "the work broke off"));
        }
        Ok(Progress::Done)
    }

    fn in_flight_of(&self, identity: &Identity) -> Progress {
        let task = self.tasks.get(&(identity.uuid(), Purpose::Step));
        task.map_or(Progress::Done, |task| self.in_flight(task))
    }

    fn in_flight(&self, task: &Task) -> Progress {
        let left = task.ends.map(|ends| ends.saturating_sub(self.now));
        Progress::InFlight {
            handle: task.handle(),
            look_again: left.unwrap_or(LOOK_AGAIN),
        }
    }

    fn latency(&self, step: &Step) -> [u64; 2] {
        let latency = &self.spec.latency;
        match step {
            Step::Create(_) => latency.create,
            Step::Configure { .. } => latency.configure,
            Step::Disks(_) => latency.disks,
            Step::Seed { .. } => latency.seed,
            Step::Power {
                to: PowerState::PoweredOff,
                hard: false,
            } => latency.shutdown,
            Step::Power { .. } => latency.power,
            Step::Detach => latency.detach,
            Step::Delete => latency.delete,
        }
    }
}

impl CallKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Connect,
        Self::Survey,
        Self::FindImage,
        Self::Observe,
        Self::Create,
        Self::Configure,
        Self::Disks,
        Self::Seed,
        Self::Power,
        Self::Detach,
        Self::Delete,
    ];
}

/// Whether `step` pulls the plug of a machine that is being switched.
fn unplugs(task: &Task, step: &Step) -> bool {
    matches!(task.step, Some(Step::Power { .. })) && matches!(step, Step::Power { hard: true, .. })
}
