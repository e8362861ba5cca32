//! Asynchronous clients with the identity of an administrator or of a ServiceAccount.

use anyhow::{Context, Result};
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};

use crate::apiserver::ApiServer;

/// Client of an administrator. It belongs to the runtime that it is made in.
pub async fn administrator(api: &ApiServer) -> Result<Client> {
    Ok(Client::try_from(config(api).await?)?)
}

/// Client with a fresh token of `service_account`, so that its roles decide what
/// it may do. The token lasts an hour and ends with the ServiceAccount.
pub async fn service_account(
    api: &ApiServer,
    namespace: &str,
    service_account: &str,
) -> Result<Client> {
    let accounts: Api<ServiceAccount> = Api::namespaced(administrator(api).await?, namespace);
    let request = TokenRequest {
        spec: Some(TokenRequestSpec {
            expiration_seconds: Some(3600),
            ..TokenRequestSpec::default()
        }),
        ..TokenRequest::default()
    };
    let answer = accounts
        .create_token_request(service_account, &kube::api::PostParams::default(), &request)
        .await
        .with_context(|| format!("token of {namespace}/{service_account}"))?;
    let token = answer.status.and_then(|status| status.token);
    let token = token.context("the API server gave no token")?;
    let mut config = config(api).await?;
    namespace.clone_into(&mut config.default_namespace);
    config.auth_info = AuthInfo {
        token: Some(token.into()),
        ..AuthInfo::default()
    };
    Ok(Client::try_from(config)?)
}

async fn config(api: &ApiServer) -> Result<Config> {
    let kubeconfig = Kubeconfig::read_from(api.kubeconfig())?;
    Ok(Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?)
}
