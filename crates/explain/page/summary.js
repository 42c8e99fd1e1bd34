// The summary: verdicts, how it went, sizes, where the time went, and whether it is stuck.

function summaryView(run) {
  const { data } = run;
  const charts = summaryCharts(data);
  const pictures = el('div', { class: 'charts' }, charts.map((one) => one.element));
  // Who has no verdict wants to know why first.
  const isOpen = data.properties.some((p) => p.verdict === 'unknown');
  const tables = [stages(data), work(data), eventTotals(data)].filter(Boolean);
  const element = el('section', { class: 'summary' },
    verdicts(data),
    notes(data),
    isOpen ? [stuck(run), pictures] : [pictures, stuck(run)],
    el('div', { class: 'tables' }, tables.map((table) => el('div', { class: 'scroll' }, table))));
  return { name: 'Summary', element, show: (tick) => charts.forEach((one) => one.show(tick)) };
}

function verdicts(data) {
  const detail = (p) => {
    if (p.verdict === 'proved') {
      const trust = p.trusted ? ', ' + p.trusted + ' trusted' : '';
      return 'k = ' + p.k + ', ' + plural(p.clauses, 'invariant clause') + '; certificate checked' + trust;
    }
    if (p.verdict === 'violated') return 'at step ' + p.step + '; trace replayed';
    const safe = p.safe_until === null || p.safe_until === undefined ? ''
      : '; no violation up to step ' + p.safe_until + (p.safe_checked === p.safe_until ? ' (checked)' : ' (claimed by the engine, not checked)');
    return visible(p.reason || '') + safe;
  };
  const row = (p) => el('tr', { class: p.verdict },
    el('td', {}, el('span', { class: 'verdict ' + p.verdict }, verdictMark(p.verdict) + ' ' + p.verdict)),
    el('td', {}, 'b' + p.property),
    el('td', {}, p.name === null ? '' : name(p.name)),
    el('td', {}, detail(p)),
    el('td', {}, p.engine || ''),
    el('td', { class: 'number' }, p.seconds === undefined ? '' : time(p.seconds)));
  return el('table', { class: 'verdicts' },
    el('caption', {}, 'Verdicts'),
    el('thead', {}, el('tr', {}, ['verdict', '', 'property', 'what was shown', 'engine', 'after'].map(columnHead))),
    el('tbody', {}, data.properties.map(row)));
}

// What a reader must know before believing the rest.
function notes(data) {
  const { run } = data;
  const left = (what, [kept, all]) => kept < all
    ? plural(kept, what) + ' of ' + count(all) + ' are on this page; counts are those of the whole run.' : null;
  const list = [
    run.refresh ? 'The run is going on; this page shows how far it was, and is loaded again by itself.' : run.whole ? null : 'The record has no end: the run was killed, and its last events are missing.',
    run.fromFile ? 'This page was made from a record. Verdicts are those of the record; violations were replayed when the page was made.' : null,
    left('lemma', run.lemmas), left('obligation', run.obligations),
    run.towers[0] < run.towers[1] ? count(run.towers[0]) + ' of ' + plural(run.towers[1], 'tower') + ' of frames are on this page.' : null,
  ].filter(Boolean);
  return list.length === 0 ? null : el('ul', { class: 'notes' }, list.map((text) => el('li', {}, text)));
}

function summaryCharts(data) {
  const last = data.run.events;
  const label = (engine, at) => engine.name + (data.engines.filter((e) => e.name === engine.name).length > 1 ? ' ' + (at + 1) : '');
  const series = (column) => data.engines.map((engine, at) => ({
    name: label(engine, at), points: engine.depths.map((row) => [row[0], row[column]]) }))
    .filter((one) => one.points.length > 0);
  const rates = data.engines.map((engine, at) => ({
    name: label(engine, at),
    points: engine.depths.slice(1).map((row, i) => {
      const before = engine.depths[i];
      // Counters start anew after a restart.
      const queries = row[5] >= before[5] ? row[5] - before[5] : row[5];
      return [row[0], queries / Math.max(1e-6, row[1] - before[1])];
    }) })).filter((one) => one.points.length > 1);
  const list = [];
  if (series(2).length > 0) list.push(chart('Depth: the step or frame that is looked at', last, series(2), true));
  if (series(3).some((one) => one.points.some((p) => p[1] > 0))) list.push(chart('Lemmas in use', last, series(3), false));
  if (rates.length > 0) list.push(chart('Queries per second', last, rates, false));
  return list;
}

