// The trace of a violation: waveforms, a cursor, and why a value is what it is.

const ROW = 28;
const LINE = 20;

// Values with those filled in that did not change.
function fullValues(signal) {
  let last = '';
  return signal.values.map((value) => (last = value || last));
}

// Short words in binary, known ones in hexadecimal, others digit by digit.
function shownValue(digits) {
  if (digits.length <= 4) return digits;
  if (/^x+$/.test(digits)) return 'x';
  if (digits.includes('x')) return digits;
  const padded = digits.padStart(Math.ceil(digits.length / 4) * 4, '0');
  return '0x' + padded.replace(/..../g, (four) => parseInt(four, 2).toString(16));
}

class Waves {
  constructor(run, trace) {
    this.run = run;
    this.trace = trace;
    this.values = trace.signals.map(fullValues);
    this.step = trace.steps - 1;
    this.chosen = null;
    this.cone = new Set();
    this.closed = new Set();
    this.options = { search: '', all: false };
    this.names = el('div', { class: 'waveNames' });
    this.picture = el('div', { class: 'wavePicture', tabindex: 0, role: 'group', 'aria-label': 'waveform; arrow keys move the cursor', onkeydown: (e) => this.key(e) });
    this.panel = el('div', { class: 'why', 'aria-live': 'polite' });
    const search = el('input', { type: 'search', placeholder: 'signal', 'aria-label': 'signals named', id: 'signalSearch', oninput: () => { this.options.search = search.value; this.draw(); } });
    const all = el('input', { type: 'checkbox', onchange: () => { this.options.all = all.checked; this.draw(); } });
    this.element = el('div', {},
      el('div', { class: 'tools' }, el('label', {}, 'search ', search),
        trace.signals.some((s) => !s.cone || s.kind === 'constraint') ? el('label', {}, all, ' also signals that the property does not depend on') : null),
      trace.first > 0 ? el('p', { class: 'count' }, 'Steps 0 to ' + (trace.first - 1) + ' are not on this page.') : null,
      trace.hidden > 0 ? el('p', { class: 'count' }, plural(trace.hidden, 'signal') + ' that the property does not depend on: not on this page.') : null,
      el('div', { class: 'waves' }, this.names, this.picture), this.panel);
    const bad = trace.signals.findIndex((s) => s.kind === 'bad' && s.cone);
    this.draw();
    if (bad >= 0) this.choose(bad, this.step);
  }

  value(signal, step) {
    return this.values[signal][step - this.trace.first];
  }

  // What is shown, in the order of the hierarchy: scopes, and signals in them.
  list() {
    const word = this.options.search.toLowerCase();
    const rows = [];
    const scopes = new Set();
    const kinds = ['bad', 'input', 'state', 'wire', 'constraint'];
    const order = this.trace.signals.map((_, at) => at)
      .sort((a, b) => kinds.indexOf(this.trace.signals[a].kind) - kinds.indexOf(this.trace.signals[b].kind) || a - b);
    for (const at of order) {
      const signal = this.trace.signals[at];
      if (!this.options.all && (!signal.cone || signal.kind === 'constraint')) continue;
      if (word && !signal.name.toLowerCase().includes(word)) continue;
      const parts = signal.name.split('.');
      const scope = parts.length > 1 ? parts.slice(0, -1).join('.') : '';
      if (scope && !scopes.has(scope)) {
        scopes.add(scope);
        rows.push({ scope });
      }
      rows.push({ at, inside: scope, short: parts[parts.length - 1] });
    }
    // Signals of a scope stay together.
    const top = rows.filter((row) => row.at !== undefined && !row.inside);
    const grouped = [...scopes].flatMap((scope) => [{ scope }, ...(this.closed.has(scope) ? [] : rows.filter((row) => row.inside === scope))]);
    return [...top, ...grouped];
  }

