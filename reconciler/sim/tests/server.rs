//! What the suite of backends does not see of the server: the hands of persons, several worlds,
//! and clients whose calls end whatever the server does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use banlieue_backend::{
    Backend, BackendError, Connect, Credentials, Endpoint, ErrorKind, Hint, ImageRequest, Images,
    Inventory, Machines,
};
use banlieue_core::machine::{Desired, Disk, Hardware, Identity, Seed, Step};
use banlieue_schemas::common::PowerState;
use banlieue_schemas::platform::ImageSourceKind;
use banlieue_sim::server::control::Stranger;
use banlieue_sim::server::serve;
use banlieue_sim::world::call::CallKind;
use banlieue_sim::world::fault::{Fault, Rule};
use banlieue_sim::world::log::Outcome;
use banlieue_sim::world::spec::{Latency, ZoneSpec};
use banlieue_sim::{Control, SimClient, SimClientConnect, WorldSpec, Worlds, WorldsSpec};
use futures::StreamExt;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A server with a runtime of its own, so that nothing of it is left once it is dropped: as if its
/// process had been killed.
struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(template: WorldSpec) -> Self {
        Self::listen("127.0.0.1:0".parse().unwrap(), template)
    }

    fn listen(address: SocketAddr, template: WorldSpec) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, told) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            Runtime::new().unwrap().block_on(async {
                let listener = TcpListener::bind(address).await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let worlds = Worlds::new(WorldsSpec {
                    template,
                    ..WorldsSpec::default()
                });
                let stopped = async { drop(stopped.await) };
                serve(listener, Arc::new(worlds), stopped).await.unwrap();
            });
        });
        Self {
            address: told.recv().unwrap(),
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn endpoint(&self, world: &str) -> Endpoint {
        Endpoint {
            url: format!("sim://{}/{world}", self.address),
            ..Endpoint::default()
        }
    }

    fn control(&self, world: &str) -> Control {
        Control::of(&self.endpoint(world)).unwrap()
    }

    async fn connect(&self, world: &str) -> Result<SimClient, BackendError> {
        let connect = SimClientConnect::default();
        let nothing = Credentials::default();
        connect.connect(&self.endpoint(world), &nothing).await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

fn swift() -> WorldSpec {
    WorldSpec {
        latency: Latency::NONE,
        ..WorldSpec::default()
    }
}

fn identity() -> Identity {
    Identity::of("a")
}

fn create() -> Step {
    let zone = ZoneSpec::default();
    Step::Create(Box::new(Desired {
        name: "web-1".into(),
        zone: "z".into(),
        place: zone.place(),
        image: zone.reference("debian-13"),
        hardware: Hardware::default(),
        disks: vec![Disk {
            name: "os".into(),
            size_gib: 10,
            ..Disk::default()
        }],
        nics: Vec::new(),
        seed: Seed::default(),
        power: PowerState::PoweredOn,
    }))
}

fn seed(user_data: &str) -> Step {
    Step::Seed {
        seed: Seed {
            hostname: "web-1".into(),
            user_data: Some(user_data.into()),
        },
        nics: Vec::new(),
    }
}

#[tokio::test]
async fn worlds_of_one_server_know_nothing_of_each_other() {
    let server = Server::start(swift());
    let east = server.connect("east").await.unwrap();
    let west = server.connect("west").await.unwrap();
    east.execute(&identity(), &create()).await.unwrap();
    assert!(east.observe(&identity()).await.unwrap().is_some());
    assert_eq!(west.observe(&identity()).await.unwrap(), None);
    assert_eq!(server.control("west").state().await.unwrap().machines, []);
}

#[tokio::test]
async fn a_person_sees_the_world_and_lays_hands_on_it() {
    let server = Server::start(swift());
    let (backend, control) = (server.connect("w").await.unwrap(), server.control("w"));
    backend.execute(&identity(), &create()).await.unwrap();
    let text = "#cloud-config \"ä\" ${IP}\n";
    backend.execute(&identity(), &seed(text)).await.unwrap();
    assert_eq!(control.user_data(&identity()).await.unwrap(), text);

    control
        .power(&identity(), PowerState::PoweredOn)
        .await
        .unwrap();
    control.attach(&identity(), "usb").await.unwrap();
    let seen = backend.observe(&identity()).await.unwrap().unwrap();
    assert_eq!(seen.power, PowerState::PoweredOn);
    assert!(seen.strangers_attached);

    let stranger = Stranger {
        name: "other".into(),
        ..Stranger::default()
    };
    control.place_stranger(&stranger).await.unwrap();
    let state = control.state().await.unwrap();
    assert_eq!(state.machines.len(), 2);
    assert_eq!(state.of(&identity()).count(), 1);

    control.remove(&identity(), false).await.unwrap();
    assert_eq!(backend.observe(&identity()).await.unwrap(), None);
    assert!(control.remove(&identity(), false).await.is_err());
}

#[tokio::test]
async fn images_come_and_go() {
    let server = Server::start(swift());
    let (backend, control) = (server.connect("w").await.unwrap(), server.control("w"));
    let request = ImageRequest {
        kind: ImageSourceKind::Template,
        reference: "fedora".into(),
        place: ZoneSpec::default().place(),
    };
    assert_eq!(backend.find(&request).await.unwrap(), None);
    control.put_image(("dc1", "a"), "fedora", 4).await.unwrap();
    let found = backend.find(&request).await.unwrap();
    assert_eq!(found.as_deref(), Some("dc1/a/fedora"));
    control.remove_image(("dc1", "a"), "fedora").await.unwrap();
    assert_eq!(backend.find(&request).await.unwrap(), None);
    assert!(control.put_image(("dc9", "a"), "fedora", 4).await.is_err());
}

#[tokio::test]
async fn work_ends_by_hand_or_when_time_is_skipped() {
    let server = Server::start(WorldSpec::default());
    let (backend, control) = (server.connect("w").await.unwrap(), server.control("w"));
    let complete = async || backend.observe(&identity()).await.unwrap().unwrap().defined;
    control.set_single_step(true).await.unwrap();
    backend.execute(&identity(), &create()).await.unwrap();
    control.skip(3_600_000).await.unwrap();
    assert!(!complete().await);
    let task = control.state().await.unwrap().tasks[0].id;
    control.finish_task(task).await.unwrap();
    assert!(control.finish_task(task).await.is_err());
    assert!(complete().await);

    control.set_single_step(false).await.unwrap();
    backend.execute(&identity(), &Step::Delete).await.unwrap();
    assert!(backend.observe(&identity()).await.unwrap().is_some());
    control.skip(3_600_000).await.unwrap();
    assert_eq!(backend.observe(&identity()).await.unwrap(), None);
}

#[tokio::test]
async fn faults_strike_and_the_log_tells() {
    let server = Server::start(swift());
    let (backend, control) = (server.connect("w").await.unwrap(), server.control("w"));
    control.clear_calls().await.unwrap();
    let rule = Rule::new(Fault::LostAnswer).on(CallKind::Create).of("a");
    control.add_fault(&rule).await.unwrap();
    let error = backend.execute(&identity(), &create()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Retry);
    assert_eq!(control.faults().await.unwrap()[0].fired, 1);
    control.clear_faults().await.unwrap();
    backend.execute(&identity(), &create()).await.unwrap();
    let log = control.calls().await.unwrap();
    let outcomes: Vec<Outcome> = log.calls.iter().map(|call| call.outcome).collect();
    assert_eq!(outcomes, [Outcome::LostAnswer, Outcome::Done]);
    assert_eq!((log.total, log.counts[&CallKind::Create]), (2, 2));
}

#[tokio::test]
async fn a_call_ends_although_no_answer_comes() {
    let server = Server::start(swift());
    let control = server.control("w");
    let connect = SimClientConnect::with_deadline(Duration::from_secs(2));
    let nothing = Credentials::default();
    let endpoint = server.endpoint("w");
    let backend = connect.connect(&endpoint, &nothing).await.unwrap();
    let rule = Rule::new(Fault::BlackHole).on(CallKind::Survey);
    control.add_fault(&rule).await.unwrap();
    let error = backend.survey().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Retry);
    let log = control.calls().await.unwrap();
    assert_eq!(log.calls.last().unwrap().outcome, Outcome::NoAnswer);
}

#[tokio::test]
async fn nobody_at_the_endpoint_is_worth_another_try_and_a_wrong_endpoint_is_not() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let kind = async |url: String| {
        let endpoint = Endpoint {
            url,
            ..Endpoint::default()
        };
        let connect = SimClientConnect::default();
        let result = connect.connect(&endpoint, &Credentials::default()).await;
        result.err().unwrap().kind()
    };
    assert_eq!(kind(format!("sim://{address}")).await, ErrorKind::Retry);
    assert_eq!(kind("https://lab".into()).await, ErrorKind::Refused);
}

