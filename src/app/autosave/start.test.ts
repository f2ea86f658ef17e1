/** Deleted work can be restored while that is offered. */
import { beforeEach, expect, test } from 'vitest';
import { notices } from '../../base/notices';
import { banners, Computer, press, Tab } from './autosave.fixture';
import { AUTOSAVE_DELAY_MS } from './autosave-machine';
import { deleteSession } from './start';

let computer: Computer;
let tab: Tab;

beforeEach(() => {
  notices.setState({ banners: [] });
  computer = new Computer();
  tab = new Tab(computer);
});

test('deleted work that a full storage cannot take back stays in the banner until it can', async () => {
  tab.open('crossover');
  tab.edit('one');
  await computer.pass(AUTOSAVE_DELAY_MS);
  await deleteSession(tab.autosave, [tab.autosave.work.getState()?.id ?? '']);
  expect(computer.texts()).toEqual([]);
  computer.full = true;
  press('Restore it');
  await computer.pass(0);
  expect(banners()).toMatchObject([{ kind: 'error', title: '“crossover” cannot be restored' }]);
  expect(banners()[0]?.detail).toContain('the quota is used up');
  computer.full = false;
  press('Try again');
  await computer.pass(0);
  expect(computer.texts()).toEqual(['one']);
  expect(banners()).toEqual([]);
});
