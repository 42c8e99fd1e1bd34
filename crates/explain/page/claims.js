// What lemmas and obligations say. A claim is a clause over the names of its tower, or a text. It
// is shown as the states in which the clause does not hold: those that a lemma excludes, or that an
// obligation is about.

// 'count[3]' is bit 3 of 'count'.
function splitBit(text) {
  const found = /^(.+)\[(\d+)\]$/.exec(text);
  return found ? { word: found[1], bit: Number(found[2]) } : { word: text, bit: null };
}

// For each name its word and bit, and how wide words are, as far as names tell.
function wordsOf(names) {
  const bits = names.map(splitBit);
  const widths = new Map();
  for (const { word, bit } of bits) {
    if (bit !== null) widths.set(word, Math.max(widths.get(word) || 0, bit + 1));
  }
  return { bits, widths };
}

// The signals of a claim with the values that its states have: [{ word, value }].
function states(words, clause) {
  const found = new Map();
  for (const literal of clause) {
    const { word, bit } = words.bits[Math.abs(literal) - 1];
    // The states are those where no literal of the clause holds.
    const value = literal < 0 ? '1' : '0';
    if (!found.has(word)) found.set(word, []);
    found.get(word).push([bit, value]);
  }
  const list = [];
  for (const [word, bits] of found) {
    const width = words.widths.get(word) || 1;
    if (bits[0][0] === null) {
      list.push({ word, value: bits[0][1] });
    } else if (bits.length === 1 && width > 4) {
      list.push({ word: word + '[' + bits[0][0] + ']', value: bits[0][1] });
    } else {
      const digits = new Array(width).fill('x');
      for (const [bit, value] of bits) digits[width - 1 - bit] = value;
      list.push({ word, value: digits.join('').replace(/(?=(....)+$)(?!^)/g, width > 8 ? '_' : '') });
    }
  }
  return list;
}

// The signals that a claim speaks of, in order; those of a formula are not known here.
function claimSignals(tower, claim) {
  if (!Array.isArray(claim)) return [];
  const words = claim.map((literal) => tower.words.bits[Math.abs(literal) - 1].word);
  return [...new Set(words.filter((word) => !/^gate \d+$/.test(word)))].sort();
}

// A value for one line: a number if all bits are known, else without the bits in front that say little.
function shortValue(value) {
  const digits = value.replaceAll('_', '');
  if (digits.length <= 8) return value;
  if (/^[01]+$/.test(digits)) return BigInt('0b' + digits).toString();
  return value.replace(/^(x{4}_)+/, '…').replace(/^(0{4}_)+/, '0…');
}

// A claim in one line.
function claimText(tower, claim) {
  if (claim === null || claim === undefined) return '(not in the record)';
  if (typeof claim === 'string') return visible(claim);
  if (claim.length === 0) return 'all states';
  return states(tower.words, claim).map((part) => visible(part.word) + ' = ' + shortValue(part.value)).join('  ∧  ');
}

// What holds because a lemma excludes its states.
function holdsText(tower, claim) {
  const text = claimText(tower, claim);
  const inner = /^¬\(([^()]*)\)$/.exec(text);
  return text === 'true' || text === 'all states' ? 'never reached' : inner ? inner[1] : 'not (' + text + ')';
}

function claimSize(claim) {
  return Array.isArray(claim) ? claim.length : 0;
}

// Whether all states of the second claim are excluded by the first: fewer literals say more.
function covers(lemma, obligation) {
  if (!Array.isArray(lemma) || !Array.isArray(obligation)) return lemma === obligation;
  if (lemma.length > obligation.length) return false;
  const all = new Set(obligation);
  return lemma.every((literal) => all.has(literal));
}

// A table of signals and values, for details.
function claimTable(tower, claim) {
  if (typeof claim === 'string' || claim === null) {
    return el('p', { class: 'formula' }, claimText(tower, claim));
  }
  if (claim.length === 0) return el('p', {}, 'all states');
  const rows = states(tower.words, claim).map((part) =>
    el('tr', {}, el('td', {}, name(part.word)), el('td', { class: 'value' }, part.value)));
  return el('table', { class: 'states' }, el('tbody', {}, rows));
}

// The clause itself: one of these literals holds.
function clauseText(tower, claim) {
  if (!Array.isArray(claim)) return null;
  return claim.map((literal) => (literal < 0 ? '¬' : '') + visible(tower.names[Math.abs(literal) - 1])).join(' ∨ ');
}
