//! A Chromium without a window, driven through its DevTools protocol. Messages are JSON objects
//! with a zero byte at their end, on two pipes (`--remote-debugging-pipe`): no port is opened, and
//! no other program is needed.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the browser may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A Chromium on the path, if there is one.
pub fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut all = NAMES.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    all.find(|candidate| candidate.is_file())
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    number: u64,
    profile: PathBuf,
}

impl Browser {
    /// Starts a browser.
    ///
    /// # Errors
    /// In words.
    pub fn start(program: &Path) -> Result<Browser, String> {
        let profile = std::env::temp_dir().join(format!("pedra-browser-{}", std::process::id()));
        // The protocol is on the file descriptors 3 and 4 of the browser, which are our pipes.
        let script = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .args(["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"])
            .args(["--disable-quic", "--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--force-color-profile=srgb"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let input = child.stdin.take().ok_or("no pipe to the browser")?;
        let output = BufReader::new(child.stdout.take().ok_or("no pipe from the browser")?);
        let mut browser = Browser { child, input, output, session: None, number: 0, profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach)?;
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", json!({}))?;
        browser.call("Runtime.enable", json!({}))?;
        Ok(browser)
    }

    /// Calls a method of the protocol.
    ///
    /// # Errors
    /// What the browser says to it.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.number += 1;
        let number = self.number;
        let mut message = json!({ "id": number, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let text = message.to_string() + "\0";
        self.input.write_all(text.as_bytes()).map_err(|error| format!("{method}: {error}"))?;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let mut bytes = Vec::new();
            self.output.read_until(0, &mut bytes).map_err(|error| format!("{method}: {error}"))?;
            if bytes.pop() != Some(0) {
                return Err(format!("{method}: the browser has ended"));
            }
            let answer: Value =
                serde_json::from_slice(&bytes).map_err(|error| format!("{method}: {error}"))?;
            // Anything else is an event, which nobody waits for.
            if answer["id"] == number {
                return match &answer["error"] {
                    Value::Null => Ok(answer["result"].clone()),
                    error => Err(format!("{method}: {error}")),
                };
            }
        }
        Err(format!("{method}: no answer"))
    }

    /// Opens a file and waits until it has its views.
    ///
    /// # Errors
    /// If it has none, or something went wrong in its script.
    pub fn open(&mut self, page: &Path, fragment: &str) -> Result<(), String> {
        // A new document each time, also if only the fragment differs.
        self.call("Page.navigate", json!({ "url": "about:blank" }))?;
        self.wait("location.href === 'about:blank'")?;
        let page = page.canonicalize().map_err(|error| format!("{}: {error}", page.display()))?;
        let url = format!("file://{}{fragment}", page.display());
        self.call("Page.navigate", json!({ "url": url }))?;
        self.wait("document.readyState === 'complete' && !!document.querySelector('[role=tab]')")
    }

    /// The value of an expression in the page.
    ///
    /// # Errors
    /// If it throws.
    pub fn value(&mut self, expression: &str) -> Result<Value, String> {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", params)?;
        match &answer["exceptionDetails"] {
            Value::Null => Ok(answer["result"]["value"].clone()),
            details => Err(format!("{expression}: {}", details["exception"]["description"])),
        }
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

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) -> Result<(), String> {
        let buttons = i32::from(kind != "mouseReleased");
        let params = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1
        });
        self.call("Input.dispatchMouseEvent", params).map(|_| ())
    }

    /// Clicks an element, with the mouse.
    ///
    /// # Errors
    /// If there is none.
    pub fn click(&mut self, selector: &str) -> Result<(), String> {
        let place = self.middle(selector)?;
        self.mouse("mousePressed", place)?;
        self.mouse("mouseReleased", place)
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
        self.mouse("mousePressed", (left, y))?;
        for step in 0..=moves {
            let part = f64::from(step) / f64::from(moves);
            self.mouse("mouseMoved", (left + (right - left) * part, y))?;
        }
        self.mouse("mouseReleased", (right, y))
    }

    /// Presses and releases a key.
    ///
    /// # Errors
    /// If the browser does not take it.
    pub fn key(&mut self, key: &str, is_shifted: bool) -> Result<(), String> {
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let params = json!({
                "type": kind, "key": key, "text": text, "modifiers": if is_shifted { 8 } else { 0 }
            });
            self.call("Input.dispatchKeyEvent", params)?;
        }
        Ok(())
    }

    /// Types into the field that has the focus.
    ///
    /// # Errors
    /// If the browser does not take it.
    pub fn type_text(&mut self, text: &str) -> Result<(), String> {
        self.call("Input.insertText", json!({ "text": text })).map(|_| ())
    }

    /// The size of the page, how many pixels of the screen one of its pixels has, and its colours.
    ///
    /// # Errors
    /// If the browser does not take it.
    pub fn set_screen(&mut self, width: u32, height: u32, scheme: &str) -> Result<(), String> {
        let params =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", params)?;
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features })).map(|_| ())
    }

    /// Writes what the page looks like to a PNG file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn picture(&mut self, file: &Path) -> Result<(), String> {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        let bytes = from_base64(answer["data"].as_str().unwrap_or_default());
        std::fs::write(file, bytes).map_err(|error| format!("{}: {error}", file.display()))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        let _ = self.call("Browser.close", json!({}));
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
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
