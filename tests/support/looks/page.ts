/**
 * Inspects the rendered page from inside: words that overlap, are cut or leave their box, values split by a line
 * break, controls that cover each other. The functions of this
 * file are sent into the page together, so they use nothing but each other.
 */

import {
  area,
  clipped,
  depthOf,
  type Flaw,
  inkOf,
  isSeen,
  isUnderneath,
  layerOf,
  meet,
  nameOf,
  stayingBar,
} from './boxes';
import { noteCanvasWords } from './canvas';
import { maskedControls, piecesOf } from './controls';
import { isDrawnBox, leavingBoxes, paintedOver, placesOn } from './drawings';
import {
  beyondCanvas,
  hiddenParts,
  smallWords,
  unexplainedLetters,
  unreadFigures,
} from './legible';
import {
  canvasWords,
  leavingBorders,
  linesOf,
  overlapsIn,
  rawWords,
  tornIn,
  wordsOf,
} from './words';

/** All layout flaws of the page at present. */
function flawsOfPage(): Flaw[] {
  const flaws: Flaw[] = [];
  const words = wordsOf(flaws);
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    flaws.push({
      kind: 'wide',
      where: 'page',
      text: `${scrollWidth} px in ${clientWidth}`,
      other: '',
    });
  }
  flaws.push(...overlapsIn(words), ...paintedOver(words));
  flaws.push(...leavingBoxes(words), ...leavingBorders(words));
  flaws.push(...maskedControls(words), ...rawWords(words));
  flaws.push(...smallWords(words), ...beyondCanvas(), ...unreadFigures(words), ...hiddenParts());
  flaws.push(...unexplainedLetters(words));
  return flaws;
}

const PARTS = [
  meet,
  depthOf,
  inkOf,
  isSeen,
  nameOf,
  clipped,
  area,
  isUnderneath,
  layerOf,
  stayingBar,
  linesOf,
  wordsOf,
  canvasWords,
  tornIn,
  overlapsIn,
  isDrawnBox,
  leavingBoxes,
  placesOn,
  paintedOver,
  leavingBorders,
  piecesOf,
  maskedControls,
  rawWords,
  smallWords,
  beyondCanvas,
  unreadFigures,
  unexplainedLetters,
  hiddenParts,
  flawsOfPage,
];

/** To run in the page before anything else of it. */
export const BEFORE = `(${noteCanvasWords})()`;

/** An expression whose value, in the page, is the list of its flaws. */
export const FLAWS = `(() => { ${PARTS.join('\n')}; return flawsOfPage(); })()`;
