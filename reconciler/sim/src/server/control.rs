//! What persons and tests ask for, under `/control/worlds`. Machines are named by the UID of their
//! object.
//!
//! | request | does |
//! |---|---|
//! | `GET /` | names of the worlds that began |
//! | `GET /{world}` | all of the world: [`WorldState`] |
//! | `GET`, `DELETE /{world}/calls` | the log: [`Calls`]; begin it anew |
//! | `GET`, `POST`, `DELETE /{world}/faults` | the rules: [`Watched`]; add a [`Rule`]; remove all |
//! | `PUT /{world}/single-step` | `true` or `false` |
//! | `PUT /{world}/password` | change it and end every session; `null` lets everybody in |
//! | `POST /{world}/tasks/{id}/finish` | end one piece of work; 404 when there is none |
//! | `POST /{world}/tasks/finish` | end all work; how much it was |
//! | `POST /{world}/skip` | skip so many milliseconds |
//! | `POST /{world}/strangers` | make a machine that is not ours: [`Stranger`] |
//! | `POST /{world}/machines/{uid}/remove` | remove it by hand: [`Removal`] |
//! | `POST /{world}/machines/{uid}/attach` | attach a stranger's disk of that name |
//! | `POST /{world}/machines/{uid}/power` | switch it by hand to a `PowerState` |
//! | `GET /{world}/machines/{uid}/user-data` | what its guest reads; 404 when there is nothing |
//! | `PUT`, `DELETE /{world}/zones/{datacenter}/{cluster}/images/{name}` | add an image with a disk of so many GiB, remove it |

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use banlieue_core::machine::Identity;
use banlieue_schemas::common::PowerState;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::world::World;
use crate::world::call::CallKind;
use crate::world::fault::{Rule, Watched};
use crate::world::log::LoggedCall;
use crate::world::spec::ImageSpec;
use crate::world::state::WorldState;
use crate::worlds::Worlds;

/// The log of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Calls {
    /// How many calls were made since the log was last cleared.
    pub total: u64,
    /// How many of each kind.
    pub counts: BTreeMap<CallKind, u64>,
    /// The last of them, the oldest first.
    pub calls: Vec<LoggedCall>,
}

/// A machine that is not ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stranger {
    /// Its name.
    pub name: String,
    /// Index of its zone.
    #[serde(default)]
    pub zone: usize,
    /// Its UUID. None means one that nobody asks for.
    #[serde(default)]
    pub uuid: Option<Uuid>,
}

/// How a machine is removed by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Removal {
    /// Whether its disks stay.
    #[serde(default)]
    pub leave_disks: bool,
}

type Shared = State<Arc<Worlds>>;

pub(super) fn router() -> Router<Arc<Worlds>> {
    let machine = Router::new()
        .route("/remove", post(remove))
        .route("/attach", post(attach))
        .route("/power", post(power))
        .route("/user-data", get(user_data));
    Router::new()
        .route("/", get(names))
        .route("/{world}", get(state))
        .route("/{world}/calls", get(calls).delete(clear_calls))
        .route(
            "/{world}/faults",
            get(faults).post(add_fault).delete(clear_faults),
        )
        .route("/{world}/single-step", put(single_step))
        .route("/{world}/password", put(password))
        .route("/{world}/tasks/finish", post(finish_tasks))
        .route("/{world}/tasks/{id}/finish", post(finish_task))
        .route("/{world}/skip", post(skip))
        .route("/{world}/strangers", post(place_stranger))
        .nest("/{world}/machines/{uid}", machine)
        .route(
            "/{world}/zones/{datacenter}/{cluster}/images/{name}",
            put(put_image).delete(remove_image),
        )
}

async fn names(State(worlds): Shared) -> Json<Vec<String>> {
    Json(worlds.names())
}

async fn state(State(worlds): Shared, Path(world): Path<String>) -> Json<WorldState> {
    Json(worlds.get(&world).with(|world| world.state()))
}

async fn calls(State(worlds): Shared, Path(world): Path<String>) -> Json<Calls> {
    Json(worlds.get(&world).with(|world| Calls {
        total: world.log().total(),
        counts: world.log().counts().clone(),
        calls: world.log().calls().cloned().collect(),
    }))
}

