/** What a list shows unless its address says otherwise. */
export const listDefaults = { limit: 20 }
