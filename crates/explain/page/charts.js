// Curves over the time line, with a line at the present position.

// About as wide as it is shown: labels keep their size.
const CHART = { width: 420, height: 140, left: 46, right: 10, top: 12, bottom: 22 };
const DASHES = ['', '6 3', '2 3', '8 3 2 3'];

// Series are { name, points: [[tick, value]] }; steps keep their value until the next point.
function chart(title, last, series, isStepped) {
  const { width, height, left, right, top, bottom } = CHART;
  const most = Math.max(1, ...series.flatMap((one) => one.points.map((point) => point[1])));
  const x = (tick) => left + (tick / Math.max(1, last)) * (width - left - right);
  const y = (value) => height - bottom - (value / most) * (height - top - bottom);
  const path = (points) => points.map(([tick, value], at) => {
    const step = isStepped && at > 0 ? 'H' + x(tick).toFixed(1) : '';
    return (at > 0 ? step + 'L' : 'M') + x(tick).toFixed(1) + ' ' + y(value).toFixed(1);
  }).join('');
  const cursor = svg('line', { class: 'cursor', y1: top, y2: height - bottom });
  const grid = [0, 0.5, 1].map((part) => [
    svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(part * most), y2: y(part * most) }),
    svg('text', { class: 'tick', x: left - 6, y: y(part * most) + 4, 'text-anchor': 'end' }, compact(part * most))]);
  const lines = series.map((one, at) => svg('path', {
    class: 'line line' + (at % 4), d: path(one.points), 'stroke-dasharray': DASHES[at % 4] }));
  const legend = series.length < 2 ? null : el('ul', { class: 'legend' }, series.map((one, at) =>
    el('li', {}, svg('svg', { width: 34, height: 10, 'aria-hidden': 'true' },
      svg('line', { class: 'line line' + (at % 4), x1: 0, x2: 34, y1: 5, y2: 5, 'stroke-dasharray': DASHES[at % 4] })),
    ' ', visible(one.name))));
  const picture = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': title },
    grid, lines, cursor,
    svg('text', { class: 'tick', x: left, y: height - 6 }, 'event 0'),
    svg('text', { class: 'tick', x: width - right, y: height - 6, 'text-anchor': 'end' }, 'event ' + count(last)));
  const element = el('figure', { class: 'chart' }, el('figcaption', {}, title), picture, legend);
  const show = (tick) => {
    cursor.setAttribute('x1', x(tick));
    cursor.setAttribute('x2', x(tick));
  };
  return { element, show };
}

// 12300 as 12k.
function compact(value) {
  if (value >= 1e6) return (value / 1e6).toFixed(value < 1e7 ? 1 : 0) + 'M';
  if (value >= 1e4) return (value / 1e3).toFixed(0) + 'k';
  return value >= 10 || Number.isInteger(value) ? Math.round(value).toString() : value.toFixed(1);
}
