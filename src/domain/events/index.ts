export { deliveryIdOf } from './built.ts';
export type { BuiltEvent } from './built.ts';
export * from './echo.ts';
export * from './event.ts';
export type { MediaResult } from './media-block.ts';
export * from './received.ts';
export * from './status.ts';
