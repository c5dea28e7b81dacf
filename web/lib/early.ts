declare global {
  interface Window {
    /** The answers that `early.ts` fetched before the app started, by address. */
    earshotEarly?: Map<string, Promise<Response>>
  }
}

/** An endpoint, and what to ask it. */
export type Question = readonly [{ path: string }, { params?: unknown; query?: unknown }?]

/** The answer that `early.ts` fetched for this address; each can be taken once, but a refusal by the screen as well, which tells of it. */
export async function takeEarly(url: string) {
  const early = window.earshotEarly
  const answer = early?.get(url)
  early?.delete(url)
  const response = await answer
  if (response?.status === 400) early?.set(url, Promise.resolve(response.clone()))
  return response
}
