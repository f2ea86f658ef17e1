/** The right column of a narrow desktop: a drawer that opens when one of its panels is asked for. */
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { shell } from '../base/shell-state';
import { openLessonPanel } from '../model/lesson/lesson-panels';
import { standInForPage } from '../widgets/page.fixture';
import type { PanelDefinition } from '../widgets/panels';
import { focusPanel } from './focus';
import { layoutFor } from './layout';
import { Workspace } from './Workspace';

standInForPage(1024);

afterEach(() => {
  cleanup();
  shell.setState({ drawer: false });
});

const panel = (id: string, slot: PanelDefinition['slot']): PanelDefinition => ({
  id,
  title: id,
  view: 'machine',
  slot,
  component: () => (
    <section id={id} tabIndex={-1} aria-label={id}>
      {id}
    </section>
  ),
});

test('a panel in the drawer is shown and focused when it is asked for', async () => {
  const panels = [panel('machine', 'centre'), panel('inspector', 'right')];
  render(<Workspace panels={panels} layout={layoutFor(1024, 768, 'machine')} />);
  expect(screen.getByText('inspector').closest('[inert]')).not.toBeNull();
  act(() => focusPanel('machine'));
  expect(shell.getState().drawer).toBe(false);
  act(() => focusPanel('inspector'));
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('inspector'));
  expect(screen.getByText('inspector').closest('[inert]')).toBeNull();
});

test('a panel that comes because it is asked for is not hidden in the drawer', async () => {
  const layout = layoutFor(1024, 768, 'machine');
  const machine = panel('machine', 'centre');
  const { rerender } = render(<Workspace panels={[machine]} layout={layout} />);
  openLessonPanel('lesson-text');
  rerender(<Workspace panels={[machine, panel('lesson-text', 'right')]} layout={layout} />);
  await vi.waitFor(() => expect(screen.getByText('lesson-text').closest('[inert]')).toBeNull());
});
