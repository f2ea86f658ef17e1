/** Illegible contents: letters too small, figures too long, contents outside the window. */
import { clipped, type Flaw, isSeen, nameOf, type Words } from './boxes';
import type { WithWords } from './canvas';

/** Letters below 10 px, as they stand on the screen. */
export function smallWords(words: readonly Words[]): Flaw[] {
  const least = 10;
  const small = (where: Element, text: string, size: number): Flaw => ({
    kind: 'small',
    where: nameOf(where),
    text,
    other: `${size.toFixed(1)} px`,
  });
  const inPage = words.flatMap(({ owner, text }) => {
    if (owner instanceof HTMLCanvasElement) return [];
    const font = Number.parseFloat(getComputedStyle(owner).fontSize);
    const scale = owner instanceof SVGGraphicsElement ? (owner.getScreenCTM()?.d ?? 1) : 1;
    return font * scale < least - 0.05 ? [small(owner, text, font * scale)] : [];
  });
  const painted = [...document.querySelectorAll('canvas')]
    .filter(isSeen)
    .flatMap((canvas) =>
      ((canvas as WithWords).words ?? [])
        .filter(({ size }) => size < least - 0.05)
        .map(({ text, size }) => small(canvas, text, size)),
    );
  return [...inPage, ...painted];
}

/** Words that are painted outside their canvas, or in a part of it that the window or a panel cuts off. */
export function beyondCanvas(): Flaw[] {
  return [...document.querySelectorAll('canvas')].filter(isSeen).flatMap((canvas) => {
    const at = canvas.getBoundingClientRect();
    const { seen } = clipped(canvas, at);
    return ((canvas as WithWords).words ?? [])
      .filter(
        ({ box }) => at.top + box.top + 2 > seen.bottom || at.top + box.bottom - 3 > seen.bottom,
      )
      .map(({ text }) => ({ kind: 'beyond' as const, where: nameOf(canvas), text, other: '' }));
  });
}

/** Unreadable figures: seven or more digits before a unit of time, and a frequency of 0. */
export function unreadFigures(words: readonly Words[]): Flaw[] {
  const long = /\d{1,3}(?:[\u202f\u00a0 ]\d{3}){2,}(?:\.\d+)?[\u00a0 ]?(?:[pnµm]s|s)(?!\w)/;
  const nothing = /(?:^|\s)0[\u00a0 ][kMG]?Hz/;
  return words.flatMap(({ owner, text }) =>
    (long.test(text) || nothing.test(text)) && !owner.closest('pre, code, textarea')
      ? [{ kind: 'unit' as const, where: nameOf(owner), text, other: '' }]
      : [],
  );
}

/** Letters of line states on the screen whose meaning is nowhere on it. */
export function unexplainedLetters(words: readonly Words[]): Flaw[] {
  const names: Readonly<Record<string, RegExp>> = {
    S: /^([\d\u202f]+ )?shared( \d+)?$/,
    P: /^([\d\u202f]+ )?private clean$|^private \d+$/,
    D: /^([\d\u202f]+ )?private dirty$/,
    X: /^([\d\u202f]+ )?stale$|^dropped \d+$/,
    '~': /^([\d\u202f]+ )?in flight$|^asked \d+$/,
  };
  const seen = new Map<string, Element>();
  for (const { owner, text } of words)
    if (owner.classList.contains('st-l') && text in names) seen.set(text, owner);
  return [...seen].flatMap(([letter, owner]) =>
    words.some(({ text }) => names[letter]?.test(text))
      ? []
      : [{ kind: 'legend' as const, where: nameOf(owner), text: letter, other: '' }],
  );
}

/** Drawings and tables that a panel cuts on a screen of common size; long lists and texts may scroll. */
export function hiddenParts(): Flaw[] {
  const lists =
    'lesson, inspector, why, late, parameters, events, driver-script, runs, gallery, report, glossary, lessons, program, palette, sandbox'.split(
      ', ',
    );
  if (innerWidth < 1440 || innerHeight < 900) return [];
  return [...document.querySelectorAll<HTMLElement>('[data-sheet]')].flatMap((sheet) => {
    if (!isSeen(sheet) || lists.includes(sheet.id) || sheet.dataset.asText) return [];
    const { bottom } = sheet.getBoundingClientRect();
    return [...sheet.querySelectorAll('table, svg.drawing, canvas')].flatMap((element) => {
      const low = element.getBoundingClientRect().bottom - bottom;
      const isLong = element.querySelectorAll('tr').length > 10;
      return isSeen(element) && low > 6 && !isLong
        ? [
            {
              kind: 'hidden' as const,
              where: nameOf(element),
              text: `${low.toFixed(0)} px below`,
              other: '',
            },
          ]
        : [];
    });
  });
}
