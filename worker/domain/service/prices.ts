/** US dollars for one of each, as Cloudflare's pages said in November 2026, beyond what the plan includes. */
export const workPrices = { requests: 0.3e-6, rows_read: 0.001e-6, rows_written: 1e-6 } as const

type Work = Record<keyof typeof workPrices, number>

/** CPU time is not in it: a Worker cannot measure its own. */
export const priceWork = (work: Work) =>
  work.requests * workPrices.requests +
  work.rows_read * workPrices.rows_read +
  work.rows_written * workPrices.rows_written
