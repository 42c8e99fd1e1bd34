// Puts the page together: data, views, one time line, one selection.

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  data.towers.forEach((tower) => {
    tower.words = wordsOf(tower.names);
    const { name: engine } = data.engines[tower.engine];
    tower.label = engine + (tower.epoch > 0 ? ', after restart ' + tower.epoch : '');
  });
  const run = { data, selected: null };
  const details = el('aside', { class: 'details', 'aria-label': 'details', 'aria-live': 'polite', hidden: true });
  const main = el('main', {});
  let view = null;
  run.timeline = new Timeline(data, (tick) => view && view.show(tick));

  run.isSelected = (kind, tower, index) => {
    const s = run.selected;
    return s !== null && s.kind === kind && s.tower === tower && s.index === index;
  };
  // Shows a lemma or an obligation beside the views, and finds its row.
  run.select = (kind, tower, index) => {
    run.selected = { kind, tower, index };
    details.hidden = false;
    replace(details, button('×', 'close', () => { run.selected = null; details.hidden = true; view.show(run.timeline.tick); }, { class: 'close' }),
      kind === 'lemma' ? lemmaDetails(run, tower, index) : obligationDetails(run, tower, index));
    details.scrollTop = 0;
    const wanted = kind === 'lemma' ? 'Frames' : 'Obligations';
    const born = (kind === 'lemma' ? tower.lemmas : tower.obligations).born[index];
    if (run.timeline.tick < born) run.timeline.go(born);
    if (view.name !== wanted && view.name !== 'Program') run.go(wanted, {});
    view.show(run.timeline.tick);
    if (view.reveal) view.reveal(tower, index);
  };

  const views = [summaryView, framesView, obligationsView, traceView, invariantView, programView, picturesView]
    .map((make) => make(run)).filter(Boolean);
  // Where details stand above the views, another view would not be seen behind them.
  const choose = (wanted) => {
    if (matchMedia('(max-width: 60em)').matches) { run.selected = null; details.hidden = true; }
    run.go(wanted, {});
  };
  const tabs = views.map((one, at) => el('button', { type: 'button', role: 'tab', id: 'tab' + one.name, 'aria-controls': 'panel' + one.name,
    title: 'key ' + (at + 1), onclick: () => choose(one.name) }, one.name));
  const panels = views.map((one) => el('div', { role: 'tabpanel', id: 'panel' + one.name, 'aria-labelledby': 'tab' + one.name, hidden: true }, one.element));

  run.go = (wanted, wish) => {
    const at = Math.max(0, views.findIndex((one) => one.name === wanted));
    view = views[at];
    views.forEach((_, i) => {
      panels[i].hidden = i !== at;
      tabs[i].setAttribute('aria-selected', i === at);
    });
    if (view.open) view.open(wish);
    view.show(run.timeline.tick);
    history.replaceState(null, '', '#' + view.name);
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (view.key && view.key(event)) return;
    if (run.timeline.key(event)) return;
    const typing = event.target.matches('input[type=search], select, textarea');
    const number = Number(event.key);
    if (!typing && number >= 1 && number <= views.length) run.go(views[number - 1].name, {});
    else if (!typing && event.key === '/') {
      const field = panels[views.indexOf(view)].querySelector('input[type=search]');
      if (field) { field.focus(); event.preventDefault(); }
    } else if (event.key === 'Escape') event.target.blur();
  });

  document.title = visible(data.run.model).slice(0, 80) + ', pedra';
  const badge = (p) => el('span', { class: 'verdict ' + p.verdict }, verdictMark(p.verdict) + ' b' + p.property);
  const shown = data.properties.slice(0, 12);
  fill(main, {}, [
    el('header', {},
      el('h1', {}, name(data.run.model, 80)),
      el('p', { class: 'badges' }, shown.map(badge), data.properties.length > shown.length ? ' and ' + (data.properties.length - shown.length) + ' more' : ''),
      el('p', { class: 'about' }, 'pedra ' + visible(data.run.pedra) + ', engine ' + visible(data.run.engine) + ', ' + time(data.run.seconds) + ', ' + plural(data.run.events, 'event'))),
    el('nav', {}, el('div', { role: 'tablist', 'aria-label': 'views' }, tabs), run.timeline.element),
    el('div', { class: 'content' }, el('div', { class: 'panels' }, panels), details),
    el('footer', {}, 'Keys: ← → one event, shift ← → one frame, Home and End the first and the last event, space plays, 1 to ' + views.length + ' choose a view, / searches'
      + (data.program ? ', [ ] step through the program' : '') + '. On the time line, bars upwards are lemmas (dark: learned, light: pushed), bars downwards obligations (dark: raised, light: blocked).')]);
  document.body.append(main);
  run.timeline.go(run.timeline.last);
  run.timeline.draw();
  new ResizeObserver(() => run.timeline.draw()).observe(run.timeline.picture);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => run.timeline.draw());
  run.go(location.hash.slice(1), {});
}

start();
