//! What options take: names of things, times and sizes.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pedra_check::{EngineName, Liveness};
use std::time::Duration;

/// Which SAT solver an engine uses.
#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub enum SolverName {
    /// CaDiCaL
    Cadical,
    /// BatSat
    Batsat,
    /// Pedra's own, made for PDR
    Cdcl,
}

/// The sizes of a C program's types.
#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub enum DataModelName {
    /// `int`, `long` and pointers have 32 bits
    Ilp32,
    /// `int` has 32 bits, `long` and pointers 64
    Lp64,
}

/// Which reductions run before the engines.
#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReductionName {
    /// All of them
    All,
    /// None
    None,
    /// Cone of influence
    Cone,
    /// Constant latches
    Constants,
    /// Duplicate latches
    Duplicates,
    /// Structural hashing and rewriting
    Structure,
    /// Latches and gates that a solver finds equal; not one of `all`
    Sweep,
}

/// When to draw.
#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// If standard error is a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Reads `90`, `20s`, `500ms`, `10m`, `1h30m`, `1.5h`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let bad = || format!("'{text}' is not a time; write for example 90, 20s, 500ms, 10m or 1h30m");
    let mut total = 0.0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(bad());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| bad())?;
        let unit_end = rest[digits..].find(|c: char| c.is_ascii_digit());
        let unit_end = unit_end.map_or(rest.len(), |n| digits + n);
        let seconds = match &rest[digits..unit_end] {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(bad()),
        };
        total += number * seconds;
        rest = &rest[unit_end..];
    }
    Duration::try_from_secs_f64(total).map_err(|_| bad())
}

/// Reads the name of an engine, and knows what help says of each.
pub(super) fn engine_named() -> impl TypedValueParser<Value = EngineName> {
    let values = EngineName::ALL.map(|e| PossibleValue::new(e.text()).help(e.help()));
    PossibleValuesParser::new(values)
        .map(|text| EngineName::of_text(&text).expect("one of the possible values"))
}

/// Reads the name of a way to decide justice, and knows what help says of each.
pub(super) fn liveness_named() -> impl TypedValueParser<Value = Liveness> {
    let values = Liveness::ALL.map(|l| PossibleValue::new(l.text()).help(l.help()));
    PossibleValuesParser::new(values)
        .map(|text| Liveness::of_text(&text).expect("one of the possible values"))
}

/// Reads `4G`, `500M`, `1.5GiB`, `1048576`: in bytes, units are powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let bad = || format!("'{text}' is not a size; write for example 500M or 4G");
    let text_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..text_end].parse().map_err(|_| bad())?;
    let unit = text[text_end..].trim().to_ascii_lowercase();
    let power = match unit.trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(bad()),
    };
    let bytes = number * 1024f64.powi(power);
    if bytes < 1.0 || bytes > 2f64.powi(60) {
        return Err(bad());
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes() {
        let seconds = |t| parse_duration(t).map(|d| d.as_secs_f64()).ok();
        assert_eq!(seconds("90"), Some(90.0));
        assert_eq!(seconds("1h30m"), Some(5400.0));
        assert_eq!(seconds("500ms"), Some(0.5));
        assert_eq!(seconds("1.5h"), Some(5400.0));
        for bad in ["", "x", "10q", "m", "-3", "1..2", "1e9999"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
        assert_eq!(parse_size("4G"), Ok(4 << 30));
        assert_eq!(parse_size("1.5KiB"), Ok(1536));
        assert_eq!(parse_size("2mb"), Ok(2 << 20));
        for bad in ["", "G", "0", "4X", "-1"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
