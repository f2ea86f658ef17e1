import type { Command } from '../../base/commands';
import { fetched } from '../../base/retry-import';
import { route } from '../../base/route';
import { shell } from '../../base/shell-state';
import { derive } from '../../base/store';
import { clearSelection, selection } from '../../model/session/selection';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';
import { whyState } from './state';

const here = () => route.getState().view === 'machine';

const asks = (effects: boolean) => async () => {
  const { explain } = await fetched(() => import('./explain'));
  explain(effects);
};

const commands: readonly Command[] = [
  {
    id: 'why',
    title: 'Why is this so?',
    section: 'Time',
    keys: ['W'],
    brief: 'why',
    when: here,
    run: asks(false),
  },
  {
    id: 'why.effects',
    title: 'What did this cause?',
    section: 'Time',
    keys: ['Shift+W'],
    when: here,
    run: asks(true),
  },
  {
    id: 'why.clear',
    title: 'Clear the selection',
    section: 'Time',
    keys: ['Escape'],
    keyOnly: true,
    when: () => here() && Object.values(selection.getState()).some((value) => value !== null),
    run: clearSelection,
  },
];

export default {
  id: 'why',
  title: 'Why?',
  view: 'machine',
  slot: 'right',
  key: '6',
  height: 250,
  mode: 'always',
  tab: 'Why',
  shown: derive([shell, whyState], () => !shell.getState().lecture || whyState.getState().open),
  component: loadable(() => import('./Why')),
  commands,
} satisfies PanelDefinition;
