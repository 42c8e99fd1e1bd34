//! What a person does in a browser: opens a page, clicks, drags, presses keys, looks.

use super::chromium::{self, Chromium};
use super::firefox::{self, Firefox};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the browser may take for anything.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What the left button of the mouse does.
#[derive(Copy, Clone, Debug)]
pub enum Mouse {
    /// It goes down.
    Press,
    /// The mouse moves, with the button down.
    Move,
    /// It goes up.
    Release,
}

/// How a browser is told what to do. Errors are in words.
pub trait Protocol {
    /// Goes to an address.
    fn navigate(&mut self, url: &str) -> Result<(), String>;

    /// The value of an expression in the page.
    fn value(&mut self, expression: &str) -> Result<Value, String>;

    /// Moves the mouse to a place, and presses or releases its button there.
    fn mouse(&mut self, mouse: Mouse, place: (f64, f64)) -> Result<(), String>;

    /// Presses and releases a key.
    fn key(&mut self, key: &str, is_shifted: bool) -> Result<(), String>;

    /// Types into the field that has the focus.
    fn type_text(&mut self, text: &str) -> Result<(), String>;

    /// The size of the page, and whether its colours are `light` or `dark`.
    fn set_screen(&mut self, width: u32, height: u32, scheme: &str) -> Result<(), String>;

    /// What the page looks like: PNG in base 64.
    fn picture(&mut self) -> Result<String, String>;
}

/// A program of one of these names on the path, if there is one.
fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut all = names.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    all.find(|candidate| candidate.is_file())
}

/// A kind of browser.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Chromium, or what is made of it.
    Chromium,
    /// Firefox.
    Firefox,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 2] = [Kind::Chromium, Kind::Firefox];

    /// Where it is installed, if it is.
    pub fn find(self) -> Option<PathBuf> {
        match self {
            Kind::Chromium => find(&chromium::NAMES),
            Kind::Firefox => find(&firefox::NAMES),
        }
    }
}

/// A browser with one page.
pub struct Browser {
    protocol: Box<dyn Protocol>,
}

impl Browser {
    /// Starts a browser.
    ///
    /// # Errors
    /// In words.
    pub fn start(kind: Kind, program: &Path) -> Result<Browser, String> {
        let protocol: Box<dyn Protocol> = match kind {
            Kind::Chromium => Box::new(Chromium::start(program)?),
            Kind::Firefox => Box::new(Firefox::start(program)?),
        };
        Ok(Browser { protocol })
    }

    /// Opens a file and waits until it has its views.
    ///
    /// # Errors
    /// If it has none, or something went wrong in its script.
    pub fn open(&mut self, page: &Path, fragment: &str) -> Result<(), String> {
        // A new document each time, also if only the fragment differs.
        self.protocol.navigate("about:blank")?;
        self.wait("location.href === 'about:blank'")?;
        let page = page.canonicalize().map_err(|error| format!("{}: {error}", page.display()))?;
        let url = format!("file://{}{fragment}", page.display());
        self.protocol.navigate(&url)?;
        self.wait("document.readyState === 'complete' && !!document.querySelector('[role=tab]')")
    }

    /// The value of an expression in the page.
    ///
    /// # Errors
    /// If it throws.
    pub fn value(&mut self, expression: &str) -> Result<Value, String> {
        self.protocol.value(expression)
    }

    /// Waits until a condition holds in the page.
    ///
    /// # Errors
    /// If it does not.
    pub fn wait(&mut self, condition: &str) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if self.value(condition).is_ok_and(|value| value == true) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(format!("never true: {condition}"))
    }

    /// The middle of an element on the screen, after scrolling there.
    fn middle(&mut self, selector: &str) -> Result<(f64, f64), String> {
        let expression = format!(
            "(() => {{ const e = document.querySelector({}); if (!e) return null; \
             e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect(); \
             return [r.x + r.width / 2, r.y + r.height / 2]; }})()",
            json!(selector)
        );
        let place = self.value(&expression)?;
        match (place[0].as_f64(), place[1].as_f64()) {
            (Some(x), Some(y)) => Ok((x, y)),
            _ => Err(format!("there is no {selector}")),
        }
    }

    /// Clicks an element, with the mouse.
    ///
    /// # Errors
    /// If there is none.
    pub fn click(&mut self, selector: &str) -> Result<(), String> {
        let place = self.middle(selector)?;
        self.protocol.mouse(Mouse::Press, place)?;
        self.protocol.mouse(Mouse::Release, place)
    }

    /// Drags the mouse across an element, from its left end to its right end.
    ///
    /// # Errors
    /// If there is none.
    pub fn drag_across(&mut self, selector: &str, moves: u32) -> Result<(), String> {
        let (_, y) = self.middle(selector)?;
        let expression = format!(
            "(() => {{ const r = document.querySelector({}).getBoundingClientRect(); \
             return [r.left + 8, r.right - 8]; }})()",
            json!(selector)
        );
        let ends = self.value(&expression)?;
        let (left, right) = (ends[0].as_f64().unwrap_or(0.0), ends[1].as_f64().unwrap_or(0.0));
        self.protocol.mouse(Mouse::Press, (left, y))?;
        for step in 0..=moves {
            let part = f64::from(step) / f64::from(moves);
            self.protocol.mouse(Mouse::Move, (left + (right - left) * part, y))?;
        }
        self.protocol.mouse(Mouse::Release, (right, y))
    }

    /// Presses and releases a key.
    ///
    /// # Errors
    /// If the browser does not take it.
    pub fn key(&mut self, key: &str, is_shifted: bool) -> Result<(), String> {
        self.protocol.key(key, is_shifted)
    }

    /// Types into the field that has the focus.
    ///
    /// # Errors
    /// If the browser does not take it.
    pub fn type_text(&mut self, text: &str) -> Result<(), String> {
        self.protocol.type_text(text)
    }

    /// The size of the page, and whether its colours are `light` or `dark`.
    ///
    /// # Errors
    /// If the browser does not take it.
    pub fn set_screen(&mut self, width: u32, height: u32, scheme: &str) -> Result<(), String> {
        self.protocol.set_screen(width, height, scheme)
    }

    /// Writes what the page looks like to a PNG file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn picture(&mut self, file: &Path) -> Result<(), String> {
        let bytes = from_base64(&self.protocol.picture()?);
        std::fs::write(file, bytes).map_err(|error| format!("{}: {error}", file.display()))
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for c in text.bytes().filter(|c| *c != b'=') {
        bits = bits << 6 | u32::from(digit(c));
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::from_base64;

    #[test]
    fn base64() {
        // From RFC 4648.
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9vYmE=", "fooba")] {
            assert_eq!(from_base64(text), bytes.as_bytes());
        }
    }
}
