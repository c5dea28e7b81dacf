/** Where a link or an address leads, as the router read it. */
export type Place = { params: Record<string, string | undefined>; search: string }
