// Obligations: where the search came back again and again, and the forest from bad states towards
// the initial ones.

class Forest {
  constructor(run, tower) {
    this.run = run;
    this.tower = tower;
    const { successor } = tower.obligations;
    this.children = successor.map(() => []);
    this.roots = [];
    successor.forEach((next, index) => (next >= 0 ? this.children[next] : this.roots).push(index));
    // Successors come before their predecessors, so sums go backwards.
    this.below = successor.map(() => 0);
    for (let index = successor.length - 1; index >= 0; index--) {
      if (successor[index] >= 0) this.below[successor[index]] += this.below[index] + 1;
    }
    const larger = (a, b) => this.below[b] - this.below[a] || a - b;
    this.roots.sort(larger);
    this.children.forEach((list) => list.sort(larger));
    this.chain = new Set(tower.chain);
    this.open = new Set(tower.chain);
    this.roots.slice(0, 3).forEach((root) => this.open.add(root));
    this.rows = new Rows('obligations', (at) => this.row(this.order[at]));
    this.order = [];
  }

  show(tick) {
    this.tick = tick;
    const { born } = this.tower.obligations;
    this.order = [];
    const stack = this.roots.map((index) => [index, 0]).reverse();
    while (stack.length > 0) {
      const [index, depth] = stack.pop();
      if (born[index] > tick) continue;
      this.order.push({ index, depth });
      if (!this.open.has(index)) continue;
      for (let at = this.children[index].length - 1; at >= 0; at--) stack.push([this.children[index][at], depth + 1]);
    }
    this.rows.set(this.order.length);
  }

  reveal(index) {
    for (let at = this.tower.obligations.successor[index]; at >= 0; at = this.tower.obligations.successor[at]) this.open.add(at);
    this.show(this.run.timeline.tick);
    const place = this.order.findIndex((one) => one.index === index);
    if (place >= 0) this.rows.reveal(place);
  }

  status(index) {
    const moves = this.tower.obligations.moves[index];
    let level = null;
    for (let at = 0; at < moves.length && moves[at] <= this.tick; at += 2) level = moves[at + 1];
    if (level === null) return ['○', 'waits'];
    return level < 0 ? ['●', 'excluded everywhere'] : ['◐', 'excluded up to F' + level];
  }

  row({ index, depth }) {
    const { obligations } = this.tower;
    const inner = this.children[index].filter((child) => obligations.born[child] <= this.tick).length;
    const isOpen = this.open.has(index);
    const [mark, status] = this.status(index);
    const toggle = inner === 0 ? el('span', { class: 'twig' }, '·')
      : button(isOpen ? '▾' : '▸', isOpen ? 'close' : 'open', (event) => {
        event.stopPropagation();
        if (isOpen) this.open.delete(index); else this.open.add(index);
        this.show(this.tick);
      }, { class: 'twig', 'aria-expanded': isOpen });
    const classes = ['obligation', this.chain.has(index) && 'chain', obligations.born[index] === this.tick && 'isNew',
      this.run.isSelected('obligation', this.tower, index) && 'selected'];
    return el('div', { class: classes.filter(Boolean).join(' '), onclick: () => this.run.select('obligation', this.tower, index) },
      el('span', { class: 'indent', style: { width: Math.min(depth, 24) * 1.1 + 'em' } }, depth > 24 ? depth + ' ' : ''), toggle,
      el('button', { type: 'button', class: 'link' }, '#' + obligations.number[index]),
      this.chain.has(index) ? el('span', { class: 'star', title: 'on the way of the counterexample' }, '★') : null,
      el('span', { class: 'status', title: status }, mark),
      el('bdi', { class: 'text' }, claimText(this.tower, obligations.claim[index]).slice(0, 160)),
      el('span', { class: 'small' }, this.below[index] > 0 ? plural(this.below[index], 'state set') + ' before it' : ''));
  }
}

function hotSpots(run, tower) {
  const most = Math.max(1, ...tower.hot.map((hot) => hot[1]));
  const row = ([index, visits, raised], rank) => el('tr', { onclick: () => run.select('obligation', tower, index) },
    el('td', { class: 'number' }, rank + 1),
    el('td', { class: 'bar' }, el('span', { style: { width: 100 * visits / most + '%' } })),
    el('td', { class: 'number' }, count(visits)), el('td', { class: 'number' }, count(raised)),
    el('td', { class: 'text' }, el('button', { type: 'button', class: 'link' }, '#' + tower.obligations.number[index]), ' ',
      el('bdi', {}, claimText(tower, tower.obligations.claim[index]).slice(0, 200))));
  return el('div', { class: 'hot' }, el('table', {},
    el('caption', {}, 'Hot spots: states that were taken up most'),
    el('thead', {}, el('tr', {}, ['', '', 'taken up', 'raised', 'what they are'].map(columnHead))),
    el('tbody', {}, tower.hot.slice(0, 40).filter((hot) => hot[0] >= 0).map(row))));
}

function obligationsView(run) {
  const towers = run.data.towers.filter((tower) => tower.obligations.born.length > 0);
  if (towers.length === 0) return null;
  const holder = el('div', {});
  let forest = null;
  const choose = el('select', { 'aria-label': 'obligations of', onchange: () => pick(towers[Number(choose.value)]) },
    towers.map((tower, at) => el('option', { value: at }, tower.label + (tower.backward ? ', backward' : ', forward') + ' · ' + plural(tower.total.obligations, 'obligation'))));
  const pick = (tower) => {
    choose.value = towers.indexOf(tower);
    forest = new Forest(run, tower);
    const missing = tower.total.obligations - tower.obligations.born.length;
    replace(holder, hotSpots(run, tower),
      el('h3', {}, tower.backward ? 'From initial states forwards' : 'From bad states backwards'),
      el('ul', { class: 'legend marks' }, [['○', 'waits'], ['◐', 'excluded up to a frame'], ['●', 'excluded everywhere'], ['★', 'on the way of the counterexample']].filter(([mark]) => mark !== '★' || tower.chain.length > 0).map(([mark, text]) => el('li', {}, el('b', {}, mark), ' ' + text))),
      missing > 0 ? el('p', { class: 'count' }, count(missing) + ' of ' + plural(tower.total.obligations, 'obligation') + ' are not on this page.') : null,
      forest.rows.element);
    forest.show(run.timeline.tick);
  };
  const element = el('section', { class: 'obligations' },
    towers.length > 1 ? el('div', { class: 'tools' }, el('label', {}, 'obligations of ', choose)) : null, holder);
  const withChain = towers.find((tower) => tower.chain.length > 0);
  const largest = towers.reduce((a, b) => (b.total.obligations > a.total.obligations ? b : a));
  return { name: 'Obligations', element,
    show: (tick) => { if (forest === null) pick(withChain || largest); else forest.show(tick); },
    reveal: (tower, index) => { if (forest === null || forest.tower !== tower) pick(tower); forest.reveal(index); } };
}
