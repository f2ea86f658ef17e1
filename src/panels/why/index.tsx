import { lazy } from 'react';
import { shell } from '../../base/shell';
import { derive } from '../../base/store';
import type { PanelDefinition } from '../../widgets/panels';
import { whyState } from './state';

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
  component: lazy(() => import('./Why')),
} satisfies PanelDefinition;
