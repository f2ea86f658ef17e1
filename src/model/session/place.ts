import { navigate, type Route, type View } from '../../base/route';
import { session } from './session';

/** Goes to the place of the open session in a view. */
export function navigateInSession(view: View, params: Route['params'] = {}): void {
  const { scenario } = session.getState();
  navigate({ view, ...(scenario ? { scenario } : {}), params });
}
