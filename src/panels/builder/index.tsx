import { BUILDER, navigate, route } from '../../base/route';
import { shell } from '../../base/shell-state';
import { derive } from '../../base/store';
import { navigateInSession, session } from '../../model/session/session';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

const here = () => {
  const { view } = route.getState();
  return view === 'machine' || view === 'lab';
};

export default [
  {
    id: 'build-parts',
    title: 'Parts',
    view: 'build',
    slot: 'left',
    key: '1',
    tab: 'Parts',
    component: loadable(() => import('./Palette')),
  },
  {
    id: 'build',
    title: 'Machine',
    view: 'build',
    slot: 'centre',
    key: '2',
    height: 430,
    tab: 'Machine',
    component: loadable(() => import('./Build')),
    commands: [
      {
        id: 'build.open',
        title: 'Build a machine',
        section: 'Go to',
        hint: 'from parts and wires',
        keywords: [
          'empty',
          'sheet',
          'blank',
          'new',
          'wire',
          'part',
          'builder',
          'own',
          'add',
          'template',
        ],
        run: () => navigate(BUILDER),
      },
      {
        id: 'build.this',
        title: 'Rebuild this machine',
        section: 'Session',
        keywords: ['wire', 'part', 'builder', 'add', 'remove'],
        when: () => here() && session.getState().status === 'open',
        run: () => navigateInSession('build'),
      },
      {
        id: 'build.back',
        title: 'Open in the workspace',
        section: 'Session',
        keywords: ['lanes', 'inspector', 'why'],
        when: () => route.getState().view === 'build',
        run: () => navigateInSession('machine'),
      },
    ],
  },
  {
    id: 'build-program',
    title: 'Program',
    view: 'build',
    slot: 'centre',
    key: '3',
    tab: 'Program',
    component: loadable(() => import('./Program')),
  },
  {
    id: 'program',
    title: 'Program',
    view: 'machine',
    slot: 'centre',
    key: '3',
    order: 3.9,
    tab: 'Program',
    phone: 'more',
    shown: derive(
      [shell, session],
      () =>
        shell.getState().programs &&
        (session
          .getState()
          .machine?.parts.some(({ type }) =>
            type.tables.some(({ loops }) => loops !== undefined),
          ) ??
          false),
    ),
    component: loadable(() => import('./Program')),
  },
  {
    id: 'build-part',
    title: 'Part',
    view: 'build',
    slot: 'right',
    key: '4',
    tab: 'Part',
    component: loadable(() => import('./Sheet')),
  },
  {
    id: 'build-text',
    title: 'Scenario text',
    view: 'build',
    slot: 'right',
    key: '4',
    tab: 'Text',
    component: loadable(() => import('./Text')),
  },
  {
    id: 'build-addresses',
    title: 'Addresses',
    view: 'build',
    slot: 'right',
    key: '4',
    order: 4.5,
    tab: 'Addresses',
    component: loadable(() => import('./Addresses')),
  },
] satisfies readonly PanelDefinition[];
