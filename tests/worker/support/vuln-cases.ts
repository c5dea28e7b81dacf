import { expect } from 'vitest'

export type CasesPage = { count: number; count_is_exact: boolean; results: { cveid: string | null }[] }
export const listIds = ({ results }: Pick<CasesPage, 'results'>) => results.map(({ cveid }) => Number(cveid?.slice(-5)))
export const inOrder = (ids: number[]) => ids.toSorted((a, b) => a - b)

/** One world serves a table of cases that only read; compares all expected and received answers at once. */
export async function compare<Case>(cases: [Case, unknown][], answer: (given: Case) => Promise<unknown>) {
  const came: [Case, unknown][] = []
  for (const [given] of cases) came.push([given, await answer(given)])
  expect(came).toEqual(cases)
}
