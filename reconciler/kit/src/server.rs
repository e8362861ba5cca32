//! A small HTTP server, for health and for metrics.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The listener failed later.
    #[error("the HTTP server stopped")]
    Serve(#[source] io::Error),
}

/// A server that has its address and has not answered yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Takes the address; port 0 lets the system choose one. Fails at once where it cannot, so
    /// that a process that nobody can probe does not start.
    pub async fn bind(address: SocketAddr) -> Result<Self, ServerError> {
        let error = |source| ServerError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(error)?;
        let address = listener.local_addr().map_err(error)?;
        Ok(Self { listener, address })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `shutdown`, then finishes the requests under way.
    pub async fn run(self, routes: Router, shutdown: CancellationToken) -> Result<(), ServerError> {
        axum::serve(self.listener, routes)
            .with_graceful_shutdown(shutdown.cancelled_owned())
            .await
            .map_err(ServerError::Serve)
    }
}
