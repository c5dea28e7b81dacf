export const inventoryPath = (name: string) => `/monitoring/inventories/${encodeURIComponent(name)}`
