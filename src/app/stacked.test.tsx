/** One panel at a time: a maximised panel takes the room of the text, and the text comes back. */
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { shell } from '../base/shell-state';
import { Panel } from '../widgets/Panel';
import type { PanelDefinition } from '../widgets/panels';
import { focusPanel } from './focus';
import { Stacked } from './Stacked';

afterEach(() => {
  cleanup();
  shell.setState({ maximised: null });
});

const panel = (id: string, title: string, phone?: PanelDefinition['phone']): PanelDefinition => ({
  id,
  title,
  view: 'machine',
  slot: 'centre',
  ...(phone ? { phone } : {}),
  component: () => <Panel title={title}>{title}</Panel>,
});

test('a maximised drawing takes the room of the lesson until the lesson is requested', () => {
  const panels = [panel('lesson', 'Lesson', 'top'), panel('machine', 'Machine')];
  render(<Stacked panels={panels} />);
  act(() => screen.getByRole('button', { name: 'Maximise' }).click());
  expect(screen.queryByRole('region', { name: 'Lesson' })).toBeNull();
  expect(screen.getByRole('region', { name: 'Machine' })).toBeTruthy();
  act(() => focusPanel('lesson'));
  expect(screen.getByRole('region', { name: 'Lesson' })).toBeTruthy();
});

test('without a text there is no maximise button', () => {
  render(<Stacked panels={[panel('machine', 'Machine')]} />);
  expect(screen.queryByRole('button', { name: 'Maximise' })).toBeNull();
});
