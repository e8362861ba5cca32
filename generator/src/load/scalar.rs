//! What a scalar means, and when readers of YAML disagree about that.
//!
//! A plain scalar gets its type from its look. YAML 1.1 (PyYAML, Go's `sigs.k8s.io/yaml`), YAML
//! 1.2 and JSON do not agree on the looks, so the same file can mean two things. Here a look that
//! they disagree on is [`Reading::Ambiguous`], and whoever needs the value refuses it.

use serde_json::Number;

/// A scalar as written or as computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// YAML without quotes.
    Plain(String),
    /// YAML in quotes or in a block, JSON text.
    Text(String),
    /// A number of JSON or of a parameter.
    Number(Number),
    /// A boolean of JSON or of a parameter.
    Bool(bool),
    /// The null of JSON.
    Null,
}

/// What all readers, or not all of them, take a scalar for.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading<'a> {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer or a decimal fraction.
    Number(Number),
    /// Text that needs no quotes, or has them.
    Text(&'a str),
    /// Readers disagree; the reason completes "some readers take it for ...".
    Ambiguous(&'static str),
}

impl Scalar {
    /// The meaning of the scalar.
    pub fn reading(&self) -> Reading<'_> {
        match self {
            Self::Plain(text) => read_plain(text),
            Self::Text(text) => Reading::Text(text),
            Self::Number(number) => Reading::Number(number.clone()),
            Self::Bool(value) => Reading::Bool(*value),
            Self::Null => Reading::Null,
        }
    }

    /// Whether all readers take the scalar for nothing.
    pub fn is_null(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Plain(text) => is_plain_null(text),
            Self::Text(_) | Self::Number(_) | Self::Bool(_) => false,
        }
    }

    /// The text with or without quotes; none for a value that was computed or comes from JSON.
    pub fn as_written(&self) -> Option<&str> {
        match self {
            Self::Plain(text) | Self::Text(text) => Some(text),
            Self::Number(_) | Self::Bool(_) | Self::Null => None,
        }
    }

    /// What a person calls this kind of scalar.
    pub fn kind(&self) -> &'static str {
        match self.reading() {
            Reading::Null => "null",
            Reading::Bool(_) => "a boolean",
            Reading::Number(number) if number.is_f64() => "a decimal number",
            Reading::Number(_) => "an integer",
            Reading::Text(_) | Reading::Ambiguous(_) => "text",
        }
    }
}

fn is_plain_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn read_plain(text: &str) -> Reading<'_> {
    if is_plain_null(text) {
        return Reading::Null;
    }
    match text {
        "true" | "True" | "TRUE" => return Reading::Bool(true),
        "false" | "False" | "FALSE" => return Reading::Bool(false),
        "y" | "Y" | "yes" | "Yes" | "YES" | "n" | "N" | "no" | "No" | "NO" | "on" | "On" | "ON"
        | "off" | "Off" | "OFF" => return Reading::Ambiguous("a boolean"),
        "=" => return Reading::Ambiguous("a default-value mark"),
        "<<" => return Reading::Ambiguous("a merge key"),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned.as_bytes() {
        [b'0'..=b'9', ..] => read_digits(text, unsigned),
        [b'.', ..] => read_point(text, unsigned),
        _ => Reading::Text(text),
    }
}

/// Something that starts with a digit, after an optional sign.
fn read_digits<'a>(text: &'a str, unsigned: &str) -> Reading<'a> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (unsigned, None),
    };
    if digits(whole) && fraction.is_none_or(digits) {
        if whole.len() > 1 && whole.starts_with('0') {
            return Reading::Ambiguous("an octal number");
        }
        if text.starts_with('+') {
            return Reading::Ambiguous("a number");
        }
        // Digits that do not fit 64 bits would lose some of them.
        return match text.parse::<Number>() {
            Ok(number) if fraction.is_some() == number.is_f64() => Reading::Number(number),
            _ => Reading::Ambiguous("a number"),
        };
    }
    if is_date(unsigned) {
        return Reading::Ambiguous("a date");
    }
    if is_base_sixty(unsigned) {
        return Reading::Ambiguous("a number to base 60");
    }
    if has_base(unsigned) || is_loose_number(unsigned) {
        return Reading::Ambiguous("a number");
    }
    Reading::Text(text)
}

/// Something that starts with a point, after an optional sign.
fn read_point<'a>(text: &'a str, unsigned: &str) -> Reading<'a> {
    let word = matches!(
        unsigned,
        ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN"
    );
    if word || is_loose_number(unsigned) {
        return Reading::Ambiguous("a number");
    }
    Reading::Text(text)
}

