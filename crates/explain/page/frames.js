// Frames: a row for each lemma, a column for each frame. A bar reaches from F1 to the highest frame
// where the lemma holds.

const MAX_COLUMNS = 30;
const MAX_LABELS = 12;

// The level of a lemma at a position; null if it is not there.
function levelAt(lemmas, index, tick) {
  if (lemmas.born[index] > tick) return null;
  const moves = lemmas.moves[index];
  let level = lemmas.level[index];
  for (let at = 0; at < moves.length && moves[at] <= tick; at += 2) level = moves[at + 1];
  return level;
}

// The lowest level is shown first; everywhere is above all.
function height(level) {
  return level < 0 ? Infinity : level;
}

class TowerView {
  constructor(run, tower) {
    this.run = run;
    this.tower = tower;
    this.order = [];
    this.head = el('div', { class: 'frameHead' });
    this.rows = new Rows('lemmas', (at) => this.row(this.order[at]));
    const direction = tower.backward ? 'backward: from the bad states' : 'forward: from the initial states';
    this.title = el('h3', {}, tower.label + ', ' + direction);
    this.note = el('p', { class: 'count', 'aria-live': 'polite' });
    this.element = el('div', { class: 'tower' + (tower.backward ? ' backward' : '') },
      this.title, this.note, this.head, this.rows.element);
  }

  // The frames that have been opened.
  topAt(tick) {
    const { frames } = this.tower;
    const at = lastAtMost(frames.map(([when]) => when), tick);
    return at < 0 ? 0 : frames[at][1];
  }

  show(tick, options) {
    this.tick = tick;
    const { lemmas } = this.tower;
    const words = options.search.toLowerCase().split(/\s+/).filter(Boolean);
    const exactly = options.signals === null ? null : options.signals.join('\n');
    const present = [];
    let retired = 0;
    for (let index = 0; index < lemmas.born.length; index++) {
      if (lemmas.born[index] > tick) break;
      const gone = lemmas.end[index] > 0 && lemmas.end[index] <= tick;
      if (gone) retired++;
      if (gone && !options.retired) continue;
      if (words.length > 0 && !this.matches(index, words)) continue;
      if (exactly !== null && claimSignals(this.tower, lemmas.claim[index]).join('\n') !== exactly) continue;
      present.push({ index, level: levelAt(lemmas, index, tick), gone });
    }
    present.sort((a, b) => a.gone - b.gone || height(b.level) - height(a.level) || b.index - a.index);
    this.order = present;
    this.top = Math.max(1, this.topAt(tick), ...present.map((one) => one.level));
    this.first = Math.max(1, this.top - MAX_COLUMNS + 1);
    this.drawHead(tick);
    this.note.textContent = plural(present.length, 'lemma') + ' shown' + (words.length > 0 || exactly !== null ? ' for the search' : '')
      + (retired > 0 && !options.retired ? ', ' + count(retired) + ' subsumed ones hidden' : '')
      + (this.tower.total.lemmas > lemmas.born.length
        ? ' (of ' + count(lemmas.born.length) + ' on the page; the run had ' + count(this.tower.total.lemmas) + ')' : '');
    this.rows.set(present.length);
  }

  matches(index, words) {
    const text = claimText(this.tower, this.tower.lemmas.claim[index]).toLowerCase();
    const number = '#' + this.tower.lemmas.number[index];
    return words.every((word) => word === number || text.includes(word));
  }

  // Column 0 stands for frames further below, if there are too many. The last one is F∞, behind an
  // empty one: it is not the next frame.
  columns() {
    const below = this.first > 1 ? 1 : 0;
    return { below, newest: below + (this.top - this.first), all: below + (this.top - this.first + 1) + 2 };
  }

  column(level) {
    const { below, all } = this.columns();
    if (level < 0) return all - 1;
    return level < this.first ? 0 : below + (level - this.first);
  }

  place(column) {
    const { all } = this.columns();
    return this.tower.backward ? all - 1 - column : column;
  }

