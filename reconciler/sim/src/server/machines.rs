//! What backends ask for.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::routing::{delete, post};
use axum::{Json, Router};
use banlieue_backend::{BackendError, ErrorKind};

use crate::wire::cross::Cross;
use crate::wire::{Answer, CallRequest, Ended, Hints, HintsRequest, LogIn, LoggedIn};
use crate::world::call::{self, Call};
use crate::worlds::Worlds;

pub(super) fn router() -> Router<Arc<Worlds>> {
    Router::new()
        .route("/{world}/sessions", post(log_in))
        .route("/{world}/sessions/{session}", delete(log_out))
        .route("/{world}/calls", post(answer))
        .route("/{world}/hints", post(hints))
}

async fn log_in(
    State(worlds): State<Arc<Worlds>>,
    Path(world): Path<String>,
    Json(request): Json<LogIn>,
) -> Json<Ended<LoggedIn>> {
    let simulator = worlds.get(&world);
    let call = Call::Connect {
        password: request.password,
    };
    let result = match simulator.call(None, &call).await {
        Ok(call::Answer::Session(session)) => simulator.with(|world| {
            Ok(LoggedIn {
                session,
                abilities: world.abilities(),
                hint_cursor: world.hint_cursor(),
            })
        }),
        Ok(_) => Err(misplaced()),
        Err(error) => Err(error),
    };
    Json(result.into())
}

async fn log_out(State(worlds): State<Arc<Worlds>>, Path((world, session)): Path<(String, u64)>) {
    worlds.get(&world).with(|world| world.close(session));
}

async fn answer(
    State(worlds): State<Arc<Worlds>>,
    Path(world): Path<String>,
    Json(request): Json<CallRequest>,
) -> Json<Ended<Answer>> {
    let CallRequest { session, call } = request;
    let result = worlds.get(&world).call(Some(session), &call.into()).await;
    let result = result.and_then(|answer| Answer::sent(answer).ok_or_else(misplaced));
    Json(result.into())
}

async fn hints(
    State(worlds): State<Arc<Worlds>>,
    Path(world): Path<String>,
    Json(request): Json<HintsRequest>,
) -> Json<Hints> {
    let HintsRequest { cursor, wait_ms } = request;
    let simulator = worlds.get(&world);
    let patience = tokio::time::sleep(Duration::from_millis(wait_ms));
    let (hints, cursor) = tokio::select! {
        heard = simulator.hints_after(cursor) => heard,
        () = patience => (Vec::new(), cursor),
    };
    Json(Hints {
        hints: hints.cross(),
        cursor,
    })
}

fn misplaced() -> BackendError {
    BackendError::new(ErrorKind::Retry, "the simulator answered another question")
}
