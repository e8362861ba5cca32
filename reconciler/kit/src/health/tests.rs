#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tower::ServiceExt;

use super::*;
use crate::server::{Server, ServerError};

async fn get(routes: &Router, path: &str) -> (u16, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let answer = routes.clone().oneshot(request).await.unwrap();
    let status = answer.status().as_u16();
    let body = axum::body::to_bytes(answer.into_body(), 1024)
        .await
        .unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test(start_paused = true)]
async fn readiness_needs_every_part_and_the_api_server() {
    let health = Health::new();
    let routes = routes(health.clone());
    let (one, other) = (health.register("one"), health.register("other"));
    let ready = async || get(&routes, "/readyz").await;
    let answer = |code, body: &str| (code, body.to_owned());

    assert_eq!(ready().await, answer(503, "starting"));
    one.ready();
    assert_eq!(ready().await, answer(503, "starting"));
    other.clone().ready();
    assert_eq!(ready().await, answer(200, "standby"));
    health.set_role(Role::Leader);
    assert_eq!(ready().await, answer(200, "leader"));
    health.set_reachable(false);
    assert_eq!(ready().await, answer(503, "unreachable"));
    health.set_reachable(true);
    assert_eq!(ready().await, answer(200, "leader"));
}

#[tokio::test(start_paused = true)]
async fn a_part_that_stops_beating_is_named_until_it_ends() {
    let health = Health::new();
    let routes = routes(health.clone());
    let (one, other) = (health.register("one"), health.register("other"));
    one.beat(Instant::now());
    assert_eq!(get(&routes, "/livez").await.0, 200);
    tokio::time::advance(STALL + Duration::from_secs(1)).await;
    other.beat(Instant::now());
    assert_eq!(
        get(&routes, "/livez").await,
        (503, "stalled: one".to_owned())
    );
    drop(one);
    assert_eq!(get(&routes, "/livez").await.0, 200);
}

#[tokio::test]
async fn other_paths_are_not_found() {
    let routes = routes(Health::new());
    for path in ["/", "/healthz", "/livez/x", "/metrics"] {
        assert_eq!(get(&routes, path).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn an_address_that_is_taken_stops_the_start() {
    let first = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let second = Server::bind(first.address()).await;
    assert!(matches!(second, Err(ServerError::Bind { .. })));
}
