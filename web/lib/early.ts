declare global {
  interface Window {
    /** The answers that `early.ts` fetched before the app started, by address. */
    earshotEarly?: Map<string, Promise<Response>>
  }
}

// Defaults of the server.
const unsaid = new Map([
  ['page', '1'],
  ['sorted_by', '-updated_at'],
])

/** The answer that `early.ts` fetched for this address; each can be taken once, but a refusal by the screen as well, which tells of it. */
export function takeEarly(url: string): Promise<Response> | undefined {
  const early = window.earshotEarly
  const wanted = early?.size ? normalize(url) : ''
  for (const [address, answer] of early ?? [])
    if (normalize(address) === wanted) {
      early?.delete(address)
      return answer.then((response) => {
        if (response.status === 400) early?.set(address, Promise.resolve(response.clone()))
        return response
      })
    }
}

function normalize(url: string) {
  const { pathname, searchParams } = new URL(url, location.origin)
  for (const [name, value] of unsaid) if (searchParams.get(name) === value) searchParams.delete(name)
  searchParams.sort()
  return `${pathname}?${searchParams}`
}
