export const listDefaults = { limit: 20 }
