//! Damage to JSON.

use pedra_testkit::random::Random;
use serde_json::{Number, Value};

/// Damages a text of JSON: other digits, other words, parts that are lost or repeated.
pub fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..random.between(1, 4) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 if bytes[at].is_ascii_digit() => bytes[at] = b'0' + random.below(10) as u8,
            1 => {
                let digits: Vec<usize> =
                    (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
                if !digits.is_empty() {
                    let at = random.pick(&digits);
                    bytes[at] = random.pick(b"0123456789x");
                }
            }
            2 => bytes[at] = random.pick(b"[],:{}\"019"),
            3 => bytes.truncate(at.max(1)),
            _ => {
                let digits = b"999999999999";
                bytes.splice(at..at, digits[..random.between(1, 12)].iter().copied());
            }
        }
    }
}

/// What may stand where a number should: too large for what it counts, for a 32-bit number, for any
/// number, negative, no whole number, none; and the smallest ones.
fn others(known: &Number) -> Vec<Value> {
    let next = known.as_u64().map_or(Value::Null, |number| (number.wrapping_add(1)).into());
    let small = [0_u64, 1, 2].map(Value::from);
    let large = [1_000_u64, 1 << 31, 1 << 32, 1 << 40, u64::MAX].map(Value::from);
    let wrong = [Value::from(-1), Value::from(0.5), Value::from(1e300), Value::Null, "1".into()];
    small.into_iter().chain(large).chain(wrong).chain([next]).collect()
}

/// Evidence with each of its numbers replaced by others, one at a time, and cut off at some places.
pub fn each_number_changed(bytes: &[u8]) -> Vec<Vec<u8>> {
    let good: Value = serde_json::from_slice(bytes).expect("JSON");
    let mut changed = Vec::new();
    let mut paths = vec![String::new()];
    while let Some(path) = paths.pop() {
        match good.pointer(&path).expect("a part") {
            Value::Array(parts) => {
                paths.extend((0..parts.len()).map(|i| format!("{path}/{i}")));
            }
            Value::Object(parts) => paths.extend(parts.keys().map(|key| format!("{path}/{key}"))),
            Value::Number(known) => {
                for other in others(known) {
                    let mut copy = good.clone();
                    *copy.pointer_mut(&path).expect("a part") = other;
                    changed.push(serde_json::to_vec(&copy).expect("JSON"));
                }
            }
            _ => {}
        }
    }
    let cuts = (1..8).map(|part| bytes[..bytes.len() * part / 8].to_vec());
    changed.extend(cuts);
    changed
}