  drawHead(tick) {
    const { below, newest, all } = this.columns();
    // Counts of the whole run, not only of what is on the page.
    const at = lastAtMost(this.tower.counts.map((row) => row[0]), tick);
    const counts = new Array(all).fill(0);
    const pairs = at < 0 ? [] : this.tower.counts[at][1];
    for (let i = 0; i < pairs.length; i += 2) counts[this.column(Math.min(pairs[i], this.top))] += pairs[i + 1];
    const cells = [];
    const every = Math.ceil(all / MAX_LABELS);
    for (let column = 0; column < all; column++) {
      if (column === newest + 1) {
        cells[this.place(column)] = el('span', { class: 'frame' });
        continue;
      }
      const isBelow = below === 1 && column === 0;
      const title = column === all - 1 ? 'F∞' : isBelow ? '≤F' + (this.first - 1) : 'F' + (this.first + column - below);
      // A frame below the newest without lemmas of its own equals the next one.
      const equals = counts[column] === 0 && column >= below && column < newest ? ' =' : '';
      // The newest frame, F∞ and what stands for several frames always have their label.
      const hasLabel = column > newest || isBelow || (newest - column) % every === 0 && (below === 0 || column > 2);
      cells[this.place(column)] = el('span', { class: 'frame', title: plural(counts[column], 'lemma') + ' with ' + title + ' as the highest frame' + (equals ? ': it equals the next one' : '') },
        hasLabel ? [el('b', {}, title), el('small', {}, compact(counts[column]) + equals)] : null);
    }
    this.head.style.setProperty('--columns', all);
    replace(this.head, el('span', { class: 'lemmaHead' }, 'lemma: excluded states'), el('span', { class: 'cells' }, cells));
  }

  row({ index, level, gone }) {
    const { lemmas } = this.tower;
    const { all } = this.columns();
    const birth = this.column(lemmas.level[index]);
    const now = this.column(level);
    const part = 100 / all;
    const isNew = lemmas.born[index] === this.tick;
    const moved = lemmas.moves[index].some((when, at) => at % 2 === 0 && when === this.tick);
    const at = (column) => ({ left: (this.place(column) + 0.5) * part + '%' });
    const ends = { left: (this.tower.backward ? this.place(now) : 0) * part + '%', width: (now + 1) * part + '%' };
    const classes = ['lemma', gone && 'gone', isNew && 'isNew', moved && 'moved', this.run.isSelected('lemma', this.tower, index) && 'selected'];
    return el('div', { class: classes.filter(Boolean).join(' '), 'data-lemma': lemmas.number[index],
      onclick: () => this.run.select('lemma', this.tower, index) },
    el('span', { class: 'text' },
      el('button', { type: 'button', class: 'link' }, '#' + lemmas.number[index]),
      el('span', { class: 'origin', title: ORIGINS[lemmas.origin[index]] }, ORIGIN_MARKS[lemmas.origin[index]]),
      el('bdi', {}, claimText(this.tower, lemmas.claim[index]).slice(0, 160))),
    el('span', { class: 'cells' },
      el('span', { class: 'bar', style: ends }),
      el('span', { class: 'birth', style: at(birth), title: 'learned' }, '●'),
      now !== birth ? el('span', { class: 'now', style: at(now), title: 'pushed' }, this.tower.backward ? '◀' : '▶') : null,
      gone ? el('span', { class: 'end', style: at(now), title: 'subsumed' }, '✕') : null));
  }
}

// The towers of one engine that belong together: both directions of fbPDR.
function groupTowers(data) {
  const groups = new Map();
  for (const tower of data.towers) {
    const key = tower.engine + ' ' + tower.epoch;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(tower);
  }
  return [...groups.values()].map((towers) => towers.sort((a, b) => a.backward - b.backward));
}