function stages(data) {
  if (!data.stages) return null;
  return el('table', {},
    el('caption', {}, 'Sizes on the way to the engines'),
    el('thead', {}, el('tr', {}, ['pass', 'inputs', 'states', 'gates'].map(columnHead))),
    el('tbody', {}, data.stages.map((s) => el('tr', {}, el('th', { scope: 'row' }, s.name),
      [s.inputs, s.latches, s.gates].map((n) => el('td', { class: 'number' }, count(n)))))));
}

function work(data) {
  const rows = data.engines.flatMap((engine) => (engine.work || []).map((part) => ({ engine: engine.name, ...part })))
    .filter((part) => part.queries > 0);
  if (rows.length === 0) return null;
  const most = Math.max(1e-9, ...rows.map((part) => part.seconds || 0));
  const row = (part) => el('tr', {},
    el('th', { scope: 'row' }, part.purpose), el('td', {}, part.engine),
    el('td', { class: 'number' }, count(part.queries)),
    el('td', { class: 'number' }, part.held === null ? '' : Math.round(100 * part.held / part.queries) + ' %'),
    el('td', { class: 'number' }, part.seconds === null ? '' : time(part.seconds)),
    el('td', { class: 'bar' }, el('span', { style: { width: 100 * (part.seconds || 0) / most + '%' } })));
  return el('table', {},
    el('caption', {}, 'Where the time went'),
    el('thead', {}, el('tr', {}, ['queries for', 'engine', 'how many', 'claim held', 'time', ''].map(columnHead))),
    el('tbody', {}, rows.sort((a, b) => (b.seconds || 0) - (a.seconds || 0)).map(row)));
}

function eventTotals(data) {
  const sums = [0, 0, 0, 0, 0];
  data.clock.counts.forEach((counts) => counts.forEach((n, at) => { sums[at] += n; }));
  const names = ['lemmas learned', 'lemmas pushed', 'lemmas subsumed', 'obligations raised', 'obligations blocked, each time'];
  const marks = { started: 'searches started', finished: 'searches ended', depth: 'depths reached', settled: 'properties settled' };
  const rows = names.map((text, at) => [text, sums[at]]).concat(Object.entries(data.marks.counts).map(([event, n]) => [marks[event] || event.replaceAll('_', ' '), n]));
  return el('table', {}, el('caption', {}, 'Events'),
    el('tbody', {}, rows.map(([text, n]) => el('tr', {}, el('th', { scope: 'row' }, text), el('td', { class: 'number' }, count(n))))));
}

// Where work piles up: lemmas that speak of the same signals, one by one.
function stuck(run) {
  const { data } = run;
  const towers = data.towers.filter((tower) => tower.patterns.length > 0);
  if (towers.length === 0) return null;
  const tower = towers.reduce((a, b) => (b.total.lemmas > a.total.lemmas ? b : a));
  const top = tower.patterns.slice(0, 8);
  const [signals, lemmas] = top[0];
  const share = lemmas / Math.max(1, tower.total.lemmas);
  const unknown = data.properties.some((p) => p.verdict === 'unknown');
  const hint = lemmas >= 20 && share >= 0.2 && signals.length > 0 ? el('p', { class: unknown ? 'hint strong' : 'hint' },
    el('b', {}, Math.round(100 * share) + ' % of all lemmas speak of exactly the same signals: '),
    signals.slice(0, 8).map((text, at) => [at > 0 ? ', ' : '', name(text, 40)]), signals.length > 8 ? ' …' : '',
    '. They exclude values of these signals piece by piece.',
    unknown ? ' One formula that relates the signals would replace them: word-level PDR (--engine wpdr) looks for such, or state it as a property.' : '') : null;
  const row = ([words, learned, raised]) => el('tr', {},
    el('td', {}, words.length === 0 ? 'no signal' : words.slice(0, 10).map((w) => [name(w, 30), ' ']), words.length > 10 ? '… ' + (words.length - 10) + ' more' : ''),
    el('td', { class: 'number' }, count(learned)), el('td', { class: 'number' }, count(raised)),
    el('td', {}, tower.lemmas.claim.some(Array.isArray) ? button('show', 'the lemmas about exactly these signals', () => run.go('Frames', { signals: [...words].sort() })) : null));
  return el('div', { class: 'stuck' },
    hint,
    el('div', { class: 'scroll' }, el('table', {}, el('caption', {}, 'Where the work piles up: lemmas and obligations about exactly these signals'),
      el('thead', {}, el('tr', {}, ['signals', 'lemmas', 'obligations', ''].map(columnHead))),
      el('tbody', {}, top.map(row)))),
    tower.otherPatterns > 0 ? el('p', { class: 'count' }, plural(tower.otherPatterns, 'claim') + ' about rarer sets of signals are not counted here.') : null);
}