#[tokio::test]
async fn a_password_is_asked_for_and_not_told() {
    let server = Server::start(WorldSpec {
        password: Some("hunter2".into()),
        ..swift()
    });
    let log_in = async |password: &str| {
        let data = [("password".to_owned(), password.as_bytes().to_vec())];
        let credentials = Credentials::new(data.into());
        let connect = SimClientConnect::default();
        let endpoint = server.endpoint("w");
        connect.connect(&endpoint, &credentials).await
    };
    let session = log_in("hunter2").await.unwrap();
    session.survey().await.unwrap();
    let error = log_in("hunter3").await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Auth);
    assert!(!format!("{error:?}").contains("hunter"));
    let error = server.connect("w").await.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Auth);

    let control = server.control("w");
    control.set_password(Some("hunter3")).await.unwrap();
    let error = session.survey().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Auth);
    assert!(log_in("hunter2").await.is_err());
    assert!(log_in("hunter3").await.is_ok());
    control.set_password(None).await.unwrap();
    assert!(server.connect("w").await.is_ok());
}

#[tokio::test]
async fn a_closed_session_is_not_accepted_any_more() {
    let server = Server::start(swift());
    let backend = server.connect("w").await.unwrap();
    assert_eq!(server.control("w").state().await.unwrap().sessions, 1);
    backend.close().await;
    let error = backend.observe(&identity()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Auth);
    assert_eq!(server.control("w").state().await.unwrap().sessions, 0);
}

