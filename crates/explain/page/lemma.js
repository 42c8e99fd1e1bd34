// Details of a lemma or an obligation, beside the views.

const ORIGINS = {
  o: 'an obligation asked for it', p: 'found while pushing', i: 'from an interpolant',
  x: 'taken in from the other direction', s: 'there before the first obligation',
};
const ORIGIN_MARKS = { o: '', p: '⇥', i: '∿', x: '⇄', s: '⌂' };

function eventLink(run, tick, text) {
  return el('li', {}, button('event ' + count(tick), 'go there', () => run.timeline.go(tick), { class: 'link' }), ' ' + text);
}

function lemmaLink(run, tower, index) {
  return button('lemma #' + tower.lemmas.number[index], 'show this lemma', () => run.select('lemma', tower, index), { class: 'link' });
}

function obligationLink(run, tower, index) {
  return button('obligation #' + tower.obligations.number[index], 'show this obligation',
    () => run.select('obligation', tower, index), { class: 'link' });
}

function lemmaDetails(run, tower, index) {
  const { lemmas, obligations } = tower;
  const claim = lemmas.claim[index];
  const history = [eventLink(run, lemmas.born[index], 'learned, holds up to ' + levelName(lemmas.level[index]))];
  const moves = lemmas.moves[index];
  for (let at = 0; at < moves.length; at += 2) history.push(eventLink(run, moves[at], 'pushed to ' + levelName(moves[at + 1])));
  if (lemmas.end[index] > 0) {
    const by = lemmas.by[index];
    const end = eventLink(run, lemmas.end[index], 'subsumed by ');
    end.append(by >= 0 ? lemmaLink(run, tower, by) : 'a lemma that is not on this page');
    history.push(end);
  }
  const blocked = [];
  for (let at = 0; at < obligations.born.length; at++) {
    if ((tower.lemmas.place ? tower.lemmas.place[index] === obligations.place[at] : true) && covers(claim, obligations.claim[at])) blocked.push(at);
  }
  const asked = lemmas.asked[index];
  const size = claimSize(claim);
  return el('div', { class: 'detail', id: 'lemmaDetail' },
    el('h2', {}, 'Lemma #' + lemmas.number[index]),
    place(run, tower, lemmas.place, index),
    el('h3', {}, 'States that it excludes'), claimTable(tower, claim),
    clauseText(tower, claim) === null ? null : el('details', {}, el('summary', {}, 'as a clause of ' + plural(size, 'literal')),
      el('p', { class: 'formula' }, clauseText(tower, claim))),
    el('h3', {}, 'Why it was learned'),
    el('p', {}, ORIGINS[lemmas.origin[index]], asked >= 0 ? [': ', obligationLink(run, tower, asked)] : ''),
    el('h3', {}, 'When it moved'), el('ol', { class: 'history' }, history),
    el('h3', {}, 'Obligations with all their states excluded by it'),
    blocked.length === 0 ? el('p', {}, 'none on this page')
      : el('p', {}, plural(blocked.length, 'obligation') + ': ', blocked.slice(0, 20).map((at) => [obligationLink(run, tower, at), ' ']), blocked.length > 20 ? '…' : ''));
}

function obligationDetails(run, tower, index) {
  const { lemmas, obligations } = tower;
  const next = obligations.successor[index];
  const before = [];
  for (let at = 0; at < obligations.born.length; at++) if (obligations.successor[at] === index) before.push(at);
  const asked = [];
  for (let at = 0; at < lemmas.born.length; at++) if (lemmas.asked[at] === index) asked.push(at);
  const moves = obligations.moves[index];
  const history = [eventLink(run, obligations.born[index], 'raised at ' + levelName(obligations.level[index]))];
  for (let at = 0; at < moves.length; at += 2) history.push(eventLink(run, moves[at], 'excluded up to ' + levelName(moves[at + 1])));
  const isChain = tower.chain.includes(index);
  const links = (list, link) => [list.slice(0, 30).map((at) => [link(run, tower, at), ' ']), list.length > 30 ? '… and ' + (list.length - 30) + ' more' : ''];
  return el('div', { class: 'detail', id: 'obligationDetail' },
    el('h2', {}, (isChain ? '★ ' : '') + 'Obligation #' + obligations.number[index]),
    isChain ? el('p', {}, 'on the way of the counterexample') : null,
    place(run, tower, obligations.place, index),
    el('p', {}, tower.backward ? 'reachable in ' + plural(obligations.depth[index], 'step') : plural(obligations.depth[index], 'step') + ' before a violation',
      '; taken up ' + plural(obligations.blocked[index] + obligations.predecessors[index], 'time')),
    el('h3', {}, 'Its states'), claimTable(tower, obligations.claim[index]),
    el('h3', {}, tower.backward ? 'Reached from' : 'Leads to'), el('p', {}, next >= 0 ? obligationLink(run, tower, next) : tower.backward ? 'initial states' : 'bad states'),
    el('h3', {}, tower.backward ? 'Successors that were found' : 'Predecessors that were found'), el('p', {}, before.length === 0 ? 'none' : links(before, obligationLink)),
    el('h3', {}, 'Lemmas that it asked for'), el('p', {}, asked.length === 0 ? 'none on this page' : links(asked, lemmaLink)),
    el('h3', {}, 'What became of it'), el('ol', { class: 'history' }, history));
}

// The location of a claim about a program.
function place(run, tower, places, index) {
  if (!places || places[index] < 0 || !run.data.program) return null;
  const graph = run.data.program.graphs[tower.program || 0];
  const location = graph && graph.locations[places[index]];
  return location ? el('p', {}, 'at ', button('line ' + location.line, 'show this line', () => run.go('Program', { line: location.line }), { class: 'link' }),
    ' (' + location.kind + ') ', el('code', {}, visible(location.text))) : null;
}
