//! The client of the API server.
//!
//! ```text
//! kube's Api -> Watchman: counts, deadlines, fence -> ApiLayer of the test, if any -> TLS, HTTP
//! ```

mod fence;
mod watchman;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderValue, InvalidHeaderValue, USER_AGENT};
use kube::Client;
use kube::client::{Body, ClientBuilder, DynBody};
use kube::config::{
    Config, InClusterError, InferConfigError, KubeConfigOptions, Kubeconfig, KubeconfigError,
};
use tower::util::BoxService;
use tower::{BoxError, Layer, Service};

use crate::metrics::Metrics;
pub use fence::{Fence, Fenced};
pub use watchman::DeadlineExceeded;
use watchman::Watchman;

/// Requests to the API server as a [`tower`] service.
pub type ApiService = BoxService<http::Request<Body>, http::Response<Box<DynBody>>, BoxError>;

/// Wraps every request that leaves the process, watches included.
///
/// This is where tests count requests and inject faults: answer an error without calling the
/// inner service (failed before), call it and answer an error (answer lost after), or end the
/// process at the k-th call. One call of the service is one request on the wire: nothing below
/// retries.
pub type ApiLayer = Arc<dyn Fn(ApiService) -> ApiService + Send + Sync>;

/// How the API server is reached.
#[derive(Clone)]
pub struct Settings {
    /// Name of the program in the user agent, such as `controller`.
    pub role: String,
    /// Version of the program in the user agent.
    pub version: String,
    /// File that says where the API server is and who we are. `None`: that of the environment
    /// variable `KUBECONFIG`, else the Pod's own service account, else `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// Longest time until the head of an answer; watches have their own.
    pub deadline: Duration,
    /// What tests put around requests.
    pub layer: Option<ApiLayer>,
}

impl Settings {
    /// The usual settings of a program.
    pub fn new(role: &str, version: &str) -> Self {
        Self {
            role: role.to_owned(),
            version: version.to_owned(),
            kubeconfig: None,
            deadline: Duration::from_secs(30),
            layer: None,
        }
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The file does not say how.
    #[error("cannot use the kubeconfig")]
    Kubeconfig(#[source] KubeconfigError),
    /// The Pod has no usable service account.
    #[error("cannot use the Pod's service account")]
    InCluster(#[source] InClusterError),
    /// Neither a file nor a service account was found.
    #[error("found neither a kubeconfig nor a service account")]
    Nothing(#[source] Box<InferConfigError>),
    /// Role or version hold what a header cannot.
    #[error("the user agent is not a header value")]
    UserAgent(#[source] InvalidHeaderValue),
    /// TLS or credentials do not work.
    #[error("cannot set up the connection")]
    SetUp(#[source] Box<kube::Error>),
}

/// Makes the client. It connects with the first request.
pub async fn connect(
    settings: &Settings,
    metrics: Metrics,
    fence: Fence,
) -> Result<Client, ConnectError> {
    let mut config = configure(settings.kubeconfig.as_ref()).await?;
    // The runner retries, with one backoff an object; a hidden retry would only add to it.
    config.default_retry = false;
    let agent = format!("banlieue-{}/{}", settings.role, settings.version);
    let agent = HeaderValue::from_str(&agent).map_err(ConnectError::UserAgent)?;
    config.headers.push((USER_AGENT, agent));
    let builder =
        ClientBuilder::try_from(config).map_err(|error| ConnectError::SetUp(Box::new(error)))?;
    let Settings {
        deadline, layer, ..
    } = settings;
    let builder = builder.with_layer(&Wrap(layer.clone()));
    let watchman = tower::layer::layer_fn(|inner| {
        Watchman::new(inner, metrics.clone(), fence.clone(), *deadline)
    });
    Ok(builder.with_layer(&watchman).build())
}

/// A client on a service of a test's own, with everything of [`connect`] above it.
pub fn client_on<S>(service: S, metrics: Metrics, fence: Fence, deadline: Duration) -> Client
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = BoxError>
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    Client::new(Watchman::new(service, metrics, fence, deadline), "default")
}

struct Wrap(Option<ApiLayer>);

impl Layer<ApiService> for Wrap {
    type Service = ApiService;

    fn layer(&self, inner: ApiService) -> ApiService {
        match &self.0 {
            Some(layer) => layer(inner),
            None => inner,
        }
    }
}

async fn configure(kubeconfig: Option<&PathBuf>) -> Result<Config, ConnectError> {
    if let Some(path) = kubeconfig {
        let kubeconfig = Kubeconfig::read_from(path).map_err(ConnectError::Kubeconfig)?;
        return Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
            .await
            .map_err(ConnectError::Kubeconfig);
    }
    if std::env::var_os("KUBECONFIG").is_some() {
        return Config::from_kubeconfig(&KubeConfigOptions::default())
            .await
            .map_err(ConnectError::Kubeconfig);
    }
    if std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() {
        return Config::incluster().map_err(ConnectError::InCluster);
    }
    Config::infer()
        .await
        .map_err(|error| ConnectError::Nothing(Box::new(error)))
}
