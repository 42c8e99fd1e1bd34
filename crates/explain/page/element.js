// Making elements. What comes from a model becomes text nodes, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function replace(node, ...children) {
  node.replaceChildren();
  return fill(node, {}, children);
}

// Control characters and marks of writing direction become visible.
function visible(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => '\\u{' + c.codePointAt(0).toString(16) + '}');
}

// A name of the model: cut for the eye, whole in its title, and without effect on what is around it.
function name(text, longest = 60) {
  const all = visible(text);
  const short = all.length > longest ? all.slice(0, longest - 1) + '…' : all;
  return el('bdi', { class: 'name', title: all.length > longest ? all.slice(0, 2000) : null }, short);
}

function button(text, title, action, more) {
  return el('button', { type: 'button', title, 'aria-label': title, onclick: action, ...more }, text);
}

// 12,345
function count(n) {
  return Number(n).toLocaleString('en-US');
}

function plural(n, one, many) {
  return count(n) + ' ' + (n === 1 ? one : many || one + 's');
}

function time(seconds) {
  if (seconds < 1) return (seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0) + ' ms';
  if (seconds < 100) return seconds.toFixed(2) + ' s';
  return seconds.toFixed(0) + ' s';
}

function levelName(level) {
  return level < 0 ? 'F∞' : 'F' + level;
}

function verdictMark(verdict) {
  return { proved: '✓', violated: '✗', unknown: '?' }[verdict] || '?';
}

// The greatest index whose value is at most x, in an ascending list; -1 if there is none.
function lastAtMost(list, x) {
  let low = -1, high = list.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] <= x) low = middle; else high = middle;
  }
  return low;
}

// The head of a column; those of numbers are on the right, like the numbers.
function columnHead(text) {
  const numbers = ['after', 'inputs', 'states', 'gates', 'how many', 'claim held', 'time', 'lemmas', 'obligations', 'taken up', 'raised'];
  return el('th', { scope: 'col', class: numbers.includes(text) ? 'number' : null }, text);
}
