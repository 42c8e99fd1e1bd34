// The time line: one position for all views. It counts events; seconds are a label.

const PLAY_SECONDS = 12;

class Timeline {
  constructor(data, show) {
    this.data = data;
    this.last = data.run.events;
    this.tick = this.last;
    this.show = show;
    this.timer = null;
    this.frame = null;
    // Positions that are worth a stop: frames, restarts, answers.
    const stops = new Set([0, this.last]);
    data.towers.forEach((tower) => tower.frames.forEach(([tick]) => stops.add(tick)));
    data.marks.list.forEach((mark) => stops.add(mark.tick));
    this.stops = [...stops].sort((a, b) => a - b);
    this.element = this.build();
  }

  build() {
    this.slider = el('input', { type: 'range', min: 0, max: this.last, value: this.last, step: 1,
      'aria-label': 'position in the run', id: 'slider', oninput: () => this.go(Number(this.slider.value)) });
    this.playButton = button('play', 'play (space)', () => this.play(), { id: 'play' });
    this.label = el('output', { for: 'slider', id: 'position' });
    this.picture = el('canvas', { 'aria-hidden': 'true' });
    return el('div', { class: 'timeline', role: 'group', 'aria-label': 'time line' },
      el('div', { class: 'buttons' },
        button('|‹', 'first event (Home)', () => this.go(0)),
        button('«', 'previous frame or mark (shift ←)', () => this.jump(-1)),
        button('‹', 'previous event (←)', () => this.go(this.tick - 1), { id: 'back' }),
        this.playButton,
        button('›', 'next event (→)', () => this.go(this.tick + 1), { id: 'forth' }),
        button('»', 'next frame or mark (shift →)', () => this.jump(1)),
        button('›|', 'last event (End)', () => this.go(this.last))),
      el('div', { class: 'track' }, this.picture, this.slider),
      this.label);
  }

  // Moves to a position; drawing waits for the next frame of the screen.
  go(tick) {
    this.tick = Math.max(0, Math.min(this.last, Math.round(tick)));
    this.slider.value = this.tick;
    this.label.textContent = this.text();
    if (this.frame === null) {
      this.frame = requestAnimationFrame(() => {
        this.frame = null;
        this.show(this.tick);
      });
    }
  }

  jump(direction) {
    const at = lastAtMost(this.stops, this.tick);
    const exact = this.stops[at] === this.tick;
    const next = direction > 0 ? at + 1 : (exact ? at - 1 : at);
    this.go(this.stops[Math.max(0, Math.min(this.stops.length - 1, next))]);
  }

  play() {
    if (this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      if (this.tick >= this.last) this.go(0);
      const step = Math.max(1, this.last / (PLAY_SECONDS * 20));
      this.timer = setInterval(() => {
        this.go(this.tick + step);
        if (this.tick >= this.last) this.play();
      }, 50);
    }
    this.playButton.textContent = this.timer === null ? 'play' : 'pause';
  }

  seconds(tick) {
    const { stride, seconds } = this.data.clock;
    if (tick <= 0 || seconds.length === 0) return 0;
    return seconds[Math.min(seconds.length - 1, Math.floor((tick - 1) / stride))];
  }

  text() {
    return 'event ' + count(this.tick) + ' of ' + count(this.last) + ' · ' + time(this.seconds(this.tick));
  }

  // What happened when, below the slider: lemmas upwards, obligations downwards.
  draw() {
    const { counts } = this.data.clock;
    const style = getComputedStyle(document.documentElement);
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.picture;
    this.picture.width = width * ratio;
    this.picture.height = height * ratio;
    const context = this.picture.getContext('2d');
    context.scale(ratio, ratio);
    const most = Math.max(1, ...counts.map((c) => Math.max(c[0] + c[1], c[3] + c[4])));
    const part = width / Math.max(1, counts.length);
    const middle = height / 2;
    const bar = (at, from, value, color) => {
      const length = (value / most) * (middle - 1);
      context.fillStyle = style.getPropertyValue(color);
      context.fillRect(at * part, from < 0 ? middle - length : middle, Math.max(0.6, part - 0.4), length);
    };
    counts.forEach((c, at) => {
      bar(at, -1, c[0] + c[1], '--pushed');
      bar(at, -1, c[0], '--learned');
      bar(at, 1, c[3] + c[4], '--blocked');
      bar(at, 1, c[3], '--raised');
    });
  }

  // Keys, unless a search is being typed.
  key(event) {
    if (event.target.matches('input[type=search], select, textarea')) return false;
    const arrow = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (arrow && event.shiftKey) this.jump(arrow);
    else if (arrow) this.go(this.tick + arrow);
    else if (event.key === 'Home') this.go(0);
    else if (event.key === 'End') this.go(this.last);
    else if (event.key === ' ' && !event.target.matches('button')) this.play();
    else return false;
    event.preventDefault();
    return true;
  }
}
