/** Counts what changes in panels while a run plays. Sent into the page, so it uses nothing from outside. */

interface PanelCensus {
  readonly id: string;
  /** Elements of drawings and tiles of canvases. */
  readonly cells: number;
  /** Those that looked different at some time. */
  readonly changed: number;
  /** How often the header changed its height, which moves the picture. */
  readonly jumps: number;
}

export interface Census {
  readonly panels: readonly PanelCensus[];
  /** Frames in as many seconds of play, without the counting. */
  readonly frames: number;
  /** Longest task in milliseconds; tasks under 50 ms are not told. */
  readonly longest: number;
}

async function census(ids: readonly string[], seconds: number): Promise<Census> {
  const patience = 8;
  const tile = 12;
  const canvasCells = (canvas: HTMLCanvasElement): string[] => {
    const context = canvas.getContext('2d');
    if (!context || canvas.width === 0 || canvas.height === 0) return [];
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    const [across, down] = [Math.ceil(width / tile), Math.ceil(height / tile)];
    const sums = new Float64Array(across * down);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const at = 4 * (y * width + x);
        const cell = Math.floor(y / tile) * across + Math.floor(x / tile);
        const value = (data[at] ?? 0) + 3 * (data[at + 1] ?? 0) + 7 * (data[at + 2] ?? 0);
        sums[cell] = (sums[cell] ?? 0) + value + 11 * (data[at + 3] ?? 0);
      }
    return Array.from(sums, String);
  };
  const svgCells = (svg: SVGSVGElement): string[] =>
    [...svg.querySelectorAll('rect, path, circle, text, line')].map((element) => {
      const attributes = [...element.attributes].map(({ value }) => value).join(' ');
      return `${attributes} ${element.textContent}`;
    });
  const look = (sheet: HTMLElement): string[] => [
    ...[...sheet.querySelectorAll('canvas')].flatMap(canvasCells),
    ...[...sheet.querySelectorAll<SVGSVGElement>('svg.drawing')].flatMap(svgCells),
  ];
  const headerOf = (sheet: HTMLElement): number =>
    sheet.querySelector('header')?.getBoundingClientRect().height ?? 0;
  const shown = ids
    .map((id) => document.getElementById(id))
    .filter((sheet): sheet is HTMLElement => sheet?.checkVisibility() === true)
    .map((sheet) => ({
      sheet,
      last: look(sheet),
      changed: new Set<number>(),
      header: headerOf(sheet),
      jumps: 0,
    }))
    .filter(({ last }) => last.length > 0);
  const begun = performance.now();
  const end = begun + seconds * 1000;
  // A busy machine plays less of the run in this time.
  const latest = begun + patience * 1000;
  const stands = () => shown.some(({ changed }) => changed.size === 0);
  let next = begun;
  while (performance.now() < end || (stands() && performance.now() < latest)) {
    await new Promise(requestAnimationFrame);
    for (const one of shown) {
      const header = headerOf(one.sheet);
      if (header !== one.header) one.jumps++;
      one.header = header;
    }
    if (performance.now() < next) continue;
    next = performance.now() + 200;
    for (const one of shown) {
      const now = look(one.sheet);
      now.forEach((cell, index) => {
        if (cell !== one.last[index]) one.changed.add(index);
      });
      one.last = now;
    }
  }
  // The same play again for as long, undisturbed by the counting of cells.
  let [frames, longest] = [0, 0];
  const tasks = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  if (PerformanceObserver.supportedEntryTypes.includes('longtask'))
    tasks.observe({ type: 'longtask' });
  const measured = performance.now() + seconds * 1000;
  for (; performance.now() < measured; frames++) await new Promise(requestAnimationFrame);
  tasks.disconnect();
  return {
    panels: shown.map(({ sheet, last, changed, jumps }) => ({
      id: sheet.id,
      cells: last.length,
      changed: changed.size,
      jumps,
    })),
    frames,
    longest: Math.round(longest),
  };
}

/** The source of the function, to call in the page. */
export const CENSUS = String(census);
