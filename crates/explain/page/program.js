// Programs: the source in the middle, the error path stepping through it, invariants at their loops,
// locations with their frames, and the graph between them.

class ProgramView {
  constructor(run) {
    this.run = run;
    this.program = run.data.program;
    this.tower = run.data.towers.find((tower) => tower.lemmas.place || tower.obligations.place) || null;
    this.graph = this.program.graphs[this.tower ? this.tower.program || 0 : this.program.graphs.length - 1] || null;
    this.path = this.program.runs[0] || null;
    this.step = 0;
    this.lines = [];
    this.source = el('div', { class: 'source', tabindex: 0, role: 'group', 'aria-label': 'source' });
    this.side = el('div', { class: 'locations' });
    this.drawSource();
    this.element = el('section', { class: 'program' + (this.path ? '' : ' noRun') },
      el('div', { class: 'programLeft' }, this.graph ? this.drawGraph() : null, this.side),
      this.source,
      this.path ? this.drawPath() : null);
    if (this.path) this.goTo(this.path.steps.length - 1);
  }

  // Invariants of all proofs, by line.
  invariants() {
    const found = new Map();
    for (const property of this.run.data.properties) {
      for (const one of property.invariants || []) {
        const list = found.get(one.line) || [];
        const hidden = one.over_bits + one.hidden;
        list.push({ text: (one.conjuncts.join(' && ') || 'true') + (hidden > 0 ? ' && (' + hidden + ' more)' : ''), property: property.property });
        found.set(one.line, list);
      }
    }
    return found;
  }

  drawSource() {
    const invariants = this.invariants();
    const errors = new Map();
    for (const property of this.run.data.properties) {
      const line = /:(\d+)(?::\d+)? /.exec(property.name || '');
      if (line) errors.set(Number(line[1]), property);
    }
    const rows = [];
    this.program.source.split('\n').forEach((text, at) => {
      const number = at + 1;
      const property = errors.get(number);
      const row = el('div', { class: 'codeLine' + (property ? ' ' + property.verdict : '') },
        el('span', { class: 'lineNumber' }, number),
        el('span', { class: 'gutter', title: property ? 'b' + property.property + ' ' + property.verdict : '' }, property ? verdictMark(property.verdict) : ''),
        el('code', {}, visible(text.replace(/\t/g, '    ')).slice(0, 400) || ' '),
        el('span', { class: 'lineValues' }));
      this.lines[number] = row;
      rows.push(row);
      for (const one of invariants.get(number) || []) {
        rows.push(el('div', { class: 'loopInvariant' }, el('span', { class: 'lineNumber' }, '↻'), el('b', {}, 'invariant '), el('code', {}, visible(one.text)), el('small', {}, ' proof of b' + one.property)));
      }
    });
    if (this.program.isCut) rows.push(el('p', { class: 'count' }, 'The rest of the source is not on this page.'));
    replace(this.source, rows);
  }

  drawPath() {
    this.where = el('output', { id: 'pathStep' });
    this.values = el('table', { class: 'states' });
    this.slider = el('input', { type: 'range', min: 0, max: this.path.steps.length - 1, 'aria-label': 'step of the run', oninput: () => this.goTo(Number(this.slider.value)) });
    return el('div', { class: 'path' }, el('h3', {}, 'The run to the error'),
      el('div', { class: 'buttons' }, button('‹', 'previous statement ([)', () => this.goTo(this.step - 1), { id: 'pathBack' }),
        button('›', 'next statement (])', () => this.goTo(this.step + 1), { id: 'pathForth' }), this.where),
      this.slider, el('h3', {}, 'Values'), this.values);
  }

  goTo(step) {
    this.step = Math.max(0, Math.min(this.path.steps.length - 1, step));
    const { steps } = this.path;
    const now = steps[this.step];
    this.where.textContent = 'statement ' + (this.step + 1) + ' of ' + steps.length;
    this.slider.value = this.step;
    const values = new Map();
    for (const { changes } of steps.slice(0, this.step + 1)) for (const [variable, value] of changes) values.set(variable, value);
    const changed = new Set(now.changes.map(([variable]) => variable));
    replace(this.values, el('tbody', {}, [...values].map(([variable, value]) => el('tr', { class: changed.has(variable) ? 'changed' : '' },
      el('td', {}, name(variable, 30)), el('td', { class: 'value' }, visible(value), changed.has(variable) ? ' ←' : '')))));
    const visited = new Set(steps.slice(0, this.step + 1).map((s) => s.line));
    this.lines.forEach((row, number) => {
      if (!row) return;
      row.classList.toggle('visited', visited.has(number));
      row.classList.toggle('current', number === now.line);
      row.lastChild.textContent = number === now.line ? now.changes.map(([variable, value]) => variable + ' = ' + value).join(', ') : '';
    });
    this.scrollTo(now.line);
  }

