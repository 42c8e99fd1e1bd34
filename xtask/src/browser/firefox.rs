//! A Firefox without a window, driven through Marionette, the protocol below WebDriver. Messages
//! are JSON arrays, with their length and a colon before them, on a port of the loopback device
//! that Firefox chooses: no other program is needed.

use super::driver::{Mouse, PATIENCE, Protocol};
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Names under which it is installed.
pub const NAMES: [&str; 2] = ["firefox", "firefox-esr"];

/// A browser with one page.
pub struct Firefox {
    child: Child,
    stream: BufReader<TcpStream>,
    number: u64,
    profile: PathBuf,
}

/// Kills a browser that could not be reached, and removes its files.
fn give_up(mut child: Child, profile: &Path, error: String) -> String {
    let _ = child.kill();
    let _ = child.wait();
    let _ = std::fs::remove_dir_all(profile);
    error
}

impl Firefox {
    /// Starts a browser.
    ///
    /// # Errors
    /// In words.
    pub fn start(program: &Path) -> Result<Firefox, String> {
        let profile = std::env::temp_dir().join(format!("pedra-firefox-{}", std::process::id()));
        std::fs::create_dir_all(&profile).map_err(|error| error.to_string())?;
        // Port 0: any that is free. Colours are light, whatever the machine prefers.
        let settings = "user_pref(\"marionette.port\", 0);\n\
                        user_pref(\"layout.css.prefers-color-scheme.content-override\", 1);\n";
        std::fs::write(profile.join("user.js"), settings).map_err(|error| error.to_string())?;
        let child = Command::new(program)
            .args(["--headless", "--marionette", "--no-remote", "--profile"])
            .arg(&profile)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let stream = match connect(&profile) {
            Ok(stream) => BufReader::new(stream),
            Err(error) => return Err(give_up(child, &profile, error)),
        };
        let mut browser = Firefox { child, stream, number: 0, profile };
        browser.receive()?;
        browser.call("WebDriver:NewSession", json!({}))?;
        Ok(browser)
    }

    /// The next message.
    fn receive(&mut self) -> Result<Value, String> {
        let failed = |error: std::io::Error| format!("Firefox: {error}");
        let (mut length, mut byte) = (0_usize, [0]);
        loop {
            self.stream.read_exact(&mut byte).map_err(failed)?;
            match byte[0] {
                b':' => break,
                digit @ b'0'..=b'9' if length < 1 << 32 => {
                    length = 10 * length + usize::from(digit - b'0');
                }
                _ => return Err("Firefox: no length of a message".to_owned()),
            }
        }
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).map_err(failed)?;
        serde_json::from_slice(&bytes).map_err(|error| format!("Firefox: {error}"))
    }

    /// Calls a command of the protocol.
    fn call(&mut self, command: &str, parameters: Value) -> Result<Value, String> {
        self.number += 1;
        let message = json!([0, self.number, command, parameters]).to_string();
        let message = format!("{}:{message}", message.len());
        let sent = self.stream.get_mut().write_all(message.as_bytes());
        sent.map_err(|error| format!("{command}: {error}"))?;
        loop {
            let answer = self.receive()?;
            if answer[1] == self.number {
                return match &answer[2] {
                    Value::Null => Ok(answer[3].clone()),
                    error => Err(format!("{command}: {}", error["message"])),
                };
            }
        }
    }

    /// Lets a keyboard or a mouse do something.
    fn act(&mut self, device: Value) -> Result<(), String> {
        self.call("WebDriver:PerformActions", json!({ "actions": [device] })).map(|_| ())
    }

    fn press(&mut self, keys: &[Vec<&str>]) -> Result<(), String> {
        let mut actions = Vec::new();
        for together in keys {
            let down = together.iter().map(|key| json!({ "type": "keyDown", "value": key }));
            let up = together.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
            actions.extend(down.chain(up));
        }
        self.act(json!({ "type": "key", "id": "keyboard", "actions": actions }))
    }
}

/// Waits for the port, and connects to it.
fn connect(profile: &Path) -> Result<TcpStream, String> {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        let port = std::fs::read_to_string(profile.join("MarionetteActivePort"));
        if let Some(port) = port.ok().and_then(|text| text.trim().parse::<u16>().ok()) {
            let stream = TcpStream::connect(("127.0.0.1", port)).map_err(|e| e.to_string())?;
            stream.set_read_timeout(Some(PATIENCE)).map_err(|error| error.to_string())?;
            return Ok(stream);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err("Firefox opens no port".to_owned())
}

/// The character that WebDriver has for a key.
fn of_key(key: &str) -> &str {
    match key {
        "ArrowLeft" => "\u{e012}",
        "ArrowRight" => "\u{e014}",
        "Home" => "\u{e011}",
        "End" => "\u{e010}",
        "Escape" => "\u{e00c}",
        other => other,
    }
}

const SHIFT: &str = "\u{e008}";

impl Protocol for Firefox {
    fn navigate(&mut self, url: &str) -> Result<(), String> {
        self.call("WebDriver:Navigate", json!({ "url": url })).map(|_| ())
    }

    fn value(&mut self, expression: &str) -> Result<Value, String> {
        let script = format!("return (async () => ({expression}))()");
        let answer = self.call("WebDriver:ExecuteScript", json!({ "script": script, "args": [] }));
        answer.map(|answer| answer["value"].clone()).map_err(|e| format!("{expression}: {e}"))
    }

    fn mouse(&mut self, mouse: Mouse, (x, y): (f64, f64)) -> Result<(), String> {
        let (x, y) = (x.round() as i64, y.round() as i64);
        let mut actions = vec![json!({ "type": "pointerMove", "x": x, "y": y, "duration": 0 })];
        match mouse {
            Mouse::Press => actions.push(json!({ "type": "pointerDown", "button": 0 })),
            Mouse::Move => {}
            Mouse::Release => actions.push(json!({ "type": "pointerUp", "button": 0 })),
        }
        let parameters = json!({ "pointerType": "mouse" });
        self.act(json!({
            "type": "pointer", "id": "mouse", "parameters": parameters, "actions": actions
        }))
    }

    fn key(&mut self, key: &str, is_shifted: bool) -> Result<(), String> {
        let key = of_key(key);
        self.press(&[if is_shifted { vec![SHIFT, key] } else { vec![key] }])
    }

    fn type_text(&mut self, text: &str) -> Result<(), String> {
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let keys: Vec<Vec<&str>> = letters.iter().map(|letter| vec![letter.as_str()]).collect();
        self.press(&keys)
    }

    /// Colours stay light: only the settings of the profile change them.
    fn set_screen(&mut self, width: u32, height: u32, _: &str) -> Result<(), String> {
        // The window has bars; the page gets what is asked for at the second try.
        let (mut wide, mut high) = (width as i64, height as i64);
        for _ in 0..2 {
            self.call("WebDriver:SetWindowRect", json!({ "width": wide, "height": high }))?;
            let inner = self.value("[window.innerWidth, window.innerHeight]")?;
            wide += width as i64 - inner[0].as_i64().unwrap_or(width as i64);
            high += height as i64 - inner[1].as_i64().unwrap_or(height as i64);
        }
        Ok(())
    }

    fn picture(&mut self) -> Result<String, String> {
        let answer = self.call("WebDriver:TakeScreenshot", json!({ "full": false }))?;
        Ok(answer["value"].as_str().unwrap_or_default().to_owned())
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let quit = self.call("Marionette:Quit", json!({ "flags": ["eForceQuit"] }));
        if quit.is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