function framesView(run) {
  const groups = groupTowers(run.data);
  if (groups.length === 0) return null;
  // With `signals`, only lemmas about exactly these.
  const options = { search: '', retired: false, signals: null };
  let views = [];
  const holder = el('div', { class: 'towers' });
  const exchanges = el('div', { class: 'exchanges' });
  const choose = el('select', { 'aria-label': 'frames of', onchange: () => pick(Number(choose.value)) },
    groups.map((towers, at) => el('option', { value: at }, towers[0].label + ' · ' + plural(towers.reduce((n, t) => n + t.total.lemmas, 0), 'lemma'))));
  const search = el('input', { type: 'search', placeholder: 'signal or #number', 'aria-label': 'lemmas about', id: 'lemmaSearch',
    oninput: () => { options.search = search.value; show(run.timeline.tick); } });
  const retired = el('input', { type: 'checkbox', id: 'retired', onchange: () => { options.retired = retired.checked; show(run.timeline.tick); } });
  const chosen = el('span', { class: 'chosen' });
  function chooseSignals(signals) {
    options.signals = signals;
    const forget = () => { chooseSignals(null); show(run.timeline.tick); };
    replace(chosen, signals === null ? null : ['only lemmas about exactly ', signals.slice(0, 6).map((text) => [name(text, 30), ' ']),
      signals.length > 6 ? '… ' : '', button('×', 'all lemmas again', forget, { id: 'allLemmas' })]);
  }
  let shown = -1;
  function pick(at) {
    shown = at;
    choose.value = at;
    views = groups[at].map((tower) => new TowerView(run, tower));
    holder.className = 'towers ' + (views.length > 1 ? 'facing' : '');
    replace(holder, views.map((view) => view.element));
    show(run.timeline.tick);
  }
  function show(tick) {
    views.forEach((view) => view.show(tick, options));
    showExchanges(run, exchanges, groups[shown], tick);
  }
  function reveal(tower, index) {
    const at = groups.findIndex((towers) => towers.includes(tower));
    if (at !== shown) pick(at);
    const view = views.find((one) => one.tower === tower);
    const place = view.order.findIndex((one) => one.index === index);
    if (place >= 0) view.rows.reveal(place);
  }
  // The largest first.
  const largest = groups.map((towers) => towers.reduce((n, t) => n + t.total.lemmas + t.total.obligations, 0));
  const element = el('section', { class: 'frames' },
    el('div', { class: 'tools' },
      groups.length > 1 ? el('label', {}, 'frames of ', choose) : null,
      el('label', {}, 'search ', search),
      el('label', {}, retired, ' subsumed lemmas, too'), chosen),
    legend(run.data), holder, exchanges);
  return { name: 'Frames', element, reveal,
    show: (tick) => { if (shown < 0) pick(largest.indexOf(Math.max(...largest))); else show(tick); },
    open: (wish) => {
      if (wish.signals === undefined) return;
      // As they are counted: with those that are subsumed.
      options.search = search.value = '';
      options.retired = retired.checked = true;
      chooseSignals(wish.signals);
    } };
}

function legend(data) {
  const origins = new Set(data.towers.flatMap((tower) => [...new Set(tower.lemmas.origin)]));
  const item = (mark, text) => el('li', {}, el('b', {}, mark), ' ' + text);
  return el('ul', { class: 'legend marks' }, item('●', 'learned here'), item('▶', 'pushed to here'), item('✕', 'subsumed'),
    item('F∞', 'holds everywhere'), Object.keys(ORIGIN_MARKS).filter((o) => ORIGIN_MARKS[o] && origins.has(o)).map((o) => item(ORIGIN_MARKS[o], ORIGINS[o])));
}

// What the directions told each other, and interpolants, up to a position.
function showExchanges(run, element, towers, tick) {
  const words = {
    slice: (m) => 'turn of ' + m.direction + ' over after ' + count(m.work) + ' units of work',
    obligations_shared: (m) => m.from + ' told ' + plural(m.count, 'obligation') + (m.count > 0 ? ', the deepest at ' + m.deepest : ''),
    lemmas_shared: (m) => m.from + ' offered ' + plural(m.offered, 'lemma') + ', ' + count(m.imported) + ' taken in',
    extended: (m) => m.direction + ' goes on after depth ' + m.depth,
    met: (m) => 'both directions met: a violation at step ' + m.step,
    interpolated: (m) => 'interpolants from steps ' + m.first + ' to ' + m.depth + ': ' + count(m.gates) + ' gates from ' + plural(m.resolutions, 'resolution'),
    restarted: (m) => 'starts anew on ' + plural(m.latches, 'latch', 'latches'),
  };
  const list = run.data.marks.list.filter((m) => m.tick <= tick && m.engine === towers[0].engine && words[m.event]);
  const last = list.slice(-8).reverse();
  replace(element, last.length === 0 ? null : el('h3', {}, 'What else happened, the latest first'),
    el('ul', {}, last.map((m) => el('li', {}, button('event ' + count(m.tick), 'go there', () => run.timeline.go(m.tick), { class: 'link' }), ' ' + words[m.event](m)))));
}
