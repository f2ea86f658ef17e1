/** Highlighting of lesson text in the editor: headings, marks at the start of a line, links and conditions. */
import { StreamLanguage } from '@codemirror/language';

export const lessonLanguage = StreamLanguage.define<null>({
  startState: () => null,
  token(stream) {
    if (stream.sol()) {
      if (stream.match(/^#+ .*/)) return 'heading';
      if (stream.match(/^(\?|!|-|=|~|@|\+|>|%) /)) return 'keyword';
    }
    if (stream.match(/^\[[^\]]*\]\([^)]*\)/)) return 'link';
    if (stream.match(/^\{[^}]*\}/)) return 'string';
    if (stream.match(/^`[^`]*`/)) return 'string';
    stream.next();
    stream.eatWhile(/[^[{`]/);
    return null;
  },
});