  draw() {
    const rows = this.list();
    const { first, steps } = this.trace;
    const cell = this.cellWidth = this.cell();
    const width = (steps - first) * cell;
    const label = (row) => row.scope !== undefined
      ? el('div', { class: 'waveName scope' }, button(this.closed.has(row.scope) ? '▸' : '▾', 'open or close', () => {
        if (!this.closed.delete(row.scope)) this.closed.add(row.scope);
        this.draw();
      }, { class: 'twig' }), name(row.scope, 40))
      : el('div', { class: 'waveName ' + this.trace.signals[row.at].kind + (row.inside ? ' inside' : '') }, name(row.inside ? row.short : this.trace.signals[row.at].name, 40));
    replace(this.names, el('div', { class: 'waveName steps' }, 'step'), rows.map(label));
    const parts = [];
    for (let step = first; step < steps; step++) {
      parts.push(svg('text', { class: 'stepNumber', x: (step - first + 0.5) * cell, y: LINE - 4, 'text-anchor': 'middle', onclick: () => this.moveTo(step) }, step));
    }
    rows.forEach((row, at) => {
      if (row.at !== undefined) parts.push(this.wave(row.at, LINE + at * ROW, cell));
    });
    this.cursor = svg('rect', { class: 'stepCursor', y: 0, width: cell, height: LINE + rows.length * ROW });
    this.svg = svg('svg', { width, height: LINE + rows.length * ROW, viewBox: '0 0 ' + width + ' ' + (LINE + rows.length * ROW) },
      svg('defs', {}, svg('pattern', { id: 'unknown', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
        svg('line', { class: 'hatch', x1: 0, x2: 0, y1: 0, y2: 6 }))),
      this.cursor, parts);
    replace(this.picture, this.svg);
    this.mark();
  }

  // Wide enough for the widest value.
  cell() {
    const longest = Math.min(16, Math.max(1, ...this.values.flatMap((list, at) => ((this.trace.signals[at].cone || this.options.all) ? list.map((v) => shownValue(v).length) : [1]))));
    const room = (document.documentElement.clientWidth - 300) / (this.trace.steps - this.trace.first);
    return Math.round(Math.max(36, longest * 9 + 14, Math.min(90, room)));
  }

  wave(at, top, cell) {
    const { first, steps } = this.trace;
    const group = svg('g', {});
    const low = top + ROW - 6, high = top + 6, middle = (low + high) / 2;
    for (let step = first; step < steps; step++) {
      const value = this.value(at, step), before = step > first ? this.value(at, step - 1) : value;
      const x = (step - first) * cell, end = x + cell;
      const unknown = /^x+$/.test(value);
      if (unknown) {
        group.append(svg('rect', { class: 'unknown', x, y: high, width: cell, height: low - high, fill: 'url(#unknown)' }));
        group.append(svg('text', { class: 'waveValue', x: (x + end) / 2, y: middle + 4, 'text-anchor': 'middle' }, 'x'));
      } else if (value.length === 1) {
        const y = value === '1' ? high : low;
        const edge = before !== value && before !== 'x' ? 'M' + x + ' ' + (value === '1' ? low : high) + 'V' + y : 'M' + x + ' ' + y;
        group.append(svg('path', { class: 'bit', d: edge + 'H' + end }));
      } else {
        const changed = step === first || before !== value;
        group.append(svg('path', { class: 'word', d: (changed ? 'M' + (x + 4) + ' ' + high + 'L' + x + ' ' + middle + 'L' + (x + 4) + ' ' + low : 'M' + x + ' ' + low) + 'H' + end + 'M' + (changed ? x + 4 : x) + ' ' + high + 'H' + end }));
        if (changed) group.append(svg('text', { class: 'waveValue', x: x + 9, y: middle + 4 }, shownValue(value).slice(0, 16)));
      }
      group.append(svg('rect', { class: 'hit', 'data-at': at + '@' + step, x, y: top, width: cell, height: ROW,
        onclick: () => this.choose(at, step) }, svg('title', {}, visible(this.trace.signals[at].name).slice(0, 200) + ' = ' + value + ' at step ' + step)));
    }
    return group;
  }

  moveTo(step) {
    this.step = Math.max(this.trace.first, Math.min(this.trace.steps - 1, step));
    this.cursor.setAttribute('x', (this.step - this.trace.first) * this.cellWidth);
    if (this.chosen && this.chosen.step !== this.step) this.choose(this.chosen.signal, this.step);
  }

  key(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move) return;
    this.moveTo(this.step + move);
    event.preventDefault();
    event.stopPropagation();
  }

