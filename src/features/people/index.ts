/** What other features call. */
export { makeInvitationLink } from './invite.ts';
export { listPeople, resetSecondStep, setRole } from './members.ts';
export { makeAccountResetLink, makeResetLink } from './new-password.ts';
export { ChangedRole, changedRoleIn } from './pages/fields.tsx';
export type { Member, SignedIn } from './types.ts';
