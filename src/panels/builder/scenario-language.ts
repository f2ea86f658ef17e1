/** The language of scenario files in the editor: JSON with comments. */
import { StreamLanguage } from '@codemirror/language';

/** Whether the line begins within a comment of several lines. */
interface State {
  isComment: boolean;
}

export const scenarioLanguage = StreamLanguage.define<State>({
  startState: () => ({ isComment: false }),
  token(stream, state) {
    if (!state.isComment && stream.match('/*')) state.isComment = true;
    if (state.isComment) {
      if (stream.skipTo('*/')) {
        stream.match('*/');
        state.isComment = false;
      } else stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^\/\/.*/)) return 'comment';
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/))
      return stream.match(/^\s*:/, false) ? 'propertyName' : 'string';
    if (stream.match(/^-?\d[\d.eE+-]*/)) return 'number';
    if (stream.match(/^(?:true|false|null)\b/)) return 'bool';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//' } },
});
