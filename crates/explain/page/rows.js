// Long lists: only the rows on the screen have elements.

class Rows {
  // `render(index)` makes a row; `label` is for people who cannot see the list.
  constructor(label, render) {
    this.render = render;
    this.total = 0;
    this.space = el('div', { class: 'space' });
    this.window = el('div', { class: 'window' });
    this.element = el('div', { class: 'rows', tabindex: 0, role: 'list', 'aria-label': label,
      onscroll: () => this.draw() }, this.space, this.window);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  rowHeight() {
    const size = parseFloat(getComputedStyle(this.element).fontSize);
    return Math.round(size * 1.9) || 26;
  }

  set(total) {
    this.total = total;
    this.space.style.height = this.total * this.rowHeight() + 'px';
    // Short lists take no more room than they need.
    this.element.style.height = 'min(60vh, ' + (Math.max(3, this.total) * this.rowHeight() + 4) + 'px)';
    this.draw();
  }

  draw() {
    const height = this.rowHeight();
    const from = Math.max(0, Math.floor(this.element.scrollTop / height) - 2);
    const to = Math.min(this.total, from + Math.ceil(this.element.clientHeight / height) + 4);
    const rows = [];
    for (let index = from; index < to; index++) {
      const row = this.render(index);
      row.setAttribute('role', 'listitem');
      row.style.height = height + 'px';
      rows.push(row);
    }
    this.window.style.transform = 'translateY(' + from * height + 'px)';
    this.window.replaceChildren(...rows);
  }

  reveal(index) {
    const height = this.rowHeight();
    const top = this.element.scrollTop;
    const at = index * height;
    if (at < top || at + height > top + this.element.clientHeight) {
      this.element.scrollTop = Math.max(0, at - this.element.clientHeight / 2);
    }
  }
}
