#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use axum::body::Body;
use axum::http::{Request as HttpRequest, header};
use tower::ServiceExt;

use super::*;

#[test]
fn metrics_have_the_documented_names_and_labels() {
    let metrics = Metrics::new();
    metrics.reconciled("vm", Outcome::Success, Duration::from_millis(20));
    metrics.reconciled("vm", Outcome::Requeue, Duration::from_secs(60));
    metrics.failed("vm", ErrorKind::Backend);
    metrics.set_leader("controller", false);
    let request = Request {
        verb: "patch",
        resource: "things/status".to_owned(),
    };
    metrics.requested(request.clone(), Some(200));
    metrics.requested(request, None);
    metrics.register(|registry| {
        registry.register(
            "own",
            "A counter of the process's own",
            Counter::<u64>::default(),
        );
    });
    let text = metrics.encode().unwrap();
    for line in [
        "banlieue_reconcile_total{controller=\"vm\",result=\"success\"} 1",
        "banlieue_reconcile_total{controller=\"vm\",result=\"requeue\"} 1",
        "banlieue_reconcile_duration_seconds_bucket{le=\"0.025\",controller=\"vm\"} 1",
        "banlieue_reconcile_duration_seconds_count{controller=\"vm\"} 2",
        "banlieue_reconcile_errors_total{controller=\"vm\",kind=\"backend\"} 1",
        "banlieue_leader{role=\"controller\"} 0",
        "banlieue_api_requests_total{verb=\"patch\",resource=\"things/status\",code=\"200\"} 1",
        "banlieue_api_requests_total{verb=\"patch\",resource=\"things/status\",code=\"none\"} 1",
        "banlieue_own_total 0",
        "# EOF",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[tokio::test]
async fn metrics_are_served_as_openmetrics() {
    let request = HttpRequest::get("/metrics").body(Body::empty()).unwrap();
    let answer = routes(Metrics::new()).oneshot(request).await.unwrap();
    let content_type = answer.headers()[header::CONTENT_TYPE].to_str().unwrap();
    assert!(content_type.starts_with("application/openmetrics-text; version=1.0.0"));
}