async fn clear_calls(State(worlds): Shared, Path(world): Path<String>) {
    worlds.get(&world).with(World::clear_log);
}

async fn faults(State(worlds): Shared, Path(world): Path<String>) -> Json<Vec<Watched>> {
    let rules = |world: &mut World| world.script().rules().to_vec();
    Json(worlds.get(&world).with(rules))
}

async fn add_fault(State(worlds): Shared, Path(world): Path<String>, Json(rule): Json<Rule>) {
    worlds.get(&world).with(|world| world.script().add(rule));
}

async fn clear_faults(State(worlds): Shared, Path(world): Path<String>) {
    worlds.get(&world).with(|world| world.script().clear());
}

async fn single_step(State(worlds): Shared, Path(world): Path<String>, Json(on): Json<bool>) {
    worlds.get(&world).with(|world| world.set_single_step(on));
}

async fn password(
    State(worlds): Shared,
    Path(world): Path<String>,
    Json(password): Json<Option<String>>,
) {
    let changed = |world: &mut World| world.set_password(password);
    worlds.get(&world).with(changed);
}

async fn finish_tasks(State(worlds): Shared, Path(world): Path<String>) -> Json<usize> {
    Json(worlds.get(&world).with(World::finish_tasks))
}

async fn finish_task(
    State(worlds): Shared,
    Path((world, id)): Path<(String, u64)>,
) -> Result<(), StatusCode> {
    found(worlds.get(&world).with(|world| world.finish_task(id)))
}

async fn skip(State(worlds): Shared, Path(world): Path<String>, Json(millis): Json<u64>) {
    worlds.get(&world).skip(Duration::from_millis(millis));
}

async fn place_stranger(
    State(worlds): Shared,
    Path(world): Path<String>,
    Json(Stranger { name, zone, uuid }): Json<Stranger>,
) -> Result<(), StatusCode> {
    let placed = |world: &mut World| world.place_stranger(&name, zone, uuid);
    found(worlds.get(&world).with(placed))
}

async fn remove(
    State(worlds): Shared,
    Path((world, uid)): Path<(String, String)>,
    Json(Removal { leave_disks }): Json<Removal>,
) -> Result<(), StatusCode> {
    let removed = |world: &mut World| world.remove_by_hand(&Identity::of(uid), leave_disks);
    found(worlds.get(&world).with(removed))
}

async fn attach(
    State(worlds): Shared,
    Path((world, uid)): Path<(String, String)>,
    Json(disk): Json<String>,
) -> Result<(), StatusCode> {
    let attached = |world: &mut World| world.attach_by_hand(&Identity::of(uid), &disk);
    found(worlds.get(&world).with(attached))
}

async fn power(
    State(worlds): Shared,
    Path((world, uid)): Path<(String, String)>,
    Json(to): Json<PowerState>,
) -> Result<(), StatusCode> {
    let switched = |world: &mut World| world.switch_by_hand(&Identity::of(uid), to);
    found(worlds.get(&world).with(switched))
}

async fn user_data(
    State(worlds): Shared,
    Path((world, uid)): Path<(String, String)>,
) -> Result<Json<String>, StatusCode> {
    let read = |world: &mut World| world.user_data(&Identity::of(uid)).map(str::to_owned);
    let text = worlds.get(&world).with(read);
    text.map(Json).ok_or(StatusCode::NOT_FOUND)
}

async fn put_image(
    State(worlds): Shared,
    Path((world, datacenter, cluster, name)): Path<(String, String, String, String)>,
    Json(size_gib): Json<u32>,
) -> Result<(), StatusCode> {
    let image = ImageSpec { name, size_gib };
    let put = |world: &mut World| world.put_image(&datacenter, &cluster, image);
    found(worlds.get(&world).with(put))
}

async fn remove_image(
    State(worlds): Shared,
    Path((world, datacenter, cluster, name)): Path<(String, String, String, String)>,
) -> Result<(), StatusCode> {
    let removed = |world: &mut World| world.remove_image(&datacenter, &cluster, &name);
    found(worlds.get(&world).with(removed))
}

fn found(there: bool) -> Result<(), StatusCode> {
    there.then_some(()).ok_or(StatusCode::NOT_FOUND)
}
