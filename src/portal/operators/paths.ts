export const consolePath = '/operators';
export const enterPath = `${consolePath}/enter`;
export const leavePath = `${consolePath}/leave`;
