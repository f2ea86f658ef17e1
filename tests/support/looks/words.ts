/** The words of a page, and what is wrong with how they stand. */
import {
  area,
  type Box,
  clipped,
  depthOf,
  type Flaw,
  inkOf,
  isSeen,
  isUnderneath,
  layerOf,
  nameOf,
  type Words,
} from './boxes';
import type { WithWords } from './canvas';

export function linesOf(node: Text): Box[] {
  const range = document.createRange();
  range.selectNodeContents(node);
  const lines: Box[] = [];
  for (const { left, top, right, bottom } of range.getClientRects()) {
    const last = lines.at(-1);
    if (last && Math.abs(last.top - top) < 3) {
      lines[lines.length - 1] = {
        ...last,
        left: Math.min(last.left, left),
        right: Math.max(last.right, right),
      };
    } else if (right > left) lines.push({ left, top, right, bottom });
  }
  return lines;
}

/** All visible words, and the flaws of single ones. */
export function wordsOf(flaws: Flaw[]): Words[] {
  const found: Words[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const owner = node.parentElement;
    const text = node.data.trim();
    if (
      !owner ||
      text === '' ||
      owner.closest('option, title, desc, style, script') ||
      !isSeen(owner)
    )
      continue;
    const lines = linesOf(node);
    for (const line of lines) {
      const ink = inkOf(line);
      const { seen, cutBy } = clipped(owner, ink);
      if (area(seen) < 0.12 * area(ink) || seen.right - seen.left < 2) continue;
      const dots = cutBy !== null && getComputedStyle(cutBy).textOverflow === 'ellipsis';
      if (cutBy && !dots)
        flaws.push({ kind: 'cut', where: nameOf(owner), text, other: nameOf(cutBy) });
      if (cutBy && dots && !owner.closest('[title]')) {
        flaws.push({
          kind: 'cut',
          where: nameOf(owner),
          text,
          other: 'shortened, and nowhere said in full',
        });
      }
      if (!isUnderneath(owner, seen)) found.push({ owner, node, text, box: seen });
    }
    if (lines.length > 1) flaws.push(...tornIn(node, owner));
  }
  return [...found, ...canvasWords()];
}

export function canvasWords(): Words[] {
  return [...document.querySelectorAll('canvas')].filter(isSeen).flatMap((owner) => {
    const at = owner.getBoundingClientRect();
    return ((owner as WithWords).words ?? []).map(({ text, box }) => {
      const moved = {
        left: at.left + box.left,
        right: at.left + box.right,
        top: at.top + box.top,
        bottom: at.top + box.bottom,
      };
      return { owner, node: {}, text, box: moved };
    });
  });
}

/** A number and its unit, or the thousands of a number, on two lines. */
export function tornIn(node: Text, owner: Element): Flaw[] {
  const values =
    /\d[ \u00a0\u202f]\d{3}\b|\d[ \u00a0\u202f](?:[pnuµm]?s|k?B|[KMG]iB|[MG]B\/s|[MG]Hz|%)(?!\w)|\d+ [x×] \d+|\b[A-Z]+\d-\d\b/g;
  return [...node.data.matchAll(values)].flatMap((match) => {
    const range = document.createRange();
    range.setStart(node, match.index);
    range.setEnd(node, match.index + match[0].length);
    const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
    const tops = new Set(rects.map(({ top }) => Math.round(top / 4)));
    const torn =
      rects.length > 1 && tops.size > 1 && (rects.at(-1)?.top ?? 0) - (rects[0]?.top ?? 0) > 6;
    return torn
      ? [{ kind: 'torn' as const, where: nameOf(owner), text: match[0], other: node.data.trim() }]
      : [];
  });
}

export function overlapsIn(words: readonly Words[]): Flaw[] {
  const flaws: Flaw[] = [];
  const sorted = [...words].sort((a, b) => a.box.top - b.box.top);
  sorted.forEach((one, index) => {
    for (let i = index + 1; i < sorted.length; i++) {
      const two = sorted[i] as Words;
      if (two.box.top > one.box.bottom) break;
      if (layerOf(one.owner) !== layerOf(two.owner)) continue;
      if (one.node === two.node || depthOf(one.box, two.box) < 1.5) continue;
      flaws.push({
        kind: 'overlap',
        where: nameOf(one.owner),
        text: one.text,
        other: `${two.text} (${nameOf(two.owner)})`,
      });
    }
  });
  return flaws;
}

/** Words of the page outside the border or the fill that surrounds them. */
export function leavingBorders(words: readonly Words[]): Flaw[] {
  return words.flatMap(({ owner, text, box }) => {
    if (owner.closest('svg, canvas')) return [];
    let at: Element | null = owner;
    for (; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      const isBoxed =
        Number.parseFloat(style.borderLeftWidth) > 0 &&
        Number.parseFloat(style.borderRightWidth) > 0;
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) return [];
      if (isBoxed || (!/, 0\)$/.test(style.backgroundColor) && style.display !== 'inline')) break;
    }
    if (!at || at === document.body) return [];
    const own = at.getBoundingClientRect();
    const far = Math.max(
      own.left - box.left,
      box.right - own.right,
      own.top - box.top,
      box.bottom - own.bottom,
    );
    return far > 1
      ? [
          {
            kind: 'leaves' as const,
            where: nameOf(owner),
            text,
            other: `${nameOf(at)} by ${far.toFixed(1)}`,
          },
        ]
      : [];
  });
}

/** Program identifiers instead of words: "second purge: false", "1 us". */
export function rawWords(words: readonly Words[]): Flaw[] {
  const raw =
    /: (?:true|false)\b|\d us\b|\bundefined\b|\bNaN\b|\[object|\d = \w+, \d = \w+|none, none/;
  return words.flatMap(({ owner, text }) =>
    raw.test(text) && !owner.closest('pre, code, textarea')
      ? [{ kind: 'raw' as const, where: nameOf(owner), text, other: '' }]
      : [],
  );
}
