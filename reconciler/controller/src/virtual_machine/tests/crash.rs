//! Something goes wrong at every request in turn, and the process starts again.

use super::*;

/// What has to hold after each request, and at the end.
struct Flow {
    begin: fn(&mut World),
    end: fn(&World),
}

const CREATE: Flow = Flow {
    begin: |_| {},
    end: |world| assert_eq!(world.objects().len(), 1),
};
const MOVE: Flow = Flow {
    begin: |world| {
        world.edit("virtualmachines/vm", |vm| {
            vm["spec"]["placement"] = in_dc("3");
        });
    },
    end: |world| assert_eq!(world.objects(), ["LibvirtMachine@c"]),
};
const DELETE: Flow = Flow {
    begin: |world| world.remove(&path("virtualmachines/vm")),
    end: |world| {
        assert!(world.objects().is_empty());
        assert!(world.server.get(&path("virtualmachines/vm")).is_none());
    },
};

/// What the process does about the failure.
#[derive(Clone, Copy)]
enum Then {
    /// It ends, and another begins with a new look at everything.
    Restart,
    /// It tries again before any watch told anything.
    TryAgain,
}

/// Runs to the end, and answers how many requests that took.
async fn run(world: World, flow: &Flow, fault: Option<(usize, Fault, Then)>) -> usize {
    let mut world = world;
    let begin = world.server.lines().len();
    (flow.begin)(&mut world);
    if let Some((at, fault, _)) = fault {
        world.server.fault(begin + at, fault);
    }
    for _ in 0..40 {
        let (before, version) = (world.server.lines().len(), world.server.version());
        let result = world.pass("vm").await;
        assert!(world.objects().len() <= 1, "two machines at once");
        match (&result, fault) {
            (Err(_), Some((_, _, Then::TryAgain))) => {
                // With old news it may well fail again.
                let _ = world.pass("vm").await;
                assert!(world.objects().len() <= 1, "two machines at once");
            }
            (Err(_), _) => world = world.restarted(),
            (Ok(_), _) => {}
        }
        world.sync();
        world.provide();
        if result.is_ok() && world.server.version() == version {
            (flow.end)(&world);
            return before - begin;
        }
    }
    panic!("it never gets quiet: {:#?}", world.server.lines());
}

async fn each_request_fails(prepare: impl AsyncFn() -> World, flow: &Flow) {
    let requests = run(prepare().await, flow, None).await;
    assert!(requests > 2);
    for at in 0..requests {
        for fault in [Fault::Before, Fault::After] {
            for then in [Then::Restart, Then::TryAgain] {
                run(prepare().await, flow, Some((at, fault, then))).await;
            }
        }
    }
}

#[tokio::test]
async fn a_creation_ends_with_one_machine() {
    each_request_fails(async || World::with_vm(|_| {}), &CREATE).await;
}

#[tokio::test]
async fn a_move_ends_with_one_machine_and_never_has_two() {
    each_request_fails(async || World::running().await, &MOVE).await;
}

#[tokio::test]
async fn a_deletion_ends_with_none() {
    each_request_fails(async || World::running().await, &DELETE).await;
}
