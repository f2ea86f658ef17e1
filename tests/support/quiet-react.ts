/**
 * React notes where each element is made, for the traces of its warnings, until it has noted ten thousand in a second.
 * Here it has noted them: they are a fifth of the time of these tests.
 */
import * as React from 'react';

const INTERNALS = '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE';
const { [INTERNALS]: internals } = React as unknown as Readonly<Record<string, object>>;
if (!internals) throw new Error('React keeps its notes in another place now.');
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
  configurable: true,
  get: () => 1e4,
  set() {},
});
