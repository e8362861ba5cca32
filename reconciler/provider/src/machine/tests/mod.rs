#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod failures;
mod life;
mod removal;

use banlieue_core::machine::Identity;

use crate::testing::{MACHINE, Stage, machine, world};

/// The identity of the machine on its backend.
fn identity() -> Identity {
    Identity::of("uid-of-m1")
}

/// A stage with a machine that nobody looked at yet.
async fn stage() -> Stage {
    let stage = Stage::ready(world()).await;
    stage.server.put(MACHINE, machine());
    stage
}

/// A stage with a machine that runs.
async fn running() -> Stage {
    let stage = stage().await;
    stage.pass().await.unwrap();
    stage.pass().await.unwrap();
    assert_eq!(
        stage.told(),
        ["GuestReady True GuestAnnounced", "Ready True PoweredOn"]
    );
    stage.server.journal();
    stage
}
