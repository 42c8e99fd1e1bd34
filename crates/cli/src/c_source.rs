//! C files: the text that the front end reads, and witnesses about it.

use crate::load::{InputError, pointed_at, read_bytes};
use pedra_c::preprocess::preprocess;
use pedra_c::source::Location;
use pedra_c::specification::Specification;
use pedra_c::witness::observe::without_line_markers;
use pedra_c::witness::{Content, Metadata, Witness, write};
use pedra_c::{CError, DataModel};
use pedra_formats::sha256::sha256;
use pedra_model::random::Random;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A C file.
#[derive(Clone, Debug)]
pub struct CSource {
    /// Its name.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What the front end reads. Positions in it are those of the file: line markers that the file
    /// has itself are blank.
    pub text: Vec<u8>,
}

impl CSource {
    /// Reads a file, and runs the preprocessor if it needs that.
    ///
    /// # Errors
    /// If there is no such file, or no preprocessor.
    pub fn read(path: &Path, model: DataModel) -> Result<CSource, InputError> {
        let bytes = read_bytes(path)?;
        let text = match pedra_c::needs_preprocessing(&bytes) {
            true => preprocess(path, model)
                .map_err(|error| InputError(format!("{}: {error}", path.display())))?,
            false => without_line_markers(&bytes),
        };
        Ok(CSource { path: path.to_owned(), bytes, text })
    }

    /// Its name, as witnesses have it.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// A witness with all that it says about itself. Its number depends on what it says alone, so
    /// that the same run writes the same file but for the time.
    pub fn witness(
        &self,
        content: Content,
        specification: &Specification,
        model: DataModel,
    ) -> Witness {
        let mut witness = Witness {
            metadata: Metadata {
                format_version: "2.0".into(),
                uuid: String::new(),
                creation_time: String::new(),
                producer: ("Pedra".into(), env!("CARGO_PKG_VERSION").into()),
                input_files: vec![(self.name(), sha256(&self.bytes))],
                specification: specification.to_string(),
                data_model: model,
            },
            content,
        };
        let hash = sha256(write(&witness).as_bytes());
        let mut random = Random::new(u64::from_str_radix(&hash[..16], 16).unwrap_or_default());
        witness.metadata.uuid = uuid(&mut random);
        witness.metadata.creation_time = time_text(now());
        witness
    }
}

/// A random number in the form of RFC 4122, version 4.
fn uuid(random: &mut Random) -> String {
    let (high, low) = (random.word(), random.word());
    let high = high & !0xf000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

/// Seconds since 1970; what `SOURCE_DATE_EPOCH` says for files that are to be the same again.
fn now() -> u64 {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    fixed.unwrap_or_else(clock)
}

/// ISO 8601, in UTC. The date follows from the number of days in the Gregorian calendar, counted
/// in years that start in March.
fn time_text(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + next;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// `file:line:column: what is wrong`, the line with a marker below it, and a hint.
pub fn error_text(path: &Path, error: &CError) -> String {
    let file = match error.location.file {
        Some(_) => String::new(),
        None => format!("{}:", path.display()),
    };
    let mut text = format!("{file}{error}");
    let Location { line, column, .. } = error.location;
    text.push_str(&pointed_at(error.text.as_bytes(), line, column));
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\nhint: {hint}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_point_at_the_place() {
        let text = b"int main(void) {\n    return x;\n}\n";
        let error = pedra_c::load(text, "f.c", &pedra_c::Options::default()).expect_err("no x");
        let shown = "f.c:2:12: `x` is not declared\n 2 |     return x;\n   |            ^";
        assert_eq!(error_text(Path::new("f.c"), &error), shown);
    }

    #[test]
    fn times() {
        assert_eq!(time_text(0), "1970-01-01T00:00:00Z");
        assert_eq!(time_text(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(time_text(4_102_444_799), "2099-12-31T23:59:59Z");
    }

    #[test]
    fn numbers_have_version_and_variant() {
        let text = uuid(&mut Random::new(1));
        assert_eq!(text.len(), 36);
        assert_eq!(&text[14..15], "4");
        assert!("89ab".contains(&text[19..20]), "{text}");
    }
}
