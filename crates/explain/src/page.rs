//! The page: data, style and script in one file that needs no other.
//!
//! What comes from a model is in the data alone, which no browser runs. See "Safety of a page" in
//! `docs/design/explain.md`.

use pedra_formats::sha256::sha256;
use serde_json::Value;

/// The style.
const STYLE: &str = concat!(include_str!("../page/style.css"), include_str!("../page/views.css"));

/// The script: each file defines functions, and the last one starts.
const SCRIPT: &str = concat!(
    "'use strict';\n(() => {\n",
    include_str!("../page/element.js"),
    include_str!("../page/claims.js"),
    include_str!("../page/timeline.js"),
    include_str!("../page/charts.js"),
    include_str!("../page/rows.js"),
    include_str!("../page/summary.js"),
    include_str!("../page/frames.js"),
    include_str!("../page/lemma.js"),
    include_str!("../page/obligations.js"),
    include_str!("../page/trace.js"),
    include_str!("../page/invariant.js"),
    include_str!("../page/program.js"),
    include_str!("../page/pictures.js"),
    include_str!("../page/main.js"),
    "})();\n",
);

/// JSON that can stand inside of an element of any page: nothing in it ends the element or begins
/// another one.
fn embedded(data: &Value) -> String {
    let text = data.to_string();
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // These occur only inside of strings.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{7f}' => {
                safe.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// The page of these data, which may ask for itself again after some seconds.
pub(crate) fn page(data: &Value, refresh: Option<u64>) -> String {
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; \
         base-uri 'none'; form-action 'none'",
        sha256_base64(SCRIPT.as_bytes()),
        sha256_base64(STYLE.as_bytes()),
    );
    let data = embedded(data);
    let refresh = refresh.map_or_else(String::new, |seconds| {
        format!("<meta http-equiv=\"refresh\" content=\"{seconds}\">\n")
    });
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         {refresh}<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>A run of pedra</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript>This page draws a recorded run and needs JavaScript for it.</noscript>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// The hash of a text, as policies of pages write it.
fn sha256_base64(text: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let hex = sha256(text);
    let nibble = |c: char| c.to_digit(16).expect("the hash is in hexadecimal digits");
    let nibbles: Vec<u32> = hex.chars().map(nibble).collect();
    // Six digits are three bytes, which are four characters.
    let mut base64 = String::new();
    for group in nibbles.chunks(6) {
        let bits = (0..6).fold(0, |bits, i| bits << 4 | group.get(i).copied().unwrap_or(0));
        let used = (group.len() * 4).div_ceil(6);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63] as char;
            base64.push(if place < used { digit } else { '=' });
        }
    }
    base64
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hashes_of_policies() {
        // From the specification of content security policies.
        let hash = sha256_base64(b"alert('Hello, world.');");
        assert_eq!(hash, "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }

    /// No text of a model can leave its string, whatever it says.
    #[test]
    fn data_stays_data() {
        let nasty = "</script><script>alert(1)</script><!-- & \u{2028}\u{2029} \" \\ \n";
        let data = json!({ nasty: [nasty, { "deep": nasty }] });
        let text = embedded(&data);
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\n']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(data.clone()));
        let page = page(&data, None);
        // Both scripts, the style, and nothing else.
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        assert_eq!(page.matches("<!--").count(), 0);
    }

    /// The script and the style can stand inside of their elements, and use nothing by which data
    /// could become code.
    #[test]
    fn the_script_makes_no_code_of_data() {
        for part in [SCRIPT, STYLE] {
            assert!(!part.contains("</") && !part.contains("<!--"));
        }
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "setTimeout('",
            "javascript:",
            "srcdoc",
            "DOMParser",
            "onclick=",
            "fetch(",
            "XMLHttpRequest",
            "import(",
            "localStorage",
        ] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }
}
