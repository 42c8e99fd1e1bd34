//! A Chromium without a window, driven through its DevTools protocol. Messages are JSON objects
//! with a zero byte at their end, on two pipes (`--remote-debugging-pipe`): no port is opened, and
//! no other program is needed.

use super::driver::{Mouse, PATIENCE, Protocol};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// Names under which it is installed.
pub const NAMES: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A browser with one page.
pub struct Chromium {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    session: Option<String>,
    number: u64,
    profile: PathBuf,
}

impl Chromium {
    /// Starts a browser.
    ///
    /// # Errors
    /// In words.
    pub fn start(program: &Path) -> Result<Chromium, String> {
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
        let mut browser = Chromium { child, input, output, session: None, number: 0, profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach)?;
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", json!({}))?;
        browser.call("Runtime.enable", json!({}))?;
        Ok(browser)
    }

    /// Calls a method of the protocol.
    fn call(&mut self, method: &str, params: Value) -> Result<Value, String> {
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
}

impl Protocol for Chromium {
    fn navigate(&mut self, url: &str) -> Result<(), String> {
        self.call("Page.navigate", json!({ "url": url })).map(|_| ())
    }

    fn value(&mut self, expression: &str) -> Result<Value, String> {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", params)?;
        match &answer["exceptionDetails"] {
            Value::Null => Ok(answer["result"]["value"].clone()),
            details => Err(format!("{expression}: {}", details["exception"]["description"])),
        }
    }

    fn mouse(&mut self, mouse: Mouse, (x, y): (f64, f64)) -> Result<(), String> {
        let (kind, buttons) = match mouse {
            Mouse::Press => ("mousePressed", 1),
            Mouse::Move => ("mouseMoved", 1),
            Mouse::Release => ("mouseReleased", 0),
        };
        let params = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1
        });
        self.call("Input.dispatchMouseEvent", params).map(|_| ())
    }

    fn key(&mut self, key: &str, is_shifted: bool) -> Result<(), String> {
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

    fn type_text(&mut self, text: &str) -> Result<(), String> {
        self.call("Input.insertText", json!({ "text": text })).map(|_| ())
    }

    fn set_screen(&mut self, width: u32, height: u32, scheme: &str) -> Result<(), String> {
        let params =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", params)?;
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features })).map(|_| ())
    }

    fn picture(&mut self) -> Result<String, String> {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        Ok(answer["data"].as_str().unwrap_or_default().to_owned())
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        self.session = None;
        let _ = self.call("Browser.close", json!({}));
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
