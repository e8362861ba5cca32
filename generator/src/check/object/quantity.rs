//! Quantities as the API server writes them: the same amount has one spelling.

use serde_json::Value;

use super::{group, kind};
use crate::{
    check::{codes, finding::Fault},
    diagnostic::shown,
    load::node::Path,
};

/// Suffixes of powers of 1000, from a billionth up.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/// Suffixes of powers of 1024, from the first up.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// The smallest amount that there is is a billionth.
const NANO: i128 = 1_000_000_000;

pub(super) fn check(object: &Value, faults: &mut Vec<Fault>) {
    let root = Path::Root;
    let spec = root.key("spec");
    match (group(object), kind(object)) {
        (banlieue_schemas::PLATFORM_GROUP, "ProviderClass") => {
            resources(&object["spec"], &spec, faults);
        }
        ("apps", _) => {
            let (template, of_template) =
                (&object["spec"]["template"]["spec"], spec.key("template"));
            let of_template = of_template.key("spec");
            for field in ["initContainers", "containers"] {
                let path = of_template.key(field);
                let containers = template[field].as_array().into_iter().flatten();
                for (index, container) in containers.enumerate() {
                    resources(container, &path.index(index), faults);
                }
            }
        }
        _ => {}
    }
}

fn resources(holder: &Value, path: &Path<'_>, faults: &mut Vec<Fault>) {
    let path = path.key("resources");
    for field in ["requests", "limits"] {
        let amounts = holder["resources"][field].as_object();
        for (name, amount) in amounts.into_iter().flatten() {
            let text = match amount {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let (message, hint) = match canonical(&text) {
                Some(canonical) if canonical == text && amount.is_string() => continue,
                Some(canonical) if canonical == text => (
                    format!("is the number {text}, which the API server writes as text"),
                    format!("write `\"{canonical}\"`"),
                ),
                Some(canonical) => (
                    format!(
                        "is {}, which the API server writes differently",
                        shown(&text)
                    ),
                    format!("write `{canonical}`"),
                ),
                None => (
                    format!("is {}, which is no quantity", shown(&text)),
                    "write a number with a suffix such as `m`, `Mi` or `Gi`".to_owned(),
                ),
            };
            let path = path.key(field);
            faults.push(Fault::new(&codes::QUANTITY, &path.key(name), message, hint));
        }
    }
}

/// The one spelling of an amount: no fraction, and the largest suffix that allows that.
///
/// None for what is no quantity, and for amounts that are too large to matter.
fn canonical(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let end = unsigned
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    if let Some(exponent) = suffix.strip_prefix(['e', 'E'])
        && exponent.parse::<i8>().is_ok()
    {
        return billionths(number).map(|_| text.to_owned());
    }
    let billionths = billionths(number)?;
    let (amount, binary) = if let Some(power) = BINARY.iter().position(|known| *known == suffix) {
        let power = u32::try_from(power).ok()? + 1;
        (billionths.checked_mul(1024_i128.checked_pow(power)?)?, true)
    } else if let Some(power) = DECIMAL.iter().position(|known| *known == suffix) {
        let power = u32::try_from(power).ok()?;
        let scaled = billionths.checked_mul(1000_i128.checked_pow(power)?)?;
        (div_ceil(scaled, NANO), false)
    } else {
        return None;
    };
    if amount == 0 {
        return Some("0".to_owned());
    }
    // A binary suffix is kept only where at least one of its units is left.
    if binary && amount >= 1024 * NANO {
        Some(format!(
            "{sign}{}",
            with_suffix(
                div_ceil(amount, NANO),
                1024,
                &["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
            )
        ))
    } else {
        Some(format!("{sign}{}", with_suffix(amount, 1000, &DECIMAL)))
    }
}

fn with_suffix(mut amount: i128, base: i128, suffixes: &[&str]) -> String {
    let mut power = 0;
    while amount % base == 0 && power + 1 < suffixes.len() {
        amount /= base;
        power += 1;
    }
    format!("{amount}{}", suffixes.get(power).unwrap_or(&""))
}

/// A decimal number in billionths, rounded up.
fn billionths(number: &str) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: i128 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let digits: String = fraction
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    let rest = fraction.chars().skip(9).any(|digit| digit != '0');
    let below: i128 = digits.parse().ok()?;
    whole
        .checked_mul(NANO)?
        .checked_add(below + i128::from(rest))
}

fn div_ceil(amount: i128, by: i128) -> i128 {
    (amount + by - 1) / by
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn one_amount_has_one_spelling() {
        for (text, wanted) in [
            ("1000m", "1"),
            ("0.5", "500m"),
            ("1500m", "1500m"),
            ("1000", "1k"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("500m", "500m"),
            ("128Mi", "128Mi"),
            ("1M", "1M"),
            ("0", "0"),
            ("0Mi", "0"),
            ("-2000m", "-2"),
            ("1n", "1n"),
            ("0.1n", "1n"),
            ("1024", "1024"),
            ("1000Ki", "1000Ki"),
            ("12e6", "12e6"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["", "Mi", "1.2.3", "1 Gi", "1Gb", "a"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