fn is_digit_or_underscore(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

/// `0x1F`, `0o17`, `0b11`, with underscores.
fn has_base(text: &str) -> bool {
    let digits = |rest: &str, base: u32| {
        !rest.is_empty() && rest.chars().all(|c| c == '_' || c.is_digit(base))
    };
    let stripped = |lower: char, upper: char| {
        text.strip_prefix('0')
            .and_then(|rest| rest.strip_prefix([lower, upper]))
    };
    stripped('x', 'X').is_some_and(|rest| digits(rest, 16))
        || stripped('o', 'O').is_some_and(|rest| digits(rest, 8))
        || stripped('b', 'B').is_some_and(|rest| digits(rest, 2))
}

/// `1_000`, `1.`, `.5`, `1e3`, `6.0E+2`: digits and underscores with at most one point, with an
/// exponent or without.
fn is_loose_number(text: &str) -> bool {
    let mantissa = match text.split_once(['e', 'E']) {
        None => text,
        Some((mantissa, exponent)) => {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if exponent.is_empty() || !exponent.bytes().all(|byte| byte.is_ascii_digit()) {
                return false;
            }
            mantissa
        }
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    whole
        .bytes()
        .chain(fraction.bytes())
        .all(is_digit_or_underscore)
        && mantissa.bytes().any(|byte| byte.is_ascii_digit())
}

/// `1:30`, `190:20:30.5`.
fn is_base_sixty(text: &str) -> bool {
    let starts_with_digit = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    text.rsplit_once(':').is_some_and(|(head, last)| {
        starts_with_digit(last)
            && is_loose_number(last)
            && head
                .split(':')
                .all(|part| starts_with_digit(part) && part.bytes().all(is_digit_or_underscore))
    })
}

/// `2001-01-01` alone or followed by a time; the YAML 1.1 types allow one digit for month and day.
fn is_date(text: &str) -> bool {
    let date = text.split(['T', 't', ' ', '\t']).next().unwrap_or(text);
    let parts: Vec<&str> = date.split('-').collect();
    let digits = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    matches!(parts[..], [year, month, day]
        if digits(year, 4..=4) && digits(month, 1..=2) && digits(day, 1..=2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Reading<'_> {
        Reading::Number(text.parse().unwrap_or_else(|_| Number::from(0)))
    }

    #[test]
    fn what_all_readers_agree_on_has_its_type() {
        for (text, expected) in [
            ("", Reading::Null),
            ("~", Reading::Null),
            ("null", Reading::Null),
            ("true", Reading::Bool(true)),
            ("FALSE", Reading::Bool(false)),
            ("0", number("0")),
            ("-1", number("-1")),
            ("999999", number("999999")),
            ("1000000", number("1000000")),
            ("9007199254740993", number("9007199254740993")),
            ("-9223372036854775808", number("-9223372036854775808")),
            ("18446744073709551615", number("18446744073709551615")),
            ("1.30", number("1.30")),
            ("-0.5", number("-0.5")),
        ] {
            assert_eq!(read_plain(text), expected, "{text}");
        }
    }

    #[test]
    fn what_readers_disagree_on_is_ambiguous() {
        for text in [
            "y",
            "Y",
            "yes",
            "Yes",
            "n",
            "N",
            "no",
            "NO",
            "on",
            "On",
            "ON",
            "off",
            "OFF",
            "=",
            "<<",
            "0o17",
            "017",
            "0777",
            "08",
            "00",
            "01.5",
            "1_000",
            "0x1F",
            "0b11",
            "0x_1",
            "1e3",
            "1E3",
            "1e+06",
            "12e03",
            "6.0e2",
            "0e0",
            "1234567e8",
            "5e98765",
            "0123e45",
            "1.5e-3",
            ".5",
            "-.5",
            ".5e3",
            "1.",
            "1_0.5",
            "+1",
            ".inf",
            "-.Inf",
            "+.INF",
            ".nan",
            "1:30",
            "190:20:30",
            "1:30.5",
            "2001-01-01",
            "2001-1-1",
            "2001-12-14T21:59:43Z",
            "2001-12-14 21:59:43.1 Z",
            "123456789012345678901234567890",
        ] {
            assert!(
                matches!(read_plain(text), Reading::Ambiguous(_)),
                "{text} is {:?}",
                read_plain(text)
            );
        }
    }

    #[test]
    fn text_that_no_reader_takes_for_something_else_needs_no_quotes() {
        for text in [
            "gold",
            "v1.30.2",
            "1.30.2",
            "0.1.2",
            "10.0.0.0/24",
            "2Gi",
            "500m",
            "1e",
            "e1",
            "NaN",
            "Infinity",
            "0xzz",
            "0o8",
            "10.0.0.1:6443",
            "fd00::1",
            "aa:bb:cc:dd:ee:ff",
            "https://vc.example",
            "a: b",
            "-",
            "--",
            "-a",
            ".",
            "..",
            ".a",
            ".5.5",
            "12ab",
            "2001-01",
            "2001-01-01-a",
            "nO",
            "tRUE",
            "${{ x }}",
            "1-2",
            "123e",
            "0123e45f",
        ] {
            assert_eq!(read_plain(text), Reading::Text(text));
        }
    }

    #[test]
    fn quotes_make_text_of_anything() {
        for text in ["no", "017", "", "null", "1.30"] {
            assert_eq!(Scalar::Text(text.into()).reading(), Reading::Text(text));
        }
    }
}
