//! One machine under test, and what is done with it again and again.

use std::fmt::Debug;
use std::time::Duration;

use banlieue_core::machine::{
    Capabilities, Desired, Identity, Leaving, Next, Observed, Plan, Stamp, Step, Teardown, plan,
    teardown,
};
use banlieue_schemas::common::PowerState;

use super::fixture::{Act, Fixture};
use super::report::Failure;
use crate::{Backend, BackendError, ErrorKind, Machines, Progress};

/// How often something is looked at before it counts as hanging.
const LOOKS: usize = 600;
/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// A machine under test.
pub struct Bench<'f, F: Fixture> {
    /// The hypervisor.
    pub fixture: &'f F,
    /// The connection.
    pub backend: F::Backend,
    /// Which machine.
    pub identity: Identity,
    /// How it should be.
    pub desired: Desired,
}

impl<'f, F: Fixture> Bench<'f, F> {
    /// A machine that is not there yet.
    pub(super) async fn new(fixture: &'f F, case: &str) -> Result<Self, Failure> {
        let identity = fixture.identity(case);
        // Short enough for any hypervisor, and nobody else's.
        let name: String = identity.uuid().simple().to_string();
        let backend = fixture.connect().await;
        Ok(Self {
            backend: backend.map_err(failed("connect"))?,
            desired: fixture.desired(&format!("m-{}", &name[..12])),
            fixture,
            identity,
        })
    }

    /// Makes a new connection, as a process does that was started again.
    pub async fn restart(&mut self) -> Result<(), Failure> {
        self.backend = self.fixture.connect().await.map_err(failed("connect"))?;
        Ok(())
    }

    /// Does something past the backend.
    pub async fn act(&self, act: Act) -> Result<(), Failure> {
        Ok(self.fixture.act(act).await?)
    }

    /// What the backend can do.
    pub fn can(&self) -> Capabilities {
        self.backend.capabilities()
    }

    /// Looks at the machine.
    pub async fn look(&self) -> Result<Option<Observed>, Failure> {
        let seen = self.backend.observe(&self.identity).await;
        seen.map_err(failed("observe"))
    }

    /// Looks at a machine that has to be there.
    pub async fn there(&self) -> Result<Observed, Failure> {
        let missing = || Failure::Expectation("the machine is not there".to_owned());
        self.look().await?.ok_or_else(missing)
    }

    /// Begins a step.
    pub async fn execute(&self, step: &Step) -> Result<Progress, Failure> {
        let progress = self.backend.execute(&self.identity, step).await;
        progress.map_err(failed(step.kind().as_str()))
    }

    /// Does a step, and waits until it is done.
    pub async fn finish(&self, step: &Step) -> Result<Option<Observed>, Failure> {
        self.execute(step).await?;
        self.quiet().await
    }

    /// Begins a step that has to fail with an error of that kind.
    pub async fn refused(&self, step: &Step, kind: ErrorKind) -> Result<BackendError, Failure> {
        match self.backend.execute(&self.identity, step).await {
            Err(error) => {
                same(
                    &format!("kind of error of {}", step.kind()),
                    &error.kind(),
                    &kind,
                )?;
                Ok(error)
            }
            Ok(_) => Err(Failure::Expectation(format!(
                "{} should fail with {kind}",
                step.kind()
            ))),
        }
    }

    /// Waits until nothing is in flight.
    pub async fn quiet(&self) -> Result<Option<Observed>, Failure> {
        for _ in 0..LOOKS {
            let seen = self.look().await?;
            if seen.as_ref().is_none_or(|seen| seen.in_flight.is_none()) {
                return Ok(seen);
            }
            self.fixture.pass(PAUSE).await;
        }
        Err(Failure::Expectation("the work does not end".to_owned()))
    }