  causes(signal, step) {
    const { why } = this.trace.signals[signal];
    const flat = why ? why[step - this.trace.first] : [];
    const list = [];
    for (let at = 0; at < flat.length; at += 2) if (flat[at + 1] >= this.trace.first) list.push({ signal: flat[at], step: flat[at + 1] });
    return list;
  }

  // A value was chosen: what it depends on, and everything behind that in the picture.
  choose(signal, step) {
    this.chosen = { signal, step };
    this.step = step;
    this.cone = new Set();
    const open = [this.chosen];
    while (open.length > 0) {
      const one = open.pop();
      for (const cause of this.causes(one.signal, one.step)) {
        const key = cause.signal + '@' + cause.step;
        if (!this.cone.has(key)) {
          this.cone.add(key);
          open.push(cause);
        }
      }
    }
    this.mark();
    this.explain();
  }

  mark() {
    this.cursor.setAttribute('x', (this.step - this.trace.first) * this.cellWidth);
    const chosen = this.chosen && this.chosen.signal + '@' + this.chosen.step;
    for (const hit of this.svg.querySelectorAll('.hit')) {
      const key = hit.getAttribute('data-at');
      hit.setAttribute('class', 'hit' + (key === chosen ? ' chosen' : this.cone.has(key) ? ' cause' : ''));
    }
  }

  explain() {
    const { signal, step } = this.chosen;
    const say = (at) => [name(this.trace.signals[at.signal].name, 40), ' = ' + shownValue(this.value(at.signal, at.step)) + ' at step ' + at.step];
    const list = this.causes(signal, step);
    const { kind } = this.trace.signals[signal];
    const value = this.value(signal, step);
    const none = /^x+$/.test(value) ? 'Any value here leads to the violation.'
      : !this.trace.signals[signal].why ? 'Reasons are not known: the model or the trace is too large.'
        : kind === 'input' ? 'It comes from outside.' : step === 0 ? 'It starts like this.' : 'It is fixed, or comes from outside.';
    replace(this.panel, el('h3', {}, 'Why ', say(this.chosen)),
      list.length === 0 ? el('p', {}, none) : [
        el('p', {}, 'One reason, in the values that it depends on:'),
        el('ul', { class: 'causes' }, list.map((at) => el('li', {}, el('button', { type: 'button', class: 'link', onclick: () => this.choose(at.signal, at.step) }, say(at))))),
        el('p', { class: 'count' }, 'All of ' + plural(this.cone.size, 'value') + ' behind it are marked in the picture.')]);
  }
}

function traceView(run) {
  const { traces } = run.data;
  if (!traces || traces.length === 0) return null;
  const holder = el('div', {});
  const label = (trace) => {
    const property = run.data.properties.find((p) => p.property === trace.property);
    return 'b' + trace.property + ' ' + visible(property && property.name || '').slice(0, 60) + ', violated at step ' + (trace.steps - 1);
  };
  const pick = (at) => replace(holder, new Waves(run, traces[at]).element);
  const choose = el('select', { 'aria-label': 'property', onchange: () => pick(Number(choose.value)) }, traces.map((trace, at) => el('option', { value: at }, label(trace))));
  const element = el('section', { class: 'trace' }, traces.length > 1 ? el('div', { class: 'tools' }, el('label', {}, 'property ', choose)) : el('h3', {}, label(traces[0])), holder);
  let isMade = false;
  // Independent of the time line of the search.
  return { name: 'Trace', element, show: () => { if (!isMade) { isMade = true; pick(0); } } };
}