#[tokio::test]
async fn hints_name_the_machine_and_also_what_persons_do() {
    let server = Server::start(swift());
    let backend = server.connect("w").await.unwrap();
    let mut hints = backend.changes();
    let ours = Hint::Machine("a".to_owned());
    backend.execute(&identity(), &create()).await.unwrap();
    assert_eq!(hints.next().await.unwrap(), ours);
    let control = server.control("w");
    control
        .power(&identity(), PowerState::PoweredOn)
        .await
        .unwrap();
    assert_eq!(hints.next().await.unwrap(), ours);
}

#[tokio::test]
async fn a_server_that_was_started_again_has_lost_its_world_and_says_so() {
    let server = Server::start(swift());
    let backend = server.connect("w").await.unwrap();
    let mut hints = backend.changes();
    backend.execute(&identity(), &create()).await.unwrap();
    assert!(hints.next().await.is_some());
    let address = server.address;
    drop(server);
    let server = Server::listen(address, swift());
    // A session of the world before: an error, never an absence.
    let error = backend.observe(&identity()).await.unwrap_err();
    assert_ne!(error.kind(), ErrorKind::NotFound);
    assert_eq!(hints.next().await, Some(Hint::Any));
    let backend = server.connect("w").await.unwrap();
    assert_eq!(backend.observe(&identity()).await.unwrap(), None);
}
