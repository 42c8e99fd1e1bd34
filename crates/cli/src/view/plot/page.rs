//! All pictures of a run on one page, shown one after the other. The page needs no other file.

use pedra_formats::svg::escaped;
use std::fmt::Write as _;

const STYLE: &str = "\
body { font-family: Helvetica, Arial, sans-serif; color: #222; margin: 1.5em auto; width: 940px; }
#controls { display: flex; gap: 0.6em; align-items: center; margin-bottom: 0.8em; }
#slider { flex: 1; }
button, select { font: inherit; padding: 0.2em 0.7em; }
select { max-width: 30em; }
.step { display: none; border: 1px solid #ccc; }
.step.shown { display: block; }
";

const SCRIPT: &str = "\
const steps = document.querySelectorAll('.step');
const slider = document.getElementById('slider');
const list = document.getElementById('list');
let timer = null;
function show(n) {
  n = Math.max(0, Math.min(steps.length - 1, n));
  steps.forEach((step, i) => step.classList.toggle('shown', i === n));
  slider.value = n; list.selectedIndex = n; location.replace('#' + (n + 1));
}
function now() { return Number(slider.value); }
function play() {
  const button = document.getElementById('play');
  if (timer) { clearInterval(timer); timer = null; button.textContent = 'play'; return; }
  button.textContent = 'stop';
  timer = setInterval(() => { if (now() + 1 < steps.length) show(now() + 1); else play(); }, 900);
}
slider.oninput = () => show(now());
list.onchange = () => show(list.selectedIndex);
document.getElementById('back').onclick = () => show(now() - 1);
document.getElementById('forth').onclick = () => show(now() + 1);
document.getElementById('play').onclick = play;
document.onkeydown = (e) => {
  if (e.target === list || e.target === slider) return;
  if (e.key === 'ArrowLeft') show(now() - 1);
  if (e.key === 'ArrowRight') show(now() + 1);
};
show(Number(location.hash.slice(1) || 1) - 1);
";

/// The page.
pub fn page(title: &str, captions: &[&str], pictures: &[String]) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <div id=\"controls\">\n<button id=\"back\">&larr;</button>\n\
         <button id=\"forth\">&rarr;</button>\n<button id=\"play\">play</button>\n\
         <input id=\"slider\" type=\"range\" min=\"0\" max=\"{}\" value=\"0\">\n<select id=\"list\">\n",
        pictures.len().saturating_sub(1)
    );
    for (number, caption) in captions.iter().enumerate() {
        let _ = writeln!(page, "<option>{}. {}</option>", number + 1, escaped(caption));
    }
    page.push_str("</select>\n</div>\n");
    for picture in pictures {
        let _ = writeln!(page, "<div class=\"step\">\n{picture}</div>");
    }
    if pictures.is_empty() {
        page.push_str("<p>Nothing happened that could be drawn.</p>\n");
    }
    let _ = write!(page, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    page
}
