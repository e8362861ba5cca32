//! Traces to an OpenTelemetry collector, as protobuf over HTTP.

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry::trace::TracerProvider;
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracerProvider, Tracer};
use tokio::runtime::Handle;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

use super::{Settings, TelemetryError};
use crate::errors::chain;

const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];
/// Longest time that one batch may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The way to the collector.
#[derive(Debug)]
pub(super) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// `None` if the environment names no collector.
    pub(super) fn from_environment(settings: &Settings) -> Result<Option<Self>, TelemetryError> {
        let named = |variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
        if !ENDPOINTS.into_iter().any(named) {
            return Ok(None);
        }
        let client = OnRuntime::new().map_err(TelemetryError::Collector)?;
        let builder = SpanExporter::builder().with_http().with_http_client(client);
        let exporter = builder.build();
        let exporter = exporter.map_err(|error| TelemetryError::Collector(error.into()))?;
        Ok(Some(Self::to(exporter, settings)))
    }

    fn to(exporter: SpanExporter, settings: &Settings) -> Self {
        let resource = Resource::builder()
            .with_service_name(settings.service.clone())
            .with_attribute(KeyValue::new("service.version", settings.version.clone()))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .build();
        Self { provider }
    }

    pub(super) fn layer<S>(&self) -> OpenTelemetryLayer<S, Tracer>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let scope = InstrumentationScope::builder("banlieue").build();
        OpenTelemetryLayer::new(self.provider.tracer_with_scope(scope))
    }

    /// Blocks a thread of its own, because the last batch is sent by this runtime.
    pub(super) async fn shutdown(self) {
        let shutdown = tokio::task::spawn_blocking(move || self.provider.shutdown());
        if let Ok(Err(error)) = shutdown.await {
            tracing::warn!(error = %chain(&error), "the last traces are lost");
        }
    }
}

/// Batches are sent from a thread without a runtime, and HTTP needs one.
#[derive(Debug)]
struct OnRuntime {
    runtime: Handle,
    client: HyperClient<HttpsConnector<HttpConnector>>,
}

impl OnRuntime {
    fn new() -> Result<Self, Box<dyn Error + Send + Sync>> {
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_platform_verifier(rustls::crypto::ring::default_provider())?
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Self {
            runtime: Handle::try_current()?,
            client: HyperClient::new(connector, TIMEOUT, None),
        })
    }
}

#[async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sending = async move { client.send_bytes(request).await };
        self.runtime.spawn(sending).await?
    }
}

#[cfg(test)]
mod tests;
