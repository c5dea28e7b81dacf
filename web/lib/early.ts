declare global {
  interface Window {
    /** What `early.ts` asked for before the app was there, by address. */
    earshotEarly?: Map<string, Promise<Response>>
  }
}

// What the server takes where nothing is said.
const unsaid = new Map([
  ['page', '1'],
  ['sorted_by', '-updated_at'],
])

/** The answer to a question that was asked before the app was there; it is given once. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const early = window.earshotEarly
  const wanted = early?.size ? normalize(url) : ''
  for (const [address, answer] of early ?? [])
    if (normalize(address) === wanted) {
      early?.delete(address)
      return answer
    }
}

function normalize(url: string) {
  const { pathname, searchParams } = new URL(url, location.origin)
  for (const [name, value] of unsaid) if (searchParams.get(name) === value) searchParams.delete(name)
  searchParams.sort()
  return `${pathname}?${searchParams}`
}