    /// Waits until the machine looks as it should.
    pub async fn until(
        &self,
        what: &str,
        as_wanted: impl Fn(&Observed) -> bool + Send,
    ) -> Result<Observed, Failure> {
        for _ in 0..LOOKS {
            if let Some(seen) = self.look().await?.filter(|seen| as_wanted(seen)) {
                return Ok(seen);
            }
            self.fixture.pass(PAUSE).await;
        }
        Err(Failure::Expectation(format!("it never happens: {what}")))
    }

    /// Makes the machine complete, without switching it on.
    pub async fn make(&self) -> Result<Observed, Failure> {
        let off = Desired {
            power: PowerState::PoweredOff,
            ..self.desired.clone()
        };
        self.rest(&off).await
    }

    /// Makes the machine complete, running.
    pub async fn make_running(&self) -> Result<Observed, Failure> {
        let on = Desired {
            power: PowerState::PoweredOn,
            ..self.desired.clone()
        };
        self.rest(&on).await
    }

    /// Does what is planned until nothing is.
    pub async fn rest(&self, desired: &Desired) -> Result<Observed, Failure> {
        for _ in 0..LOOKS {
            let seen = self.look().await?;
            let Plan { next, .. } = plan(desired, seen.as_ref(), false, &self.can());
            match (next, seen) {
                (Next::Do(step), _) => self.attempt(&step).await?,
                (Next::Wait(_), _) => self.fixture.pass(PAUSE).await,
                (Next::Nothing, Some(seen)) => return Ok(seen),
                (next, _) => return Err(Failure::Expectation(format!("the plan is {next:?}"))),
            }
        }
        Err(Failure::Expectation("the plan does not end".to_owned()))
    }

    /// Removes the machine the way it is done in earnest, and looks whether anything is left.
    pub async fn tear_down(&self) -> Result<(), Failure> {
        for round in 0..LOOKS {
            let seen = self.look().await?;
            let overdue = round > LOOKS / 2;
            let leaving = if overdue {
                Leaving::Overdue
            } else {
                Leaving::Graceful
            };
            match teardown(seen.as_ref(), leaving) {
                Teardown::Do(step) => self.attempt(&step).await?,
                Teardown::Wait(_) => self.fixture.pass(PAUSE).await,
                Teardown::Gone => return self.nothing_left(seen).await,
            }
        }
        Err(Failure::Expectation("the teardown does not end".to_owned()))
    }

    /// That there is nothing of the machine, also for one who looks past the backend.
    async fn nothing_left(&self, seen: Option<Observed>) -> Result<(), Failure> {
        if seen.is_some_and(|seen| seen.stamp == Stamp::Foreign) {
            return Ok(());
        }
        match self.fixture.count(&self.identity).await {
            Ok(count) => same("machines left", &count, &0),
            // What the backend says has to do.
            Err(_) => Ok(()),
        }
    }

    /// Does a step; what may work next time is tried next time.
    async fn attempt(&self, step: &Step) -> Result<(), Failure> {
        match self.backend.execute(&self.identity, step).await {
            Ok(_) => Ok(()),
            Err(error) if matches!(error.kind(), ErrorKind::Retry | ErrorKind::Busy) => {
                self.fixture.pass(PAUSE).await;
                Ok(())
            }
            Err(error) => Err(failed(step.kind().as_str())(error)),
        }
    }

    /// Ends the session.
    pub async fn close(&self) {
        self.backend.close().await;
    }
}

/// Turns an error that should not be into a failure.
pub(super) fn failed(call: &'static str) -> impl FnOnce(BackendError) -> Failure {
    move |source| Failure::Call { call, source }
}

/// Expects a condition.
pub(super) fn expect(holds: bool, what: &str) -> Result<(), Failure> {
    if holds {
        return Ok(());
    }
    Err(Failure::Expectation(format!("it does not hold: {what}")))
}

/// Expects a value.
pub(super) fn same<T: PartialEq + Debug>(what: &str, is: &T, wanted: &T) -> Result<(), Failure> {
    if is == wanted {
        return Ok(());
    }
    Err(Failure::Expectation(format!(
        "{what} is {is:?}, not {wanted:?}"
    )))
}
