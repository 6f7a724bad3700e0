/** What other features call. */
export { endpointPages } from './pages/changes.tsx';
export { endpointsOf } from './pages/on-tab.tsx';
