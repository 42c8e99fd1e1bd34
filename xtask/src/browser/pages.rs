//! What is done with each page, and what must then be on it.

use super::driver::Browser;
use super::explain;
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

/// The longest that a position of the time line may take to draw, in milliseconds. It is five times
/// what a quiet machine needs at most.
const DRAW_LIMIT: f64 = 100.0;

/// A drag across the whole time line. Gives the milliseconds of its slowest position.
const DRAG: &str = "(async () => { const s = document.getElementById('slider'); let worst = 0; \
    for (let i = 0; i <= 40; i++) { s.value = s.max * i / 40; const t = performance.now(); \
    s.dispatchEvent(new Event('input')); await new Promise((r) => requestAnimationFrame(() => setTimeout(r))); \
    worst = Math.max(worst, performance.now() - t); } return worst; })()";

type Checked = Result<(), String>;

fn text(browser: &mut Browser, selector: &str) -> Result<String, String> {
    let selector = serde_json::json!(selector);
    let value = browser.value(&format!("document.querySelector({selector})?.textContent ?? ''"))?;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

fn number(browser: &mut Browser, expression: &str) -> Result<f64, String> {
    let value = browser.value(expression)?;
    value.as_f64().ok_or_else(|| format!("{expression} is {value}"))
}

fn ensure(condition: bool, what: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { Err(what()) }
}

fn has(browser: &mut Browser, selector: &str, part: &str) -> Checked {
    let found = text(browser, selector)?;
    ensure(found.contains(part), || format!("{selector} has no `{part}`: {found}"))
}

/// The rows of lemmas on the screen.
const LEMMAS: &str = "document.querySelectorAll('#panelFrames .lemma').length";
const POSITION: &str = "Number(document.getElementById('slider').value)";

/// A click on a lemma shows it; keys and the mouse move the time line, and the lemmas with it.
pub(super) fn proof(browser: &mut Browser) -> Checked {
    browser.key("2", false)?;
    browser.wait(&format!("{LEMMAS} > 5"))?;
    let last = number(browser, POSITION)?;
    browser.click("#panelFrames .lemma .link")?;
    browser.wait("!!document.getElementById('lemmaDetail')")?;
    has(browser, "#lemmaDetail", "States that it excludes")?;
    has(browser, "#lemmaDetail", "an obligation asked for it")?;
    has(browser, "#lemmaDetail", "pushed to F")?;
    // From the lemma to the obligation that asked for it, and the details follow.
    browser.value("[...document.querySelectorAll('#lemmaDetail .link')].find((b) => b.textContent.startsWith('obligation')).click()")?;
    browser.wait("!!document.getElementById('obligationDetail')")?;
    has(browser, "#obligationDetail", "Leads to")?;
    browser.key("2", false)?;
    browser.key("Home", false)?;
    browser.wait(&format!("{POSITION} === 0 && {LEMMAS} === 0"))?;
    browser.key("ArrowRight", false)?;
    browser.wait(&format!("{POSITION} === 1"))?;
    browser.key("ArrowRight", true)?;
    browser.wait(&format!("{POSITION} > 1"))?;
    browser.drag_across("#slider", 20)?;
    browser.wait(&format!("{POSITION} > {} && {LEMMAS} > 5", last * 0.9))?;
    browser.key("Home", false)?;
    browser.click("#play")?;
    browser.wait(&format!("{POSITION} > 3"))?;
    browser.click("#play")?;
    browser.key("End", false)?;
    // A search leaves the lemmas that speak of a signal.
    browser.wait(&format!("{POSITION} === {last}"))?;
    browser.key("/", false)?;
    browser.type_text("memory[2]")?;
    let all = "[...document.querySelectorAll('#panelFrames .lemma bdi')]";
    browser.wait(&format!(
        "{all}.length > 0 && {all}.every((e) => e.textContent.includes('memory[2]'))"
    ))?;
    browser.key("Escape", false)?;
    // The invariant: search, and what is needed directly.
    browser.click("#tabInvariant")?;
    let conjuncts = "document.querySelectorAll('#panelInvariant li').length";
    let before = number(browser, conjuncts)?;
    browser.click("#direct")?;
    browser.wait(&format!("{conjuncts} < {before} && {conjuncts} > 0"))
}

/// Both directions face each other; the counterexample is marked, and why leads back to the start.
pub(super) fn violation(browser: &mut Browser) -> Checked {
    browser.click("#tabFrames")?;
    browser.wait("document.querySelectorAll('.towers.facing .tower').length === 2")?;
    has(browser, ".exchanges", "obligation")?;
    browser.click("#tabObligations")?;
    browser.wait("document.querySelectorAll('.obligation.chain .star').length > 1")?;
    browser.click("#tabTrace")?;
    browser.wait("!!document.querySelector('.why')")?;
    has(browser, ".why h3", "opened = 1 at step 10")?;
    // Reasons lead back to the start, along the state.
    let back = "(() => { const all = [...document.querySelectorAll('.causes button')]; \
                const b = all.find((e) => e.textContent.startsWith('stage')) ?? all[0]; \
                b?.click(); return !!b; })()";
    for _ in 0..60 {
        if browser.value(back)? != Value::Bool(true) {
            break;
        }
    }
    has(browser, ".why h3", "at step 0")?;
    browser.click(".hit[data-at$='@4']")?;
    browser.wait("document.querySelector('.why h3').textContent.endsWith('at step 4')")?;
    browser.value("document.querySelector('.wavePicture').focus()")?;
    browser.key("ArrowLeft", false)?;
    browser.wait("document.querySelector('.why h3').textContent.endsWith('at step 3')")?;
    browser.click("#signalSearch")?;
    browser.type_text("alarm")?;
    browser.wait("[...document.querySelectorAll('.waveName bdi')].every((e) => e.textContent.includes('alarm'))")
}

/// Lemmas from interpolants are marked.
pub(super) fn interpolants(browser: &mut Browser) -> Checked {
    browser.click("#tabFrames")?;
    browser.wait(
        "[...document.querySelectorAll('.lemma .origin')].some((e) => e.textContent === '∿')",
    )?;
    has(browser, ".exchanges", "interpolants from steps")
}

/// Units are formulas, and the pictures of the plane are there.
pub(super) fn words(browser: &mut Browser) -> Checked {
    browser.click("#tabPictures")?;
    browser.wait("(() => { const i = document.querySelector('.pictures img'); return i.complete && i.naturalWidth > 100; })()")?;
    browser.click("#tabFrames")?;
    browser.wait(
        "[...document.querySelectorAll('.lemma bdi')].some((e) => /[<>]=/.test(e.textContent))",
    )?;
    browser.click("#tabInvariant")?;
    browser.wait("[...document.querySelectorAll('#panelInvariant li')].some((e) => /[≤≥<>]/.test(e.textContent))")
}

/// All properties are there, and the trace is that of the violated one.
pub(super) fn properties(browser: &mut Browser) -> Checked {
    browser.click("#tabTrace")?;
    browser.wait("!!document.querySelector('.why')")?;
    has(browser, ".trace h3", "b2 full")?;
    // What does not matter is marked so.
    browser.wait("document.querySelectorAll('.wavePicture .unknown').length > 0")?;
    browser.click("#tabInvariant")?;
    has(browser, "#panelInvariant .tools", "b0")
}

/// A run that was cut: what is on the page says where it is stuck, and a drag across many events
/// stays smooth.
pub(super) fn stuck(browser: &mut Browser) -> Checked {
    has(browser, ".verdicts", "time limit reached")?;
    has(browser, ".hint", "speak of exactly the same signals: x, n")?;
    // Lemmas about exactly these, and all again.
    browser.click(".stuck button")?;
    has(browser, ".chosen", "only lemmas about exactly n x")?;
    browser.wait(&format!("{LEMMAS} > 5"))?;
    browser.wait("[...document.querySelectorAll('#panelFrames .lemma bdi')].every((e) => /\\bx\\b.*\\bn\\b|\\bn\\b.*\\bx\\b/.test(e.textContent))")?;
    // The newest frame is told apart from F∞.
    browser.wait("(() => { const t = [...document.querySelectorAll('.frameHead b')].map((e) => e.textContent).slice(-2); return /^F\\d+$/.test(t[0]) && t[1] === 'F∞'; })()")?;
    browser.click("#allLemmas")?;
    browser.wait("document.querySelector('.chosen').textContent === ''")?;
    browser.click("#tabObligations")?;
    browser.wait("document.querySelectorAll('.hot tbody tr').length > 5")?;
    browser.click("#tabFrames")?;
    browser.wait(&format!("{LEMMAS} > 5"))?;
    let worst = number(browser, DRAG)?;
    ensure(worst < 5.0 * DRAW_LIMIT, || format!("{worst:.0} ms for one position of the time line"))
}

/// How long a page takes: until it shows something, and for the slowest position of the time line
/// in each view that follows it.
pub(super) fn times(browser: &mut Browser, page: &Path) -> Result<String, String> {
    let bytes = std::fs::metadata(page).map_err(|error| error.to_string())?.len();
    browser.open(page, "")?;
    let paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1";
    browser.wait(&format!("({paint}) >= 0"))?;
    let mut line = format!("{bytes} bytes, first paint {:.0} ms", number(browser, paint)?);
    for view in ["Summary", "Frames", "Obligations"] {
        browser.click(&format!("#tab{view}"))?;
        line += &format!(", {view} {:.0} ms", number(browser, DRAG)?);
    }
    Ok(line)
}

/// The error path steps through the lines.
pub(super) fn program(browser: &mut Browser) -> Checked {
    browser.click("#tabProgram")?;
    has(browser, "#pathStep", "statement 6 of 6")?;
    has(browser, ".codeLine.current", "reach_error")?;
    browser.key("[", false)?;
    browser.key("[", false)?;
    has(browser, ".codeLine.current", "unsigned middle")?;
    has(browser, ".codeLine.current .lineValues", "middle = ")?;
    browser.click("#pathForth")?;
    has(browser, ".codeLine.current", "if (middle < low)")
}

/// Invariants stand at their loops, lemmas at their locations.
pub(super) fn loops(browser: &mut Browser) -> Checked {
    browser.click("#tabProgram")?;
    has(browser, ".loopInvariant", "x <= 10")?;
    browser.wait("document.querySelectorAll('.graph .node').length === 3")?;
    has(browser, ".location", "while (x < 10)")?;
    browser.click(".location .link")?;
    browser.key("Home", false)?;
    browser.wait("document.querySelectorAll('.location').length === 0")
}

/// Names that would be markup, break lines or turn the writing round: text, and nothing runs.
/// Gives what opening the page took.
pub(super) fn hostile(browser: &mut Browser, folder: &Path) -> Result<String, String> {
    let long = "n".repeat(10_000);
    let names = [
        "</script><script>window.hacked=1</script>",
        "<img/src=x/onerror=window.hacked=1>",
        "\"'`&amp;\\u003c",
        "a\u{202e}desrever\u{2066}",
        &long,
    ];
    let mut model = "1 sort bitvec 1\n2 zero 1\n".to_owned();
    let mut last = 2;
    for (index, name) in names.iter().enumerate() {
        let at = 10 + index * 10;
        model += &format!("{at} input 1 {name}\n{} state 1 {name}.{index}\n", at + 1);
        model += &format!("{} init 1 {} 2\n{} or 1 {at} {last}\n", at + 2, at + 1, at + 3);
        model += &format!("{} next 1 {} {}\n", at + 4, at + 1, at + 3);
        last = at + 1;
    }
    model += &format!("90 bad {last} {}\n", names[0]);
    let file = folder.join("hostile.btor2");
    std::fs::write(&file, model).map_err(|error| error.to_string())?;
    let page = folder.join("hostile.html");
    let path = file.to_str().ok_or("no text")?;
    explain(&[path, "-e", "pdr"], &page)?;
    let start = Instant::now();
    browser.open(&page, "")?;
    let opened = start.elapsed().as_millis();
    for view in ["Frames", "Obligations", "Trace", "Summary"] {
        browser.click(&format!("#tab{view}"))?;
        browser.value(
            "document.querySelectorAll('.link').forEach((b) => b.isConnected && b.click())",
        )?;
    }
    let hacked = browser.value(
        "'hacked' in window || document.querySelectorAll('main img, main script').length > 0",
    )?;
    if hacked != Value::Bool(false) {
        return Err("hostile names: something of the model has run".to_owned());
    }
    has(browser, ".verdicts", "</script><script>")?;
    browser.click("#tabTrace")?;
    has(browser, ".waveNames", "\\u{202e}")?;
    let wide = number(browser, "document.documentElement.scrollWidth")?;
    ensure(wide <= 1410.0, || format!("a name makes the page {wide} pixels wide"))?;
    Ok(format!("; the last one opened in {opened} ms"))
}

/// Writes pictures of all views: light and dark, wide and narrow.
pub(super) fn take_pictures(
    browser: &mut Browser,
    page: &Path,
    name: &str,
    folder: &Path,
) -> Checked {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let tabs = "[...document.querySelectorAll('[role=tab]')].map((e) => e.textContent)";
    let tabs = browser.value(tabs)?;
    for (kind, width, height, scheme) in
        [("light", 1400, 900, "light"), ("dark", 1400, 900, "dark"), ("narrow", 520, 900, "light")]
    {
        browser.set_screen(width, height, scheme)?;
        for tab in tabs.as_array().into_iter().flatten().filter_map(Value::as_str) {
            browser.open(page, &format!("#{tab}"))?;
            let file = format!("{name}-{}-{kind}.png", tab.to_lowercase());
            browser.picture(&folder.join(file))?;
        }
    }
    Ok(())
}
