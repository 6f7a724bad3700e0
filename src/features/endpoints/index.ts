/** What other features call. */
export { endpointsOf, endpointPages } from './pages/endpoints.tsx';
