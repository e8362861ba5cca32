#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use opentelemetry_otlp::WithExportConfig;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::layer::SubscriberExt;

use super::*;
use crate::server::Server;
use crate::telemetry::Format;

type Received = mpsc::UnboundedSender<axum::body::Bytes>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_reach_the_collector_before_the_process_ends() {
    let (sender, mut received) = mpsc::unbounded_channel();
    let take = async |State(sender): State<Received>, body: axum::body::Bytes| {
        sender.send(body).unwrap();
    };
    let routes = Router::new()
        .route("/v1/traces", post(take))
        .with_state(sender);
    let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let endpoint = format!("http://{}/v1/traces", server.address());
    tokio::spawn(server.run(routes, CancellationToken::new()));

    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(OnRuntime::new().unwrap())
        .with_endpoint(endpoint)
        .build()
        .unwrap();
    let settings = Settings {
        format: Format::Text,
        filter: "info".to_owned(),
        service: "banlieue-test".to_owned(),
        version: "1".to_owned(),
    };
    let traces = Traces::to(exporter, &settings);
    let subscriber = tracing_subscriber::registry().with(traces.layer());
    tracing::subscriber::with_default(subscriber, || {
        tracing::info_span!("reconcile", name = "the-name").in_scope(|| {});
    });
    traces.shutdown().await;

    let batch = received.recv().await.unwrap();
    let holds = |text: &str| {
        batch
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    assert!(holds("banlieue-test") && holds("reconcile") && holds("the-name"));
}