  scrollTo(line) {
    const row = this.lines[line];
    if (row && this.source.clientHeight > 0) this.source.scrollTop = row.offsetTop - this.source.clientHeight / 2;
  }

  // Locations from top to bottom in the order of the source; loops back on the left.
  drawGraph() {
    const { locations, edges } = this.graph;
    const order = locations.map((_, at) => at).sort((a, b) => locations[a].line - locations[b].line || a - b);
    const rank = new Map(order.map((at, place) => [at, place]));
    const y = (at) => 22 + rank.get(at) * 44;
    const marks = { entry: '▷', loop: '↻', error: '✗', join: '◇' };
    const arcs = edges.map(([from, to]) => {
      const a = y(from), b = y(to);
      const side = b > a ? 1 : -1;
      const bend = 150 + side * (26 + Math.min(90, Math.abs(b - a) * 0.28));
      const d = from === to ? 'M136 ' + (a - 7) + 'C100 ' + (a - 26) + ' 100 ' + (a + 26) + ' 136 ' + (a + 7)
        : 'M' + (150 + side * 14) + ' ' + a + 'Q' + bend + ' ' + (a + b) / 2 + ' ' + (150 + side * 14) + ' ' + b;
      return svg('path', { class: 'edge', d, 'marker-end': 'url(#arrow)' });
    });
    const nodes = order.map((at) => {
      const one = locations[at];
      return svg('g', { class: 'node ' + one.kind, onclick: () => this.scrollTo(one.line) },
        svg('circle', { cx: 150, cy: y(at), r: 12 }), svg('text', { x: 150, y: y(at) + 5, 'text-anchor': 'middle' }, marks[one.kind] || '?'),
        svg('text', { class: 'tick', x: 4, y: y(at) + 4 }, 'line ' + one.line),
        svg('title', {}, one.kind + ' ' + visible(one.text)));
    });
    const height = 44 * locations.length;
    return el('figure', { class: 'graph' }, el('figcaption', {}, 'Locations: ▷ entry, ↻ loop, ✗ error, ◇ join'),
      svg('svg', { viewBox: '0 0 260 ' + height, width: 260, height, role: 'img', 'aria-label': 'control-flow graph' },
        svg('defs', {}, svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M0 0L8 4L0 8z' }))),
        arcs, nodes));
  }

  show(tick) {
    if (!this.graph || !this.tower) return;
    const { lemmas } = this.tower;
    const found = this.graph.locations.map(() => []);
    for (let index = 0; index < lemmas.born.length && lemmas.born[index] <= tick; index++) {
      const gone = lemmas.end[index] > 0 && lemmas.end[index] <= tick;
      const at = lemmas.place ? lemmas.place[index] : -1;
      if (!gone && found[at]) found[at].push([levelAt(lemmas, index, tick), index]);
    }
    const item = ([level, index]) => el('li', {}, el('b', {}, levelName(level)), ' ', lemmaLink(this.run, this.tower, index), ' ', el('bdi', {}, holdsText(this.tower, lemmas.claim[index])));
    replace(this.side, found.some((list) => list.length > 0) ? el('h3', {}, 'Frames by location: what holds') : null, this.graph.locations.map((one, at) => {
      const list = found[at].sort((a, b) => height(b[0]) - height(a[0]) || b[1] - a[1]);
      return list.length === 0 ? null : el('div', { class: 'location' },
        el('h4', {}, button('line ' + one.line, 'show in the source', () => this.scrollTo(one.line), { class: 'link' }), ' ' + one.kind + ' ', el('code', {}, visible(one.text).slice(0, 80))),
        el('ul', {}, list.slice(0, 12).map(item)), list.length > 12 ? el('p', { class: 'count' }, '… and ' + (list.length - 12) + ' more') : null);
    }));
  }

  key(event) {
    const move = { '[': -1, ']': 1 }[event.key];
    if (!move || !this.path || event.target.matches('input[type=search]')) return false;
    this.goTo(this.step + move);
    return true;
  }
}

function programView(run) {
  if (!run.data.program) return null;
  const view = new ProgramView(run);
  return { name: 'Program', element: view.element, show: (tick) => view.show(tick), key: (event) => view.key(event),
    open: (wish) => { if (wish.line) view.scrollTo(wish.line); else if (view.path) view.goTo(view.step); } };
}
