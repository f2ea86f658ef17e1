import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { commands, runCommand } from '../base/commands';
import { shell } from '../base/shell-state';
import { useCommands } from '../controllers/useCommands';
import { BasisBadge } from './BasisBadge';
import { Menu } from './Menu';
import { Panel } from './Panel';
import { PanelContext } from './panels';
import { Segmented } from './Segmented';
import { Tabs } from './Tabs';

afterEach(cleanup);

describe('a menu', () => {
  const save = vi.fn();
  const items = [
    { id: 'csv', title: 'CSV', run: () => save('csv') },
    { id: 'svg', title: 'SVG', run: () => save('svg') },
  ];
  const open = () => {
    render(
      <Menu label="Export" items={items}>
        Export
      </Menu>,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Export' }));
  };

  test('opens on its first entry, moves by arrow keys and runs the chosen action', () => {
    open();
    const [csv, svg] = screen.getAllByRole('menuitem');
    expect(document.activeElement).toBe(csv);
    fireEvent.keyDown(csv as HTMLElement, { key: 'ArrowDown' });
    expect(document.activeElement).toBe(svg);
    fireEvent.click(svg as HTMLElement);
    expect(save).toHaveBeenCalledExactlyOnceWith('svg');
    expect(screen.queryByRole('menuitem')).toBeNull();
  });

  test('closes on Escape and returns the focus', () => {
    open();
    fireEvent.keyDown(document.activeElement as HTMLElement, { key: 'Escape' });
    expect(screen.queryByRole('menuitem')).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Export' }));
  });

  test('closes on a press elsewhere', () => {
    open();
    fireEvent.pointerDown(document.body);
    expect(screen.queryByRole('menuitem')).toBeNull();
  });
});

describe('a popover', () => {
  const place = (top: number) => new DOMRect(40, top, 60, 24);
  const open = (top: number) => {
    render(<BasisBadge basis="derived" source="Table 1" />);
    const badge = screen.getByRole('button', { name: 'derived' });
    const rect = vi.spyOn(badge, 'getBoundingClientRect').mockReturnValue(place(top));
    fireEvent.click(badge);
    return { rect, sheet: screen.getByRole('dialog') };
  };
  afterEach(() => vi.unstubAllGlobals());

  test('follows its control when the page scrolls', () => {
    const { rect, sheet } = open(300);
    const before = Number.parseFloat(sheet.style.top);
    rect.mockReturnValue(place(180));
    fireEvent.scroll(document.body);
    expect(Number.parseFloat(sheet.style.top)).toBe(before - 120);
  });

  test('stays in the window when its contents grow', () => {
    let resized = () => {};
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(changed: () => void) {
          resized = changed;
        }
        observe() {}
        disconnect() {}
      },
    );
    const { sheet } = open(window.innerHeight - 60);
    vi.spyOn(sheet, 'offsetHeight', 'get').mockReturnValue(400);
    act(resized);
    expect(Number.parseFloat(sheet.style.top)).toBeLessThanOrEqual(window.innerHeight - 408);
  });
});

test('a badge shows its source, the quotation and the derivation of the value', () => {
  render(<BasisBadge basis="derived" source="Table 1" quote="61.44 MB/s" note="4 B / 65.1 ns" />);
  fireEvent.click(screen.getByRole('button', { name: 'derived' }));
  const sheet = screen.getByRole('dialog', { name: 'Source: derived' });
  for (const words of ['Worked out from', '61.44 MB/s', '4 B / 65.1 ns', 'Table 1']) {
    expect(sheet.textContent).toContain(words);
  }
});

test('tabs are one tab stop, and arrow keys wrap around', () => {
  function Tabbed() {
    const [at, setAt] = useState('a');
    const tabs = ['a', 'b', 'c'].map((id) => ({ id, title: id.toUpperCase() }));
    return <Tabs label="Panels" tabs={tabs} value={at} onChange={setAt} controls="x" />;
  }
  render(<Tabbed />);
  const chosen = () => screen.getByRole('tab', { selected: true }).textContent;
  const list = screen.getByRole('tablist');
  fireEvent.keyDown(list, { key: 'ArrowLeft' });
  expect(chosen()).toBe('C');
  fireEvent.keyDown(list, { key: 'ArrowRight' });
  expect(chosen()).toBe('A');
  expect(screen.getAllByRole('tab').filter((tab) => tab.tabIndex === 0)).toHaveLength(1);
});

test('a segmented control is a group of radio buttons', () => {
  const change = vi.fn();
  const options = [
    { value: 'throughput', title: 'throughput' },
    { value: 'time', title: 'time' },
  ];
  render(<Segmented label="Quantity" options={options} value="throughput" onChange={change} />);
  fireEvent.click(screen.getByRole('radio', { name: 'time' }));
  expect(change).toHaveBeenCalledWith('time');
  expect(screen.getByRole('group', { name: 'Quantity' })).toBeTruthy();
});

describe('a panel', () => {
  const draw = (asText: boolean) =>
    render(
      <PanelContext.Provider
        value={{ id: 'p', key: '2', maximised: false, asText, canMaximise: true }}
      >
        <Panel title="Machine" textAlternative={<p>The bus is idle.</p>}>
          <p>picture</p>
        </Panel>
      </PanelContext.Provider>,
    );

  test('is a region named by its title and offers its text alternative', () => {
    draw(false);
    expect(screen.getByRole('region', { name: 'Machine' }).textContent).toContain('picture');
    fireEvent.click(screen.getByRole('button', { name: 'Show as text' }));
    expect(shell.getState().asText).toEqual(['p']);
    fireEvent.click(screen.getByRole('button', { name: 'Maximise' }));
    expect(shell.getState().maximised).toBe('p');
    shell.setState({ asText: [], maximised: null });
  });

  test('shows the text alternative in place of the picture', () => {
    draw(true);
    expect(screen.getByText('The bus is idle.')).toBeTruthy();
    expect(screen.queryByText('picture')).toBeNull();
  });
});

test('commands of a component exist while it is mounted and see its latest properties', () => {
  const seen: number[] = [];
  function EventStepper({ at }: { at: number }) {
    useCommands([{ id: 'step', title: 'Step', section: 'Time', run: () => seen.push(at) }]);
    return null;
  }
  const { rerender, unmount } = render(<EventStepper at={1} />);
  runCommand('step');
  rerender(<EventStepper at={2} />);
  runCommand('step');
  unmount();
  expect(runCommand('step')).toBe(false);
  expect(seen).toEqual([1, 2]);
  expect(commands.get('step')).toBeUndefined();
});
