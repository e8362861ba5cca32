//! Controller and providers in the process of the test, against a real API server and simulated
//! hypervisors.
//!
//! | module | what |
//! |---|---|
//! | [`gate`] | every call of every process: counted, in one order, made to go wrong |
//! | [`api`], [`backend`] | the two ways of calls through the gate |
//! | [`hearing`] | watches that are silent, lists that come empty |
//! | [`flow`] | what is done to a machine, and what must hold after it |
//! | [`audit`] | what the hypervisors hold, after every call |
//! | [`objects`] | what a user brings |
//! | [`quiet`] | a state in which nothing is written |
//!
//! One [`Platform`] has any number of [`Case`]s at once: each has a namespace and hypervisors of
//! its own, and its processes see none of the others' objects.

pub mod api;
pub mod audit;
pub mod backend;
mod case;
pub mod flow;
pub mod gate;
pub mod hearing;
pub mod objects;
pub mod points;
mod process;
pub mod quiet;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, ensure};
use futures::{StreamExt as _, stream};
use kube::Client;

use crate::apiserver::ApiServer;
use crate::controller_manager::ControllerManager;
use crate::identity;
use crate::tools::checkout;

pub use case::{Case, Options};

/// An API server that knows our kinds.
pub struct Platform {
    // Ended before the API server.
    _manager: Option<ControllerManager>,
    api: Arc<ApiServer>,
    client: Client,
    cases: AtomicUsize,
}

impl Platform {
    /// Starts the API server: about 8 s.
    pub async fn start() -> Result<Arc<Self>> {
        Self::start_with(|_| Ok(None)).await
    }

    /// The same with a controller manager: namespaces end, and what is owned goes with its owner.
    pub async fn start_whole() -> Result<Arc<Self>> {
        Self::start_with(|api| ControllerManager::start(api).map(Some)).await
    }

    async fn start_with(
        manager: fn(&ApiServer) -> Result<Option<ControllerManager>>,
    ) -> Result<Arc<Self>> {
        let (api, manager) = tokio::task::spawn_blocking(move || {
            let api = ApiServer::start()?;
            api.apply_files(&checkout().join("schemas/crds"))?;
            let manager = manager(&api)?;
            anyhow::Ok((api, manager))
        })
        .await??;
        Ok(Arc::new(Self {
            client: identity::administrator(&api).await?,
            _manager: manager,
            api: Arc::new(api),
            cases: AtomicUsize::new(0),
        }))
    }

    fn next_case(&self) -> String {
        format!("case-{}", self.cases.fetch_add(1, Ordering::SeqCst))
    }
}

/// Runs cases, each with what to call it should it fail, so many at once. Their results are in the
/// order in which the cases ended.
pub async fn at_once<T, C>(
    limit: usize,
    cases: impl IntoIterator<Item = (String, C)>,
) -> Vec<Result<T>>
where
    T: Send + 'static,
    C: Future<Output = Result<T>> + Send + 'static,
{
    stream::iter(cases)
        .map(|(name, case)| {
            let case = tokio::spawn(case);
            async move { case.await?.context(name) }
        })
        .buffer_unordered(limit)
        .collect()
        .await
}

/// Fails with what each case that failed said.
pub fn all_hold(results: Vec<Result<()>>) -> Result<()> {
    let failures = results.into_iter().filter_map(Result::err);
    let failures: Vec<_> = failures.map(|error| format!("{error:#}")).collect();
    ensure!(failures.is_empty(), "{}", failures.join("\n\n"));
    Ok(())
}
