/** The frame's reaction to opening a document. */
import { expect, test } from 'vitest';
import { shell } from '../../base/shell-state';
import { session as opened } from '../../model/session/session';
import './open-document';

test('a maximised panel is restored when another document is opened', () => {
  opened.setState({ status: 'open', opened: 1 });
  shell.setState({ maximised: 'machine' });
  opened.setState({ changes: 1, revision: 2 });
  expect(shell.getState().maximised).toBe('machine');
  opened.setState({ opened: 2 });
  expect(shell.getState().maximised).toBeNull();
});
