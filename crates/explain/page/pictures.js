// The pictures of --plot. As images they cannot run anything.

function picturesView(run) {
  const { list, all } = run.data.pictures;
  if (list.length === 0) return null;
  const image = el('img', { alt: '' });
  const caption = el('figcaption', {});
  let at = list.length - 1;
  const show = (next) => {
    at = Math.max(0, Math.min(list.length - 1, next));
    slider.value = at;
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(list[at][1]);
    image.alt = visible(list[at][0]);
    caption.textContent = (at + 1) + ' of ' + list.length + ': ' + visible(list[at][0]);
  };
  const slider = el('input', { type: 'range', min: 0, max: list.length - 1, 'aria-label': 'picture', oninput: () => show(Number(slider.value)) });
  const element = el('section', { class: 'pictures' },
    all > list.length ? el('p', { class: 'count' }, count(list.length) + ' of ' + plural(all, 'picture') + ' are on this page.') : null,
    el('div', { class: 'tools' }, button('‹', 'previous picture', () => show(at - 1)), slider, button('›', 'next picture', () => show(at + 1))),
    el('figure', {}, caption, image));
  let isMade = false;
  return { name: 'Pictures', element, show: () => { if (!isMade) { isMade = true; show(at); } } };
}
