//! A Lease that is held.

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::elector::{Elector, Renewal};
use crate::errors::chain;

/// Proof that this process leads, for as long as [`Self::lost`] is not cancelled.
///
/// Dropped without [`Self::release`], it lets the Lease run out.
#[derive(Debug)]
pub struct Leadership {
    lost: CancellationToken,
    release: CancellationToken,
    renewing: JoinHandle<()>,
}

impl Leadership {
    pub(super) fn start(elector: Elector, since: Instant) -> Self {
        let lost = CancellationToken::new();
        let release = CancellationToken::new();
        elector.hold_from(since);
        elector.announce(true);
        tracing::info!("leading");
        let renewing = keep(elector, since, release.clone(), lost.clone());
        Self {
            lost,
            release,
            renewing: tokio::spawn(renewing),
        }
    }

    /// Cancelled as soon as the Lease is somebody else's, or could not be renewed in time. All
    /// work has to be dropped at once, and the process to end with an error.
    pub fn lost(&self) -> CancellationToken {
        self.lost.clone()
    }

    /// Frees the Lease, so that a stand-by takes over at once. Only after all work has ended.
    pub async fn release(mut self) {
        self.release.cancel();
        if (&mut self.renewing).await.is_err() {
            tracing::warn!("the Lease was not released and runs out");
        }
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

/// Renews until released or lost.
async fn keep(
    mut elector: Elector,
    mut since: Instant,
    release: CancellationToken,
    lost: CancellationToken,
) {
    let timing = elector.timing();
    let mut attempt = since + timing.retry;
    loop {
        let deadline = since + timing.renew_deadline;
        tokio::select! {
            biased;
            () = release.cancelled() => {
                elector.announce(false);
                match timeout(timing.renew_deadline, elector.release()).await {
                    Ok(Ok(())) => tracing::info!("the Lease is released"),
                    Ok(Err(error)) => {
                        tracing::warn!(error = %chain(&error), "the Lease runs out by itself");
                    }
                    Err(_) => tracing::warn!("the Lease runs out by itself"),
                }
                return;
            }
            () = sleep_until(attempt.min(deadline)) => {}
        }
        attempt = Instant::now() + timing.retry;
        match timeout_at(deadline, elector.renew()).await {
            Ok(Ok(Renewal::Held(renewed))) => {
                since = renewed;
                elector.hold_from(since);
            }
            Ok(Err(error)) if Instant::now() < deadline => {
                tracing::warn!(error = %chain(&error), "Lease not renewed, trying again");
            }
            Ok(Ok(Renewal::Lost) | Err(_)) | Err(_) => {
                tracing::error!("the Lease is lost");
                elector.announce(false);
                lost.cancel();
                return;
            }
        }
    }
}
