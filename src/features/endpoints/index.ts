/** What other features call. */
export { EndpointsOf, endpointPages } from './pages/endpoints.tsx';
