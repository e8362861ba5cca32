//! Where every call of every process passes: counted, put into one order, and made to go wrong.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A call, to the API server or to a backend.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// Who made it: `controller`, or the name of a Provider.
    pub process: String,
    /// Verb of the API server, or `backend`.
    pub verb: &'static str,
    /// Resource, or kind of backend call.
    pub what: String,
    /// Name of the object, or UID of the object whose machine a backend call is about. Empty for
    /// many objects, for none, and for one that is posted.
    pub object: String,
}

/// What a call is, whatever it is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Who makes it.
    pub process: String,
    /// Verb of the API server, or `backend`.
    pub verb: &'static str,
    /// Resource, or kind of backend call.
    pub what: String,
}

/// A call of a flow. Processes race, so that its place among all calls is another in every run: its
/// place among those of its kind is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// What it is.
    pub kind: Kind,
    /// Which of its kind, from 1.
    pub nth: usize,
}

impl Call {
    /// What it is, whatever it is about.
    pub fn kind(&self) -> Kind {
        Kind {
            process: self.process.clone(),
            verb: self.verb,
            what: self.what.clone(),
        }
    }

    /// Whether it changes something on the API server.
    pub fn is_write(&self) -> bool {
        !self.is_read() && !self.is_backend()
    }

    /// Whether it writes a machine, or its status, to the API server.
    pub fn is_write_of_machine(&self) -> bool {
        let resource = self.what.split('/').next().unwrap_or_default();
        self.is_write() && resource.ends_with("machines")
    }

    /// Whether it reads from the API server.
    pub fn is_read(&self) -> bool {
        matches!(self.verb, "get" | "list")
    }

    /// Whether it changes nothing anywhere, such as what processes do for ever.
    pub fn is_look(&self) -> bool {
        let looks = ["connect", "observe", "survey", "findimage"];
        self.is_read() || self.is_backend() && looks.contains(&self.what.as_str())
    }

    /// Whether it goes to a backend.
    pub fn is_backend(&self) -> bool {
        self.verb == "backend"
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.process, self.verb, self.what)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.kind, self.nth)
    }
}

/// How a call goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// It is not done, and its caller gets an error.
    FailsBefore,
    /// It is done, and its caller gets an error.
    AnswerLost,
    /// It is done, and its caller dies.
    CallerDies,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 3] = [Self::FailsBefore, Self::AnswerLost, Self::CallerDies];
}

/// One life of a process, from its start to its death.
#[derive(Debug)]
pub struct Life {
    /// Name of the process.
    pub process: String,
    dead: AtomicBool,
    died: CancellationToken,
}

impl Life {
    /// A process that just started.
    pub fn new(process: &str) -> Arc<Self> {
        Arc::new(Self {
            process: process.to_owned(),
            dead: AtomicBool::new(false),
            died: CancellationToken::new(),
        })
    }

    /// Ends it: no further call leaves it, and no answer reaches it.
    pub fn end(&self) {
        self.dead.store(true, Ordering::SeqCst);
        self.died.cancel();
    }

    /// Whether it ended.
    pub fn is_over(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Waits for its end.
    pub async fn over(&self) {
        self.died.cancelled().await;
    }
}

/// The gate of one case.
#[derive(Debug)]
pub struct Gate {
    state: Mutex<State>,
    /// Counts calls that entered or ended, looks left out.
    touched: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<Call>,
    /// Calls that wait for their answer.
    open: usize,
    /// Which of the calls from now on goes wrong.
    plan: Option<(Point, Fault)>,
    struck: Option<Point>,
    violations: Vec<String>,
}

/// What a call has to do, taken at the gate.
#[derive(Debug)]
pub struct Pass {
    gate: Arc<Gate>,
    /// The fault, if it is this call's turn.
    pub fault: Option<Fault>,
    is_look: bool,
}

impl Gate {
    /// A gate at which nothing goes wrong.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            touched: watch::Sender::new(0),
        })
    }

    /// Forgets the calls so far.
    pub fn forget(&self) {
        let mut state = self.state();
        state.calls.clear();
        state.struck = None;
        state.plan = None;
    }

    /// Forgets the calls so far, and makes this one of those from now on go wrong.
    pub fn strike(&self, point: Point, fault: Fault) {
        self.forget();
        self.state().plan = Some((point, fault));
    }

    /// The call that went wrong.
    pub fn struck(&self) -> Option<Point> {
        self.state().struck.clone()
    }

    /// The calls since they were last forgotten.
    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// Records that something was seen which must never be.
    pub fn violated(&self, what: String) {
        self.state().violations.push(what);
    }

    /// What was seen that must never be.
    pub fn violations(&self) -> Vec<String> {
        self.state().violations.clone()
    }

    /// Lets a call in. It is under way until the pass is dropped.
    pub fn enter(self: &Arc<Self>, call: Call) -> Pass {
        let is_look = call.is_look();
        let mut state = self.state();
        let kind = call.kind();
        state.calls.push(call);
        state.open += 1;
        let nth = state.calls.iter().filter(|it| it.kind() == kind).count();
        let now = Point { kind, nth };
        let turn = state.plan.take_if(|(point, _)| *point == now);
        if turn.is_some() {
            state.struck = Some(now);
        }
        drop(state);
        self.touch(is_look);
        Pass {
            gate: Arc::clone(self),
            fault: turn.map(|(_, fault)| fault),
            is_look,
        }
    }

    /// Counter of calls that entered or ended, looks left out.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.touched.subscribe()
    }

    /// Whether a call waits for its answer.
    pub fn is_busy(&self) -> bool {
        self.state().open > 0
    }

    fn touch(&self, is_look: bool) {
        if !is_look {
            self.touched.send_modify(|count| *count += 1);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.gate.state().open -= 1;
        self.gate.touch(self.is_look);
    }
}
