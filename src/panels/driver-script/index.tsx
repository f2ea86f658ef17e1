import { derive } from '../../base/store';
import { drivers } from '../../controllers/machine-features';
import { loadable } from '../../widgets/loadable';
import type { PanelDefinition } from '../../widgets/panels';

export default {
  id: 'driver-script',
  title: 'Driver calls',
  view: 'machine',
  slot: 'centre',
  key: '3',
  order: 3.2,
  tab: 'Driver',
  phone: 'more',
  shown: derive([drivers], () => drivers.getState() !== null),
  component: loadable(() => import('./DriverScript')),
} satisfies PanelDefinition;
