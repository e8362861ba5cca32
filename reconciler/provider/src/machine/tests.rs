#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::testing::{MACHINE, Stage, machine, world};

async fn stage() -> Stage {
    let stage = Stage::ready(world()).await;
    stage.keys.put("secret", "password", "x");
    stage.server.put(MACHINE, machine());
    stage
}

#[tokio::test(start_paused = true)]
async fn a_machine_is_made_with_three_writes() {
    let stage = stage().await;
    stage.pass().await.unwrap();
    assert_eq!(
        stage.server.journal(),
        [
            "api: finalizers",
            "observe",
            "create",
            "observe",
            "seed",
            "observe",
            "power",
            "observe",
            "api: spec",
            "api: status",
        ],
        "{:#}",
        stage.machine().unwrap()
    );
}
