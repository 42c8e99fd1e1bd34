// The invariant of a proof: conjuncts by the signals that they speak of, the smallest first.

function invariantView(run) {
  const { invariants } = run.data;
  if (invariants.length === 0) return null;
  const holder = el('div', {});
  const options = { search: '', direct: false };
  let at = 0;
  const choose = el('select', { 'aria-label': 'proof of', onchange: () => { at = Number(choose.value); draw(); } },
    invariants.map((one, index) => el('option', { value: index }, 'b' + one.properties.join(', b'))));
  const search = el('input', { type: 'search', placeholder: 'signal or formula', 'aria-label': 'conjuncts with', id: 'conjunctSearch', oninput: () => { options.search = search.value; draw(); } });
  const direct = el('input', { type: 'checkbox', id: 'direct', onchange: () => { options.direct = direct.checked; draw(); } });

  function draw() {
    const invariant = invariants[at];
    const scope = { names: invariant.names, words: wordsOf(invariant.names) };
    const known = invariant.conjuncts.length > 0 && invariant.conjuncts[0][1] !== null;
    direct.disabled = !known;
    const words = options.search.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = new Map();
    let shown = 0;
    for (const [said, isDirect, signals] of invariant.conjuncts) {
      if (options.direct && known && !isDirect) continue;
      const text = typeof said === 'string' ? visible(said) : claimText(scope, said);
      if (!words.every((word) => text.toLowerCase().includes(word))) continue;
      const names = signals || [...new Set((Array.isArray(said) ? said : []).map((lit) => splitBit(invariant.names[Math.abs(lit) - 1]).word))];
      const key = [...names].sort().join('\u0000');
      if (!groups.has(key)) groups.set(key, { names, items: [] });
      groups.get(key).items.push({ text, isDirect, isClause: typeof said !== 'string' });
      shown++;
    }
    const item = (one) => el('li', { class: one.isDirect ? 'direct' : '' },
      one.isDirect ? el('b', { class: 'directMark', title: 'the property needs it directly' }, '◆ direct ') : null,
      one.isClause ? el('span', { class: 'never' }, 'never ') : null, el('bdi', {}, one.text));
    replace(holder,
      el('p', { class: 'count' }, invariant.total === 0 ? 'The property is inductive by itself: no further conjunct is needed.'
        : plural(shown, 'conjunct') + ' shown of ' + count(invariant.total) + (invariant.total > invariant.conjuncts.length ? ' (the longest are not on this page)' : '')
        + '; k = ' + invariant.k + '. ' + (known ? '◆ marks those that exclude the bad states themselves; the others make them inductive.'
          : 'Which of them the property needs directly is not known' + (invariant.k > 1 ? ' (the proof is by k-induction).' : '.'))),
      [...groups.values()].map((group) => el('details', { open: groups.size <= 12 || words.length > 0 },
        el('summary', {}, group.names.length === 0 ? 'no signal' : group.names.slice(0, 12).map((n) => [name(n, 40), ' ']), group.names.length > 12 ? '… ' : '', el('small', {}, plural(group.items.length, 'conjunct'))),
        el('ul', {}, group.items.slice(0, 400).map(item)))));
  }
  const element = el('section', { class: 'invariant' }, el('div', { class: 'tools' },
    invariants.length > 1 ? el('label', {}, 'proof of ', choose) : el('span', {}, 'Proof of b' + invariants[0].properties.join(', b')),
    el('label', {}, 'search ', search), el('label', {}, direct, ' only what is needed directly')), holder);
  let isMade = false;
  return { name: 'Invariant', element, show: () => { if (!isMade) { isMade = true; draw(); } } };
}
