/** A product as it is named to people: its own name alone may be that of many vendors' products. */
export const productLabel = (vendor: string, name: string) => `${vendor} · ${name}`
