#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use banlieue_schemas::common::{IpamSpec, StaticIpam};
use proptest::prelude::*;

use super::*;

fn nic(fixed: Option<StaticIpam>) -> Nic {
    Nic {
        name: "eth0".into(),
        network_class: "lan".into(),
        ipam: IpamSpec { fixed, pool: None },
    }
}

fn values() -> Values {
    let fixed = StaticIpam {
        address: "10.0.0.7".into(),
        prefix: 24,
        gateway: Some("10.0.0.1".into()),
        nameservers: vec!["10.0.0.2".into(), "10.0.0.3".into()],
        domain: Some("example.com".into()),
    };
    // The first interface with a fixed address counts, not the first interface.
    Values::of("web", &[nic(None), nic(Some(fixed))])
}

fn filled(text: &str) -> String {
    render(text.as_bytes(), &values(), Backend::Sim).unwrap()
}

#[test]
fn exactly_the_seven_placeholders_are_filled_in() {
    assert_eq!(
        filled("${VM_NAME} ${FQDN} ${IP}/${PREFIX} ${GATEWAY} ${DNS} ${DOMAIN}"),
        "web web.example.com 10.0.0.7/24 10.0.0.1 10.0.0.2,10.0.0.3 example.com"
    );
    for untouched in [
        "${HOME}", "$IP", "${ip}", "${ IP}", "${IP", "$", "$$", "${}", "$${HOME}", "$(date)",
        "${IP:-x}",
    ] {
        assert_eq!(filled(untouched), untouched);
    }
}

#[test]
fn a_second_dollar_keeps_a_placeholder_literal() {
    assert_eq!(filled("$${IP} ${IP}"), "${IP} 10.0.0.7");
    assert_eq!(filled("$$${IP}"), "$${IP}");
    assert_eq!(filled("${${IP}}"), "${10.0.0.7}");
}

#[test]
fn a_machine_without_a_fixed_address_has_a_name_only() {
    let values = Values::of("web", &[nic(None)]);
    let text = render(b"${FQDN}|${IP}|${PREFIX}|${DNS}|", &values, Backend::Sim);
    assert_eq!(text.unwrap(), "web||||");
}

#[test]
fn what_is_not_text_is_refused() {
    let error = render(b"ab\x1f\x8b", &values(), Backend::Sim).unwrap_err();
    assert_eq!(error, UserDataError::NotText { position: 3 });
    assert_eq!(error.reason(), Reason::InvalidSpec);
}

#[test]
fn the_size_is_what_the_backend_stores() {
    let render = |bytes: usize, backend| super::render(&vec![b'x'; bytes], &values(), backend);
    // 49152 bytes are 65536 in base64, one more needs 65540.
    assert!(render(49_152, Backend::Vsphere).is_ok());
    let error = render(49_153, Backend::Vsphere).unwrap_err();
    assert_eq!(
        error.to_string(),
        "user data has 49153 bytes, 65540 as vsphere encodes it, and at most 65536 fit"
    );
    assert_eq!(error.reason(), Reason::UserDataTooLarge);
    assert!(render(1_048_576, Backend::Libvirt).is_ok());
    assert!(render(1_048_577, Backend::Libvirt).is_err());
}

#[test]
fn the_size_counts_after_substitution() {
    let grows = "${FQDN}".repeat(9_000);
    assert!(render(grows.as_bytes(), &values(), Backend::Vsphere).is_err());
}

proptest! {
    #[test]
    fn text_without_placeholders_is_never_touched(text in "[a-zA-Z{}$ \n\\PC]{0,80}") {
        let has_placeholder = NAMES.iter().any(|name| text.contains(&format!("${{{name}}}")));
        prop_assume!(!has_placeholder);
        prop_assert_eq!(filled(&text), text);
    }

    #[test]
    fn what_is_around_a_placeholder_is_never_touched(
        before in "[a-z{} \n]{0,20}", after in "[a-z{}$ \n]{0,20}",
        index in 0..NAMES.len(),
    ) {
        let value = &values().0[index];
        let text = format!("{before}${{{}}}{after}", NAMES[index]);
        prop_assert_eq!(filled(&text), format!("{before}{value}{after}"));
    }

    #[test]
    fn escaping_what_was_filled_in_gives_the_text_back(text in "(\\$\\{(IP|DNS|HOME)\\}|[a-z ]){0,12}") {
        let escaped = NAMES.iter().fold(text.clone(), |text, name| {
            text.replace(&format!("${{{name}}}"), &format!("$${{{name}}}"))
        });
        prop_assert_eq!(filled(&escaped), text);
    }
}
