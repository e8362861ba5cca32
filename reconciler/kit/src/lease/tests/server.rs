//! One Lease, with the optimistic concurrency of the API server.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::fake::{Answer, Call, Fake};

#[derive(Clone, Copy, PartialEq)]
enum Line {
    Up,
    Cut,
    /// Requests vanish.
    Silent,
    /// Requests arrive, answers do not.
    LosesAnswers,
}

#[derive(Default)]
struct Stored {
    lease: Option<Value>,
    version: u64,
}

/// The Lease, and a line to it.
#[derive(Clone)]
pub(super) struct LeaseServer {
    stored: Arc<Mutex<Stored>>,
    line: Arc<Mutex<Line>>,
}

impl LeaseServer {
    pub(super) fn new() -> Self {
        Self {
            stored: Arc::default(),
            line: Arc::new(Mutex::new(Line::Up)),
        }
    }

    /// Another line to the same Lease.
    pub(super) fn branch(&self) -> Self {
        Self {
            stored: Arc::clone(&self.stored),
            line: Arc::new(Mutex::new(Line::Up)),
        }
    }

    pub(super) fn fake(&self) -> Fake {
        let server = self.clone();
        Fake::new(move |call| server.answer(call))
    }

    pub(super) fn lease(&self) -> Value {
        self.stored.lock().unwrap().lease.clone().unwrap()
    }

    pub(super) fn holder(&self) -> String {
        self.lease()["spec"]["holderIdentity"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub(super) fn cut(&self) {
        *self.line.lock().unwrap() = Line::Cut;
    }

    pub(super) fn silence(&self) {
        *self.line.lock().unwrap() = Line::Silent;
    }

    pub(super) fn mend(&self) {
        *self.line.lock().unwrap() = Line::Up;
    }

    pub(super) fn lose_answers(&self) {
        *self.line.lock().unwrap() = Line::LosesAnswers;
    }

    /// Somebody labels the Lease.
    pub(super) fn touch(&self) {
        let mut stored = self.stored.lock().unwrap();
        let mut lease = stored.lease.take().unwrap();
        lease["metadata"]["labels"] = json!({"touched": "yes"});
        stored.store(lease);
    }

    pub(super) fn remove(&self) {
        self.stored.lock().unwrap().lease = None;
    }

    fn answer(&self, call: &Call) -> Answer {
        let line = *self.line.lock().unwrap();
        match line {
            Line::Cut => return Answer::Break,
            Line::Silent => return Answer::Hang,
            Line::Up | Line::LosesAnswers => {}
        }
        let answer = self.stored.lock().unwrap().serve(call);
        if line == Line::LosesAnswers {
            return Answer::Break;
        }
        answer
    }
}

impl Stored {
    fn serve(&mut self, call: &Call) -> Answer {
        match (call.method.as_str(), self.lease.clone()) {
            ("GET" | "PUT", None) => Answer::refusal(404, "NotFound"),
            ("GET", Some(lease)) => Answer::ok(lease),
            ("POST", None) => Answer::ok(self.store(call.body.clone())),
            ("POST", Some(_)) => Answer::refusal(409, "AlreadyExists"),
            ("PUT", Some(lease)) => {
                let version = &call.body["metadata"]["resourceVersion"];
                assert!(
                    version.is_string(),
                    "a write without resourceVersion: {call:?}"
                );
                if *version == lease["metadata"]["resourceVersion"] {
                    Answer::ok(self.store(call.body.clone()))
                } else {
                    Answer::refusal(409, "Conflict")
                }
            }
            (method, _) => panic!("{method} is not granted"),
        }
    }

    fn store(&mut self, mut lease: Value) -> Value {
        self.version += 1;
        lease["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.lease = Some(lease.clone());
        lease
    }
}
